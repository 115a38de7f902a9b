"""Rows of the queue: as nouns, and inserted inside a transaction of the caller."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sourcebook.consult.curated.curated_lookup import curated_citations
from sourcebook.model.moderation import Draft, DraftKind, DraftStatus, NewDraft, Why
from sourcebook.storage.argument_checks import metadata_text, require_storable
from sourcebook.storage.chat.citations import citations_from, citations_text

if TYPE_CHECKING:
    from sourcebook.model.curation import CuratedAnswer
    from sourcebook.storage.database import Executor, Row

LOCAL_USER = 1


async def insert_draft(
    transaction: Executor,
    draft: NewDraft,
    now: int,
    stale_kb_id: int | None = None,
    same_as: int | None = None,
) -> Draft | None:
    """The draft, None if one about the same curated answer waits already."""
    require_storable("the draft", draft.question, draft.answer, draft.category_guess, draft.subcategory_guess)
    row = await transaction.fetch_one(
        "insert_draft",
        user_id=draft.user_id,
        topic_id=draft.topic_id,
        session_id=draft.session_id,
        chat_message_id=draft.chat_message_id,
        of_collection=draft.collection_id,
        kind=draft.kind.value,
        question=draft.question,
        answer=draft.answer,
        language=draft.language,
        citations=citations_text(draft.citations),
        details=metadata_text(dict(draft.details), "the draft"),
        attachments=json.dumps([dict(each) for each in draft.attachments], ensure_ascii=False),
        category_guess=draft.category_guess,
        subcategory_guess=draft.subcategory_guess,
        group_key=draft.group_key,
        stale_kb_id=stale_kb_id,
        same_as=same_as,
        now=now,
    )
    return None if row is None else draft_from(row)


def stale_draft(entry: CuratedAnswer, why: Why = Why.SOURCE_CHANGED) -> NewDraft:
    """What is put before a person when a curated answer is to be looked at again."""
    return NewDraft(
        user_id=entry.approved_by or LOCAL_USER,
        kind=DraftKind.STALE,
        question=entry.question or entry.answer,
        answer=entry.answer,
        language=entry.language,
        citations=curated_citations(entry, entry.language),
        details={"why": why.value, "reason": entry.stale_reason, "revision": entry.revision},
        category_guess=entry.category,
        subcategory_guess=entry.subcategory,
        collection_id=entry.collection_id,
    )


def draft_from(row: Row) -> Draft:
    return Draft(
        id=row["id"],
        user_id=row["user_id"],
        kind=DraftKind(row["kind"]),
        question=row["question"],
        status=DraftStatus(row["status"]),
        answer=row["answer"],
        language=row["language"],
        citations=tuple(citations_from(row["citations"])),
        details=json.loads(row["details"]),
        attachments=tuple(json.loads(row["attachments"])),
        category_guess=row["category_guess"],
        subcategory_guess=row["subcategory_guess"],
        group_key=row["group_key"],
        collection_id=row["collection_id"],
        topic_id=row["topic_id"],
        session_id=row["session_id"],
        chat_message_id=row["chat_message_id"],
        reason=row["reason"],
        admin_id=row["admin_id"],
        kb_id=row["kb_id"],
        stale_kb_id=row["stale_kb_id"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        decided_at=row["decided_at"],
        same_as=row["same_as"],
        # An approved answer came back by itself: nobody asked.
        asked=0 if row["kind"] == DraftKind.STALE else row["asked"],
        people=0 if row["kind"] == DraftKind.STALE else row["people"],
    )
