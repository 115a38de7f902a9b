from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

from sourcebook.faces.cli.exits import ExitCode
from sourcebook.faces.cli.invocation import CollectionName, Invocation
from sourcebook.faces.cli.output import printable, say, say_json, stderr, tell
from sourcebook.ingest.report import AddReport, Progress


def add(
    call: Invocation,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH", help="Files or folders.")],
    *,
    category: Annotated[
        str | None, typer.Option("--category", metavar="X", help="What the documents are about.")
    ] = None,
    subcategory: Annotated[
        str | None, typer.Option("--subcategory", metavar="Y", help="What they are about more narrowly.")
    ] = None,
    collection: CollectionName = None,
) -> None:
    """Index documents. Done again, new and changed files are taken in, and the others are left alone.

    Files that are gone or renamed stay in the base until their document is removed, for which there is no command yet.
    Only regular files are read; links that lead out of a folder are not followed. The exit code is 1 if a file failed.
    """
    with call.open_or_make() as book, progress_bar() as on_progress:
        report = book.add(
            *paths,
            collection=collection,
            category=category,
            subcategory=subcategory,
            on_progress=on_progress,
        )
    if call.as_json:
        say_json(report.as_dict())
    else:
        say(as_text(report))
        for failure in report.failed:
            tell(f"{failure.path}: {failure.message} ({failure.code})")
    if report.failed:
        raise typer.Exit(ExitCode.ERROR)


def as_text(report: AddReport) -> str:
    """The report in one line: `3 added, 0 updated, …`."""
    counts = {name: count for name, count in report.as_dict().items() if isinstance(count, int)}
    return (
        ", ".join(f"{count} {name}" for name, count in (counts | {"failed": len(report.failed)}).items())
        + "."
    )


@contextmanager
def progress_bar() -> Generator[Callable[[Progress], None] | None]:
    """A bar on stderr that follows the files; nothing at all if that is not a terminal."""
    console = stderr()
    if not console.is_terminal:
        yield None
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[path]}", markup=False))
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, path="")
        yield lambda progress: bar.update(
            task, completed=progress.done, total=progress.total, path=printable(progress.path)
        )
