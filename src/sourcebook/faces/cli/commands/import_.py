from typing import Annotated

import typer

from sourcebook.faces.cli.commands.add import progress_bar
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.output import say, say_json


def import_bundle(
    call: Invocation,
    source: Annotated[
        str, typer.Argument(metavar="DIR", help="A bundle, or a folder or file of embeddings.jsonl.")
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
            "--model", metavar="NAME", help="Whose vectors an embeddings.jsonl holds.", show_default=False
        ),
    ] = None,
) -> None:
    """Read a bundle that `export` wrote, or an embeddings.jsonl. Vectors are kept, and nothing is embedded again."""
    with call.open_or_make() as book, progress_bar() as on_progress:
        report = book.import_bundle(source, collection=collection, model=model, on_progress=on_progress)
    if call.as_json:
        say_json(report.as_dict())
    else:
        say(
            f"{report.documents} documents, {report.chunks} chunks and {report.vectors} vectors in "
            f"{len(report.collections)} collections; {report.unchanged} documents were there already, "
            f"{report.duplicates} under another id, and {report.skipped} rows were skipped."
        )
