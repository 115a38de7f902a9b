"""The inbox: answers to approve, questions for the expert, and curated answers to look at again."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field, StrictInt

from sourcebook.errors import DraftNotFound
from sourcebook.faces.http.auth.caller import (
    Book,
    Caller,
    Expert,
    Reader,
    ServerSettings,
    require_seen,
)
from sourcebook.faces.http.auth.guarded_routes import (
    guarded_router,
    one_collection,
    seen_collections,
)
from sourcebook.faces.http.openapi import examples
from sourcebook.faces.http.responses.cursors import cursor_of, cut, parts_of
from sourcebook.faces.http.responses.seen_shapes import (
    require_readable,
    seen_draft,
    seen_draft_with_details,
    seen_entry,
)
from sourcebook.faces.http.routes.shared_parameters import (
    Body,
    CollectionName,
    Cursor,
    Limit,
    Number,
)
from sourcebook.model.moderation import Draft, DraftKind, DraftStatus, Keep
from sourcebook.settings import Settings

router = guarded_router("moderation")

Text = Annotated[str | None, Field(max_length=32_000)]
Label = Annotated[str | None, Field(max_length=200)]


Sources = Annotated[
    tuple[StrictInt | Annotated[str, Field(max_length=1000, strict=True)], ...],
    Field(
        max_length=20,
        description="What the answer comes from, if it says it in other words: the `number` of a passage in "
        "`nearest` or `citations`, or the id or path of a document. When it changes, the answer comes back.",
    ),
]


class Approval(Body):
    """The words to approve. What is left out stays as the draft has it."""

    answer: Text = None
    question: Text = None
    category: Label = None
    subcategory: Label = None
    sources: Sources = ()


class Rejection(Body):
    """Why a draft is turned down."""

    reason: str = Field("", max_length=4000, description="The reason. Who asked a declined question is told.")


class ReplyBody(Body):
    """An expert's answer."""

    answer: str = Field(min_length=1, max_length=32_000, description="The answer, for the person who asked.")
    keep: Keep = Field(Keep.CURATED, description="Also keep it as a curated answer, or only reply.")
    category: Label = None
    subcategory: Label = None
    sources: Sources = ()


class Kept(Body):
    """Where to keep a reply that was given, and what it comes from."""

    category: Label = None
    subcategory: Label = None
    sources: Sources = ()


