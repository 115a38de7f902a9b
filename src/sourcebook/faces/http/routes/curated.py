"""Curated answers, which come first when their question is asked."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Response
from pydantic import Field

from sourcebook.consult.citations.source_binding import without_marks
from sourcebook.errors import CuratedAnswerNotFound
from sourcebook.faces.http.auth.caller import Book, Caller, Expert, ServerSettings
from sourcebook.faces.http.auth.guarded_routes import guarded_router, one_collection, seen_collections
from sourcebook.faces.http.openapi import examples
from sourcebook.faces.http.responses.cursors import cursor_of, cut, parts_of
from sourcebook.faces.http.responses.seen_shapes import seen_draft, seen_entry
from sourcebook.faces.http.routes.shared_parameters import Body, CollectionName, Cursor, Limit, Number
from sourcebook.model.curation import CuratedAnswer, CuratedSource, SourceType

router = guarded_router("curated answers")

Label = Annotated[str | None, Field(max_length=200)]


class SourceBody(Body):
    """A document that supports an answer."""

    document: str = Field(min_length=1, max_length=1000, description="The document, by id or path.")
    quote: str | None = Field(
        None, max_length=4000, description="The supporting words. Without any, the best ones are chosen."
    )


class NewAnswer(Body):
    """An approved answer."""

    answer: str = Field(min_length=1, max_length=32_000, description="The answer.")
    category: str = Field(min_length=1, max_length=200, description="The answer's category.")
    question: str | None = Field(
        None,
        max_length=10_000,
        description="The question it answers. Without one, it is matched by its own text.",
    )
    subcategory: Label = None
    source_type: SourceType = Field(SourceType.MANUAL, description="How the answer was obtained.")
    sources: list[SourceBody] | None = Field(
        None,
        max_length=20,
        description="What supports it. Left out, it is looked for in the documents; an empty list binds it to nothing.",
    )
    collection: str | None = Field(
        None, max_length=200, description="The collection; without one, the default."
    )


class Edit(Body):
    """Other words for a curated answer. What is left out stays as it is."""

    answer: str | None = Field(None, min_length=1, max_length=32_000, description="The new answer.")
    question: str | None = Field(None, max_length=10_000, description="The new question.")
    category: Label = None
    subcategory: Label = None


@router.get(
    "/curated",
    summary="List curated answers",
    responses=examples.shown({"entries": [examples.CURATED], "next": None}),
)
async def list_entries(
    caller: Expert,
    book: Book,
    settings: ServerSettings,
    collection: CollectionName = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """The curated answers of a collection, or of all that you may see. `stale_since` says which to look at."""
    named = seen_collections(caller)
    if collection is not None:
        named = [one_collection(caller, collection, settings)]
    after = 0 if cursor is None else parts_of(cursor, int)[0]
    found: list[CuratedAnswer] = []
    for name in [None] if named is None else named:
        found += await book.curated.all(name)
    rest = sorted((entry for entry in found if entry.id > after), key=lambda entry: entry.id)
    shown, last = cut(rest, limit)
    return {
        "entries": [seen_entry(entry, caller) for entry in shown],
        "next": None if last is None else cursor_of(last.id),
    }


@router.get(
    "/curated/{number}",
    summary="Show a curated answer",
    responses=examples.shown({"entry": examples.CURATED}),
)
async def show(number: Number, caller: Expert, book: Book) -> dict[str, Any]:
    """A curated answer with its sources, and whether they still say what they said."""
    return {"entry": seen_entry(await _entry(book, caller, number), caller)}


@router.post(
    "/curated",
    status_code=201,
    summary="Add a curated answer",
    responses=examples.shown({"entry": examples.CURATED}, status=201)
    | examples.shown({"entry": examples.CURATED}),
)
async def add(
    body: NewAnswer, response: Response, caller: Expert, book: Book, settings: ServerSettings
) -> dict[str, Any]:
    """Add an approved answer, which comes first whenever its question is asked.

    Each sentence is marked with the source that was found for it. An answer that is there already, word for word, is
    returned with the status 200, and not added again.
    """
    chosen = one_collection(caller, body.collection, settings)
    labels, words = (body.question, body.category, body.subcategory), _words(body.answer)
    for entry in await book.curated.all(chosen):
        is_same = entry.is_active and (entry.question, entry.category, entry.subcategory) == labels
        if is_same and _words(entry.answer) == words:
            response.status_code = 200
            return {"entry": seen_entry(entry, caller)}
    sources: list[CuratedSource] | None = None
    if body.sources is not None:
        sources = [
            await book.curated.source(s.document, quote=s.quote, supports=body.answer, collection=chosen)
            for s in body.sources
        ]
    entry = await book.curated.insert(
        body.answer,
        category=body.category,
        question=body.question,
        subcategory=body.subcategory,
        source_type=body.source_type,
        approved_by=caller.user_id,
        sources=sources,
        collection=chosen,
    )
    return {"entry": seen_entry(entry, caller)}


@router.patch(
    "/curated/{number}",
    status_code=202,
    summary="Propose other words",
    responses=examples.shown({"draft": examples.DRAFT}, status=202),
)
async def edit(number: Number, body: Edit, caller: Expert, book: Book) -> dict[str, Any]:
    """Propose a change. Until the draft is approved, the approved words are given."""
    await _entry(book, caller, number)
    draft = await book.moderation.edit_entry(number, caller.user_id, **body.model_dump())
    return {"draft": seen_draft(draft, caller)}


@router.delete(
    "/curated/{number}", summary="Remove a curated answer", responses=examples.shown({"removed": 3})
)
async def remove(number: Number, caller: Expert, book: Book) -> dict[str, Any]:
    """Remove a curated answer."""
    await _entry(book, caller, number)
    await book.curated.remove(number)
    return {"removed": number}


async def _entry(book: Book, caller: Caller, number: int) -> CuratedAnswer:
    found = await book.stores.curated.kb_get(number)
    if found is None or not caller.sees(found.collection_id):
        raise CuratedAnswerNotFound(f"There is no curated answer {number}")
    return found


def _words(answer: str) -> str:
    return without_marks(answer).strip()
