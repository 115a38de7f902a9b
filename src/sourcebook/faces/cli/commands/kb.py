from typing import TYPE_CHECKING, Annotated

import typer

from sourcebook import Sourcebook
from sourcebook.errors import CuratedAnswerNotFound, UsageError
from sourcebook.faces import draft_json_shapes, json_shapes
from sourcebook.faces.cli.invocation import CollectionName, Invocation
from sourcebook.faces.cli.output import say_json, say_rows, tell
from sourcebook.model.curation import CuratedAnswer, CuratedSource, SourceType

if TYPE_CHECKING:
    from sourcebook.model.moderation import Draft

LOCAL_USER = 1


def list_entries(
    call: Invocation,
    *,
    collection: Annotated[
        str | None,
        typer.Option(
            "--collection",
            metavar="NAME",
            help="List only answers of this collection.",
            show_default="all collections",
        ),
    ] = None,
) -> None:
    """List the curated answers."""
    with call.open() as book:
        entries = book.curated.all(collection)
    if call.as_json:
        say_json({"entries": [json_shapes.curated_answer(entry) for entry in entries]})
        return
    say_rows(
        ("id", "category", "question", "answer", "sources", "state"),
        [(e.id, _category(e), e.question, e.answer, len(e.sources), _state(e)) for e in entries],
    )


def add(
    call: Invocation,
    answer: Annotated[str, typer.Argument(metavar="ANSWER", help="The answer.")],
    *,
    category: Annotated[str, typer.Option("--category", metavar="X", help="The answer's category.")],
    question: Annotated[
        str | None,
        typer.Option(
            "--question",
            metavar="Q",
            help="The question it answers. Without one, it is matched by its own text.",
        ),
    ] = None,
    subcategory: Annotated[
        str | None, typer.Option("--subcategory", metavar="Y", help="The answer's subcategory.")
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option("--source", metavar="ID|PATH", help="A document that supports it. Repeat for several."),
    ] = None,
    quote: Annotated[
        list[str] | None,
        typer.Option(
            "--quote",
            metavar="TEXT",
            help="The supporting words in a source. Without it, the best ones are chosen.",
        ),
    ] = None,
    source_type: Annotated[
        SourceType, typer.Option("--source-type", help="How the answer was obtained.")
    ] = SourceType.MANUAL,
    collection: CollectionName = None,
) -> None:
    """Add a curated answer, which comes first whenever its question is asked.

    When one of its sources changes, it is marked stale. Without a source, it is used only for its own question, word
    for word.
    """
    with call.open_or_make() as book:
        entry = book.curated.insert(
            answer,
            category=category,
            question=question,
            subcategory=subcategory,
            source_type=source_type,
            sources=_sources(book, answer, source or [], quote or [], collection),
            collection=collection,
        )
    if call.as_json:
        say_json({"entry": json_shapes.curated_answer(entry)})
        return
    tell(f"Added the curated answer {entry.id}.")
    for bound in entry.sources:
        tell(f"  Supported by {bound.document_path}: “{' '.join(bound.quote.split())}”")


def edit(
    call: Invocation,
    entry_id: Annotated[int, typer.Argument(metavar="ID", help="The answer's number in `kb list`.")],
    *,
    answer: Annotated[str | None, typer.Option("--answer", metavar="TEXT", help="The new answer.")] = None,
    question: Annotated[str | None, typer.Option("--question", metavar="Q", help="The new question.")] = None,
    category: Annotated[
        str | None, typer.Option("--category", metavar="X", help="The answer's category.")
    ] = None,
    subcategory: Annotated[
        str | None, typer.Option("--subcategory", metavar="Y", help="The answer's subcategory.")
    ] = None,
) -> None:
    """Propose a change to a curated answer. Until it is approved in review, the current answer is used."""
    with call.open() as book:
        draft: Draft = book.moderation.edit_entry(
            entry_id,
            LOCAL_USER,
            answer=answer,
            question=question,
            category=category,
            subcategory=subcategory,
        )
    if call.as_json:
        say_json({"draft": draft_json_shapes.draft(draft)})
    else:
        tell(
            f"The change is waiting as draft {draft.id}. Approve it with `sourcebook moderate approve {draft.id}`."
        )


def remove(
    call: Invocation,
    entry_id: Annotated[int, typer.Argument(metavar="ID", help="The answer's number in `kb list`.")],
) -> None:
    """Remove a curated answer."""
    with call.open() as book:
        if not book.curated.remove(entry_id):
            raise CuratedAnswerNotFound(f"There is no curated answer {entry_id}.")
    if call.as_json:
        say_json({"removed": entry_id})
    else:
        tell(f"Removed the curated answer {entry_id}.")


def _sources(
    book: Sourcebook, answer: str, documents: list[str], quotes: list[str], collection: str | None
) -> list[CuratedSource]:
    """The place of each quote or, for documents without one, the words that best support the answer."""
    if quotes and not documents:
        raise UsageError("--quote needs a document.", hint="Name it with `--source`.")
    quoted = [_quoted(book, quote, documents, collection) for quote in quotes]
    held = {place.document_id for place in quoted}
    rest = [n for n in documents if book.library.find(n, collection=collection).document.id not in held]
    return [*quoted, *(book.curated.source(name, supports=answer, collection=collection) for name in rest)]


def _quoted(book: Sourcebook, quote: str, documents: list[str], collection: str | None) -> CuratedSource:
    for name in documents:
        try:
            return book.curated.source(name, quote=quote, collection=collection)
        except UsageError:
            continue
    raise UsageError(f"None of the sources contains the words {quote!r}.", hint="Quote the document exactly.")


def _category(entry: CuratedAnswer) -> str:
    return f"{entry.category} / {entry.subcategory}" if entry.subcategory else entry.category


def _state(entry: CuratedAnswer) -> str:
    if not entry.is_active:
        return "inactive"
    return "current" if entry.stale_since is None else f"stale: {entry.stale_reason}"
