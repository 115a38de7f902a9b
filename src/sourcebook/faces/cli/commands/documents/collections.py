import sys
from typing import Annotated

import typer

from sourcebook.errors import UsageError
from sourcebook.faces import json_shapes
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import say_json, say_rows
from sourcebook.faces.cli.terminal.text_layout import Cut
from sourcebook.model.documents import Collection, DistanceMetric


def list_collections(call: Invocation) -> None:
    """List the collections of the base."""
    with call.open() as book:
        collections = book.library.collections()
    if call.as_json:
        say_json({"collections": [json_shapes.collection(collection) for collection in collections]})
        return
    say_rows(
        ("name", "model", "dimensions", "metric", "documents", "chunks"),
        [
            (
                collection.id,
                collection.model.name if collection.model else None,
                collection.embedding_dimensions,
                collection.distance_metric.value,
                collection.document_count,
                collection.chunk_count,
            )
            for collection in collections
        ],
        cuts={"model": Cut.END},
        spare=("metric", "dimensions", "chunks"),
    )


def create(
    call: Invocation,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The collection's name.")],
    *,
    dimensions: Annotated[
        int,
        typer.Option("--dimensions", metavar="N", min=1, help="The size of the vectors you will store."),
    ],
    metric: Annotated[
        DistanceMetric, typer.Option("--metric", help="How vectors are compared.")
    ] = DistanceMetric.COSINE,
    description: Annotated[
        str | None, typer.Option("--description", metavar="TEXT", help="What it is for.")
    ] = None,
) -> None:
    """Create a collection for your own vectors. For documents, `add --collection NAME` creates one itself."""
    wanted = Collection(
        id=name,
        embedding_dimensions=dimensions,
        name=name,
        description=description,
        distance_metric=metric,
    )
    with call.open_or_make() as book:
        made = book.library.create_collection(wanted)
    call.confirm({"collection": json_shapes.collection(made)}, f"The collection {made.id} is ready.")


def remove(
    call: Invocation,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The collection to remove.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Remove a collection and everything in it. A missing collection is not an error."""
    with call.open() as book:
        is_there = any(collection.id == name for collection in book.library.collections())
        if is_there and not yes:
            _confirm(f"Remove the collection {name} and all its documents?")
        book.library.remove_collection(name)
    done = (
        f"Removed the collection {name}."
        if is_there
        else f"There is no collection {name!r}; nothing was removed."
    )
    call.confirm({"removed": name}, done)


def _confirm(question: str) -> None:
    if not sys.stdin.isatty():
        raise UsageError("Removing a collection needs a confirmation.", hint="Add `--yes`.")
    typer.confirm(question, abort=True, err=True)
