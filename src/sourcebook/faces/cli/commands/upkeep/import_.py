from typing import TYPE_CHECKING, Annotated

import typer

from sourcebook.faces.cli.commands.documents.add import progress_bar
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import say, say_json
from sourcebook.faces.cli.terminal.plurals import counted

if TYPE_CHECKING:
    from sourcebook.storage.jsonl.bundle_report import BundleReport


def import_bundle(
    call: Invocation,
    source: Annotated[
        str,
        typer.Argument(
            metavar="SRC",
            help="A bundle, an embeddings.jsonl or its folder, or another program's base: an SQLite file "
            "or `postgresql://…`.",
        ),
    ],
    *,
    collection: Annotated[
        str | None,
        typer.Option(
            "--collection", metavar="NAME", help="The collection to import into.", show_default=False
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="NAME",
            help="The model that made the vectors of an embeddings.jsonl or another program's base, so "
            "that they can be kept. Without it, another program's texts are embedded again.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say what would be done with another program's base, and do nothing."),
    ] = False,
) -> None:
    """Import a bundle written by `export`, an embeddings.jsonl, or another program's base."""
    with call.open_or_make() as book, progress_bar() as on_progress:
        report = book.maintenance.import_bundle(
            source, collection=collection, model=model, on_progress=on_progress, dry_run=dry_run
        )
    if call.as_json:
        say_json(report.as_dict())
    else:
        if dry_run:
            say("Nothing was written. It would be:")
        _say(report)


def _say(report: "BundleReport") -> None:
    say(
        f"{counted(report.documents, 'document')}, {counted(report.chunks, 'chunk')} and "
        f"{counted(report.vectors, 'vector')} in {counted(len(report.collections), 'collection')}; "
        f"{counted(report.unchanged, 'document')} already existed, {report.duplicates} under another id, and "
        f"{counted(report.skipped, 'row was', 'rows were')} skipped."
    )
    if report.curated or report.curated_unchanged:
        say(f"{counted(report.curated, 'curated answer')}; {report.curated_unchanged} already existed.")
    for table, written in report.rows.items():
        say(f"{written} rows of {table}")
    for table, renewed in report.renewed.items():
        say(f"{renewed} rows of {table} that were there, brought to their present state")
    for why, count in report.left_out.items():
        say(f"{count} {why}")
