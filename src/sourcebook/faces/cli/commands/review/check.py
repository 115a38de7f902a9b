from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sourcebook.errors import UsageError
from sourcebook.faces import check_reports
from sourcebook.faces.cli.exit_codes import ExitCode
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import say
from sourcebook.faces.cli.terminal.progress import progress_bar
from sourcebook.model.answer_check import AnswerCheck, AnswerFinding

USUAL_FOLDER = Path("answers")


class ReportFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    JUNIT = "junit"
    GITHUB = "github"
    GITLAB = "gitlab"


def check(
    call: Invocation,
    documents: Annotated[Path, typer.Argument(metavar="DOCS", help="The folder of documents, as it is now.")],
    *,
    answers: Annotated[
        Path | None,
        typer.Option(
            "--answers",
            metavar="DIR",
            help="The folder of approved answers, as `kb export` writes it.",
            show_default="the folder answers, if there is one and no --db is given; else the base's curated answers",
        ),
    ] = None,
    form: Annotated[
        ReportFormat, typer.Option("--format", help="How to report. --json is the same as json.")
    ] = ReportFormat.TEXT,
    strict: Annotated[
        bool, typer.Option("--strict", help="Also fail if a source was moved or reworded, or none is named.")
    ] = False,
) -> None:
    """Check approved answers against a folder of documents, before a change is published.

    Exits with 1 if the documents make an answer untrue or no longer say it. Answers that are files need no base and no
    model, so the check runs in any continuous integration.
    """
    folder = answers or _usual_folder(call)
    book = call.closed()
    with progress_bar() as on_progress:
        if folder is not None:
            found = _placed(book.answer_files.check_files(documents, folder, on_progress=on_progress), folder)
        else:
            call.require_base()
            with call.open() as opened:
                found = opened.answer_files.check(documents, on_progress=on_progress)
    if not found.findings:
        raise UsageError(
            "There are no approved answers to check.",
            hint="`sourcebook kb add` makes one, and `sourcebook kb export DIR` writes them to files.",
        )
    chosen = ReportFormat.JSON if call.as_json else form
    # What is annotated are files of the repository, so paths go from where the command runs.
    shown = found if chosen in (ReportFormat.TEXT, ReportFormat.JSON) else _from_here(found, documents)
    say(check_reports.FORMATS[chosen.value](shown))
    if found.failures or (strict and found.warnings):
        raise typer.Exit(ExitCode.ERROR)


def _usual_folder(call: Invocation) -> Path | None:
    """The folder `answers`, if there is one. Whoever names a base with `--db` means the answers in that."""
    return USUAL_FOLDER if "db" not in call.flags and USUAL_FOLDER.is_dir() else None


def _placed(found: AnswerCheck, folder: Path) -> AnswerCheck:
    """The findings with the whole paths of the answers' files."""
    return replace(
        found, findings=tuple(replace(each, name=(folder / each.name).as_posix()) for each in found.findings)
    )


def _from_here(found: AnswerCheck, documents: Path) -> AnswerCheck:
    root = documents if documents.is_dir() else documents.parent

    def placed(finding: AnswerFinding) -> AnswerFinding:
        sources = [
            replace(
                each,
                path=(root / each.path).as_posix(),
                found_in=(root / each.found_in).as_posix() if each.found_in else None,
            )
            for each in finding.sources
        ]
        return replace(finding, sources=tuple(sources))

    return replace(found, findings=tuple(placed(each) for each in found.findings))