@router.get(
    "/drafts",
    summary="List drafts that wait",
    responses=examples.shown({"drafts": [examples.DRAFT], "next": None}),
)
async def list_drafts(
    caller: Expert,
    book: Book,
    settings: ServerSettings,
    kind: Annotated[DraftKind | None, Query(description="Only drafts of this kind.")] = None,
    collection: CollectionName = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """The drafts that wait for a decision, oldest first."""
    named = seen_collections(caller)
    if collection is not None:
        named = [one_collection(caller, collection, settings)]
    after = 0 if cursor is None else max(0, parts_of(cursor, int)[0])
    found: list[Draft] = []
    for name in [None] if named is None else named:
        found += await book.moderation.get_pending_moderation_items(
            limit + 1, kind=kind, after=after, collection_id=name
        )
    shown, last = cut(sorted(found, key=lambda draft: draft.id), limit)
    return {
        "drafts": [seen_draft(draft, caller) for draft in shown],
        "next": None if last is None else cursor_of(last.id),
    }


@router.get(
    "/drafts/mine",
    summary="List your own questions",
    responses=examples.shown({"drafts": [examples.DRAFT]}),
)
async def list_own(
    caller: Reader,
    book: Book,
    settings: ServerSettings,
    status: Annotated[DraftStatus | None, Query(description="Only those of this status.")] = None,
) -> dict[str, Any]:
    """What you asked that went to the experts, the latest first, with their replies."""
    own = await book.moderation.items_of(caller.user_id, status=status)
    return {"drafts": [seen_draft(d, caller) for d in own if _sees(caller, d, settings)]}


@router.get(
    "/drafts/{number}",
    summary="Show a draft",
    responses=examples.shown({"draft": examples.DRAFT_DETAILS}),
)
async def show(number: Number, caller: Expert, book: Book, settings: ServerSettings) -> dict[str, Any]:
    """A draft with how it came about, drafts that ask much the same, and its curated answer.

    Of an answer whose sources have changed, `changes` lists what they said and say now.
    """
    draft = await _draft(book, caller, settings, number)
    similar = [d for d in await book.moderation.similar(number) if _sees(caller, d, settings)]
    entry_id = draft.kb_id or draft.stale_kb_id
    entry = None if entry_id is None else await book.stores.curated.kb_get(entry_id)
    # What a source says is for who may see its collection.
    quoted = draft.citations if entry is None else entry.sources
    sees_sources = all(caller.sees(source.collection_id) for source in quoted)
    changes = await book.moderation.changes(number) if sees_sources else []
    renewed = await book.moderation.in_new_words(number) if sees_sources else None
    return {"draft": seen_draft_with_details(draft, caller, similar, entry, changes, renewed)}


@router.post(
    "/drafts/{number}/approve",
    summary="Approve a draft",
    responses=examples.shown({"entry": examples.CURATED}),
)
async def approve(
    number: Number, body: Approval, caller: Expert, book: Book, settings: ServerSettings
) -> dict[str, Any]:
    """Make a curated answer of a draft, as it is or in other words. A draft is decided once; then it is a conflict."""
    draft = await _draft(book, caller, settings, number)
    require_seen(draft, body.sources, caller)
    if body.answer is None:
        require_readable(draft, caller)
    entry = await book.moderation.approve_moderation_item(number, caller.user_id, **body.model_dump())
    return {"entry": seen_entry(entry, caller)}


@router.post(
    "/drafts/{number}/reject",
    summary="Reject a draft",
    responses=examples.shown({"draft": examples.DRAFT}),
)
async def reject(
    number: Number, body: Rejection, caller: Expert, book: Book, settings: ServerSettings
) -> dict[str, Any]:
    """Turn a draft down. A curated answer that went stale is not given any more.

    `asked_again` tells what a rejected answer means for the same question: it is `declined` until most of the
    quoted text changes or, if that has happened since, may be answered `from_new_text`.
    """
    await _draft(book, caller, settings, number)
    draft = await book.moderation.reject_moderation_item(number, caller.user_id, body.reason)
    again = await book.moderation.asked_again(number)
    return {
        "draft": seen_draft(draft, caller),
        "asked_again": None if again is None else again.value,
    }


@router.post(
    "/drafts/{number}/answer",
    summary="Answer a question",
    responses=examples.shown({"draft": examples.DRAFT, "entry": examples.CURATED}),
)
async def answer(
    number: Number, body: ReplyBody, caller: Expert, book: Book, settings: ServerSettings
) -> dict[str, Any]:
    """Answer a question that the base could not answer. The person who asked receives it."""
    require_seen(await _draft(book, caller, settings, number), body.sources, caller)
    draft = await book.moderation.answer_item(
        number,
        caller.user_id,
        body.answer,
        keep=body.keep,
        category=body.category,
        subcategory=body.subcategory,
        sources=body.sources,
    )
    entry = None if draft.kb_id is None else await book.stores.curated.kb_get(draft.kb_id)
    return {
        "draft": seen_draft(draft, caller),
        "entry": None if entry is None else seen_entry(entry, caller),
    }


@router.post(
    "/drafts/{number}/keep",
    summary="Keep a reply",
    responses=examples.shown({"entry": examples.CURATED}),
)
async def keep(
    number: Number, body: Kept, caller: Expert, book: Book, settings: ServerSettings
) -> dict[str, Any]:
    """Make a curated answer of a reply that was given before. Done again, it is the same one.

    With `sources`, the curated answer that any draft became is bound to them too.
    """
    require_seen(await _draft(book, caller, settings, number), body.sources, caller)
    entry = await book.moderation.keep_answer(number, caller.user_id, **body.model_dump())
    return {"entry": seen_entry(entry, caller)}


@router.post(
    "/drafts/{number}/cancel",
    summary="Take back your own question",
    responses=examples.shown({"draft": examples.DRAFT}),
)
async def cancel(number: Number, caller: Reader, book: Book, settings: ServerSettings) -> dict[str, Any]:
    """Take back a question of yours that waits for an expert. Anybody else's is not found."""
    draft = await _draft(book, caller, settings, number)
    if draft.user_id != caller.user_id:
        raise DraftNotFound(f"There is no draft {number}")
    return {"draft": seen_draft(await book.moderation.cancel_item(number, caller.user_id), caller)}


async def _draft(book: Book, caller: Caller, settings: Settings, number: int) -> Draft:
    draft = await book.moderation.get_item(number)
    if not _sees(caller, draft, settings):
        raise DraftNotFound(f"There is no draft {number}")
    return draft


def _sees(caller: Caller, draft: Draft, settings: Settings) -> bool:
    return caller.sees(draft.collection_id or settings.collection)
