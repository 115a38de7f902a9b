from typing import TYPE_CHECKING, Annotated

import typer

from sourcebook import Sourcebook
from sourcebook.errors import CuratedAnswerNotFound, UsageError
from sourcebook.faces import draft_json_shapes, json_shapes
from sourcebook.faces.cli.invocation import CollectionName, Invocation
from sourcebook.faces.cli.terminal.curated_text import (
    bound_lines,
    category_of,
    entry_lines,
    state_of,
    wording_line,
)
from sourcebook.faces.cli.terminal.output import say, say_json, say_rows, tell
from sourcebook.faces.cli.terminal.text_layout import Cut
from sourcebook.model.curation import (
    CuratedAnswer,
    CuratedSource,
    SourceChange,
    SourceType,
    Wording,
    WordingStatus,
)

if TYPE_CHECKING:
    from sourcebook.model.moderation import Draft

LOCAL_USER = 1
WordingNumber = Annotated[
    int, typer.Argument(metavar="WORDING", help="The wording's number in `kb wordings`.")
]


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
        ("id", "category", "question", "wordings", "answer", "sources", "state"),
        [
            (e.id, category_of(e), e.question, len(e.wordings) or "", e.answer, len(e.sources), state_of(e))
            for e in entries
        ],
        cuts={"question": Cut.END, "answer": Cut.END},
        spare=("wordings", "sources", "category"),
    )


def show(
    call: Invocation,
    entry_id: Annotated[int, typer.Argument(metavar="ID", help="The answer's number in `kb list`.")],
) -> None:
    """Show a curated answer: its sources, its other wordings, and what has changed."""
    with call.open() as book:
        entry: CuratedAnswer = book.curated.get(entry_id)
        changes: list[SourceChange] = book.curated.changes(entry_id)
    if call.as_json:
        shown = [json_shapes.source_change(change) for change in changes]
        say_json({"entry": json_shapes.curated_answer(entry) | {"changes": shown}})
    else:
        say("\n".join(entry_lines(entry, changes)))


def wordings(
    call: Invocation,
    *,
    everything: Annotated[
        bool, typer.Option("--all", help="Also list those that are already accepted or rejected.")
    ] = False,
) -> None:
    """List other wordings of curated questions that askers confirmed and no expert has decided on."""
    with call.open() as book:
        entries: list[CuratedAnswer] = book.curated.all()
    found = [(entry, each) for entry in entries for each in entry.wordings if everything or _is_open(each)]
    if call.as_json:
        say_json({"wordings": [json_shapes.wording(each) for _, each in found]})
        return
    say_rows(
        ("id", "wording", "asks the same as", "answer", "people", "status"),
        [(w.id, w.question, e.question or e.answer, e.id, w.people, w.status.value) for e, w in found],
        cuts={"wording": Cut.END, "asks the same as": Cut.END},
        spare=("people", "answer", "status"),
    )


def also(
    call: Invocation,
    entry_id: Annotated[int, typer.Argument(metavar="ID", help="The answer's number in `kb list`.")],
    words: Annotated[list[str], typer.Argument(metavar="QUESTION", help="Another wording of its question.")],
) -> None:
    """Add another wording of a curated answer's question. It is matched like the first."""
    with call.open() as book:
        added: Wording | None = book.curated.add_wording(entry_id, " ".join(words))
    _say_wording(call, added)


def accept(call: Invocation, wording_id: WordingNumber) -> None:
    """Accept a wording that askers confirmed: whoever asks in these words gets the answer."""
    with call.open() as book:
        decided: Wording = book.curated.accept_wording(wording_id)
    _say_wording(call, decided)


def reject(call: Invocation, wording_id: WordingNumber) -> None:
    """Reject a wording that asks something else. It is not matched, however many confirm it."""
    with call.open() as book:
        decided: Wording = book.curated.reject_wording(wording_id)
    _say_wording(call, decided)


def _say_wording(call: Invocation, wording: Wording | None) -> None:
    call.confirm(
        {"wording": None if wording is None else json_shapes.wording(wording)},
        "That is its question already." if wording is None else wording_line(wording),
    )


def _is_open(wording: Wording) -> bool:
    return wording.status in (WordingStatus.PROPOSED, WordingStatus.CONFIRMED)


Quotes = Annotated[
    list[str] | None,
    typer.Option(
        "--quote",
        metavar="TEXT",
        help="The supporting words in a source. Without it, the best ones are chosen.",
    ),
]


def add(
    call: Invocation,
    words: Annotated[list[str], typer.Argument(metavar="ANSWER", help="The answer.")],
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
    also: Annotated[
        list[str] | None,
        typer.Option("--also", metavar="Q", help="Another wording of the question. Repeat for several."),
    ] = None,
    subcategory: Annotated[
        str | None, typer.Option("--subcategory", metavar="Y", help="The answer's subcategory.")
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option("--source", metavar="ID|PATH", help="A document that supports it. Repeat for several."),
    ] = None,
    quote: Quotes = None,
    source_type: Annotated[
        SourceType, typer.Option("--source-type", help="How the answer was obtained.")
    ] = SourceType.MANUAL,
    collection: CollectionName = None,
) -> None:
    """Add a curated answer, which comes first whenever its question is asked.

    When one of its sources changes, it is marked stale. Unless `--source` names them, they are looked for in the
    documents.
    """
    answer = " ".join(words)
    with call.open_or_make() as book:
        sources = _sources(book, answer, source or [], quote or [], collection)
        entry = book.curated.insert(
            answer,
            category=category,
            question=question,
            subcategory=subcategory,
            source_type=source_type,
            sources=sources or None,
            also=also or (),
            collection=collection,
        )
    if call.as_json:
        say_json({"entry": json_shapes.curated_answer(entry)})
        return
    tell(f"Added the curated answer {entry.id}.")
    for line in bound_lines(entry):
        tell(line)
    if not entry.sources:
        tell(
            f"If a document says it in other words, remove it (`sourcebook kb remove {entry.id}`), and add it again "
            "with `--source PATH`."
        )


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
    call.confirm(
        {"draft": draft_json_shapes.draft(draft)},
        f"The change is waiting as draft {draft.id}. Approve it with `sourcebook moderate approve {draft.id}`.",
    )


def remove(
    call: Invocation,
    entry_id: Annotated[int, typer.Argument(metavar="ID", help="The answer's number in `kb list`.")],
) -> None:
    """Remove a curated answer."""
    with call.open() as book:
        if not book.curated.remove(entry_id):
            raise CuratedAnswerNotFound(f"There is no curated answer {entry_id}.")
    call.confirm({"removed": entry_id}, f"Removed the curated answer {entry_id}.")


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
