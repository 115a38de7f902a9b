import typer

from sourcebook.faces.cli.exits import ExitCode
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.output import say, say_json


def doctor(call: Invocation) -> None:
    """Check the base. Each thing that is wrong comes with what to do; the exit code is then 5."""
    with call.open() as book:
        report = book.doctor()
    if call.as_json:
        say_json(report.as_dict())
    else:
        for finding in report.findings:
            say(f"{finding.code} ({finding.count}): {finding.message} {finding.hint}")
        say("The base is in order." if report.ok else "The base needs attention.")
    if not report.ok:
        raise typer.Exit(ExitCode.STORAGE)
