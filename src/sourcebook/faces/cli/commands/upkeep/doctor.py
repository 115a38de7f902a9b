from typing import Annotated

import typer

from sourcebook.faces.cli.exit_codes import ExitCode
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import say, say_json, tell
from sourcebook.faces.cli.terminal.progress import progress_bar
from sourcebook.model.health import Finding, HealthReport

_SHOWN = 10
_MESSAGE = "message"
_JOBS = {
    _MESSAGE: "messages for the Telegram bot to send",
    "uploads": "uploaded files for the server to add",
    "draft": "questions to be put into the queue of the experts",
}


def doctor(
    call: Invocation,
    *,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Repair what can be repaired and report it. Replaced files are kept."),
    ] = False,
) -> None:
    """Check the base. Every problem comes with what to do about it; the exit code is then 5."""
    call.require_base()
    with progress_bar() as on_progress:
        look = call.closed().repair if repair else call.closed().doctor
        report = look(on_progress=on_progress)
    if call.as_json:
        say_json(report.as_dict())
    else:
        _show(report, has_bot=call.loaded.settings.telegram_token is not None)
    if not report.ok:
        raise typer.Exit(ExitCode.STORAGE)


def _show(report: HealthReport, *, has_bot: bool) -> None:
    for name, value in report.versions.items():
        tell(f"{name}: {value}")
    for part in report.optional_parts:
        if part.is_needed:
            tell(f"{part.name}: {part.state}")
    tell(", ".join(_counted(name, count) for name, count in report.counts.items()))
    for kind, count in report.open_jobs.items():
        tell(f"  open jobs: {count} × {_job(kind, has_bot=has_bot)}")
    for done in report.repairs:
        say(f"repaired {done.code} ({done.count}): {done.message}.")
    for finding in report.notes:
        say(f"note {finding.code} ({finding.count}): {finding.message}. {finding.hint}")
    for finding in report.faults:
        say(f"{finding.code} ({finding.count}): {finding.message}. {finding.hint}")
        _show_rows(finding)
    say("The base is in order." if report.ok else "The base needs attention.")


def _job(kind: str, *, has_bot: bool) -> str:
    if kind == _MESSAGE and not has_bot:
        return "notices to askers, kept in case a Telegram bot is set up"
    return _JOBS.get(kind, kind)


def _counted(name: str, count: int) -> str:
    said = name.replace("_", " ")
    return f"{count} {said.removesuffix('s')}" if count == 1 else f"{count} {said}"


def _show_rows(finding: Finding) -> None:
    if finding.count > 1:
        for row in finding.rows[:_SHOWN]:
            say(f"  {row}")
    if len(finding.rows) > _SHOWN:
        say(f"  … and {len(finding.rows) - _SHOWN} more; --json prints them all")
