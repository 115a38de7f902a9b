from textwrap import indent
from typing import Annotated

import typer

from sourcebook.faces import shapes
from sourcebook.faces.cli.invocation import CollectionName, Invocation
from sourcebook.faces.cli.output import say, say_json, tell
from sourcebook.model.search import RetrievalConfig, RetrievalMode, SearchResult
from sourcebook.retrieve.where import parse_where


def search(
    call: Invocation,
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="What to look for, in your own words.")],
    *,
    mode: Annotated[
        RetrievalMode, typer.Option("--mode", help="By meaning, by words, or both.")
    ] = RetrievalMode.HYBRID,
    top_k: Annotated[
        int, typer.Option("--top-k", metavar="N", min=1, help="How many passages to show.")
    ] = 10,
    where: Annotated[
        str | None,
        typer.Option(
            "--where", metavar="FILTER", help='For example: "type=documentation and date>2024-01-01".'
        ),
    ] = None,
    collection: CollectionName = None,
) -> None:
    """Find the passages that answer a question."""
    config = RetrievalConfig(top_k=top_k, mode=mode, filter=parse_where(where) if where is not None else None)
    with call.open() as book:
        results = book.search(question, config, collection=collection)
    if call.as_json:
        say_json(shapes.found(question, mode, results))
        return
    for rank, result in enumerate(results, start=1):
        say(as_text(rank, result))
    if not results:
        tell("Nothing was found.")


def as_text(rank: int, result: SearchResult) -> str:
    """A result for people: where it stands, then the passage itself."""
    chunk = result.chunk
    place = [result.document_path]
    if chunk.section:
        place.append(chunk.section)
    if chunk.page is not None:
        place.append(f"page {chunk.page}")
    title = result.document_title or result.document_path
    passage = indent(chunk.content.strip(), "   ")
    return f"{rank}. {title} ({result.score:.3f})\n   {' · '.join(place)}\n\n{passage}\n"
