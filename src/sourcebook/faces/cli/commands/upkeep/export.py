from pathlib import Path
from typing import Annotated

import typer

from sourcebook.faces.cli.commands.documents.add import progress_bar
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import say, say_json
from sourcebook.faces.cli.terminal.plurals import counted
from sourcebook.storage.jsonl.bundle_report import OnExisting


def export(
    call: Invocation,
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to write.")],
    *,
    collection: Annotated[
        list[str] | None,
        typer.Option(
            "--collection",
            metavar="NAME",
            help="A collection to export. Repeat for several; default: all.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing bundle.")] = False,
) -> None:
    """Write the base as a bundle: embeddings.jsonl, documents.jsonl, curated.jsonl and manifest.json."""
    with call.open() as book, progress_bar() as on_progress:
        report = book.maintenance.export(
            directory,
            collections=collection or None,
            on_existing=OnExisting.REPLACE if force else OnExisting.REFUSE,
            on_progress=on_progress,
        )
    if call.as_json:
        say_json(report.as_dict())
    else:
        say(
            f"{counted(report.documents, 'document')}, {counted(report.chunks, 'chunk')}, "
            f"{counted(report.vectors, 'vector')} and {counted(report.curated, 'curated answer')} of "
            f"{counted(len(report.collections), 'collection')} are in {directory}."
        )
