"""What a decision does to drafts and to the people who wait: inside a transaction of the caller.

The same open question is one draft with repeats: each asker has a row, so that each can take the question back and is
told, but only the first of them is put before an expert. What is decided about one is decided about all.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.consult.curated.curated_lookup import curated_citations
from sourcebook.consult.question.same_question import ask_the_same
from sourcebook.curate.draft_rules import already_decided, require_decider
from sourcebook.curate.question_groups import same_words
from sourcebook.errors import DraftNotFound
from sourcebook.model.chat import Tier
from sourcebook.model.moderation import Draft, DraftKind, DraftStatus, NewDraft
from sourcebook.storage.chat.citations import citations_text
from sourcebook.storage.chat.outbox_messages import (
    put_into_session,
    tell_found,
    tell_rejected,
    tell_who_asked,
)
from sourcebook.storage.curation.curated_rows import person_name, read_entries
from sourcebook.storage.curation.draft_rows import draft_from

if TYPE_CHECKING:
    from sourcebook.errors import AlreadyDecided
    from sourcebook.model.chat import Citation
    from sourcebook.model.curation import CuratedAnswer
    from sourcebook.storage.database import Executor, Row

SAME_QUESTION = "the same question was decided in draft {}"
ANSWERED_BY_ENTRY = "the curated answer {} answers it"
TOOK_ENTRY = "the person who asked took the curated answer {}"
_LOOKED_AT = 500


def _same_question(one: str, other: str, *languages: str | None) -> bool:
    return same_words(one, other) or ask_the_same(one, other, languages)


async def original_of(transaction: Executor, draft: NewDraft) -> int | None:
    """The waiting draft that this one repeats. An answer repeats another only if it says the same."""
    # What somebody sent along may be the question itself.
    if draft.group_key is None or draft.kind is DraftKind.STALE or draft.attachments:
        return None
    waiting = await transaction.fetch(
        "possible_originals",
        group_key=draft.group_key,
        kind=draft.kind.value,
        answer=draft.answer,
        of_collection=draft.collection_id,
    )
    return next((int(row["id"]) for row in waiting if _asks_the_same(draft, row)), None)


def _asks_the_same(draft: NewDraft, known: Row) -> bool:
    """Whether a draft surely asks what a row of `possible_originals` asks.

    Compared is what was asked, and what was searched for it: "and in autumn?" asks what the conversation is about.
    """
    languages = draft.language, known["language"]
    if not _same_question(draft.question, known["question"], *languages):
        return False
    searched = draft.details.get("searched"), json.loads(known["details"]).get("searched")
    return not all(isinstance(text, str) for text in searched) or _same_question(
        str(searched[0]), str(searched[1]), *languages
    )


async def family_of(transaction: Executor, draft: Draft) -> list[Draft]:
    """The other rows of the same open question that wait."""
    rows = await transaction.fetch("pending_repeats", draft_id=draft.same_as or draft.id)
    return [other for row in rows if (other := draft_from(row)).id != draft.id]


async def let_next_wait(transaction: Executor, draft: Draft) -> None:
    """The first of a question's drafts goes, and others still wait: the next one takes its place."""
    others = await family_of(transaction, draft)
    if draft.same_as is None and others:
        await transaction.execute("set_original", original=others[0].id, draft_id=draft.id)
        await transaction.execute("become_original", draft_id=others[0].id)


async def require_draft(executor: Executor, draft_id: int) -> Draft:
    row = await executor.fetch_one("draft_by_id", draft_id=draft_id)
    if row is None:
        raise DraftNotFound(f"There is no draft {draft_id}")
    return draft_from(row)


async def require_waiting(executor: Executor, draft_id: int) -> None:
    draft = await require_draft(executor, draft_id)
    if draft.status is not DraftStatus.PENDING:
        raise await _decision(executor, draft)


async def _decision(executor: Executor, draft: Draft) -> AlreadyDecided:
    return already_decided(draft, await _name(executor, draft.admin_id))


async def require_decider_row(executor: Executor, user_id: int) -> None:
    who = await executor.fetch_one("decider", user_id=user_id)
    role, is_blocked = (who["role"], bool(who["is_blocked"])) if who else (None, True)
    require_decider(user_id, role, is_blocked=is_blocked)


async def change_status(
    transaction: Executor,
    draft: Draft,
    status: DraftStatus,
    admin_id: int | None,
    reason: str | None,
    answer: str | None,
    now: int,
) -> None:
    """Decide on a draft that waits; whoever comes second learns who was first."""
    changed = await transaction.execute(
        "decide_draft",
        draft_id=draft.id,
        status=status.value,
        admin_id=admin_id,
        reason=reason or None,
        answer=answer,
        now=now,
    )
    if not changed:
        raise await _decision(transaction, await require_draft(transaction, draft.id))


async def settle_repeats(
    transaction: Executor,
    draft: Draft,
    others: Sequence[Draft],
    admin_id: int,
    answer: str,
    entry_id: int | None,
    now: int,
) -> None:
    """Let everybody who asked the same have the answer: each once, however often they asked."""
    told = {_whom(draft)}
    for other in others:
        is_asked = other.kind is DraftKind.DECLINED
        reason = SAME_QUESTION.format(draft.id)
        await change_status(
            transaction, other, DraftStatus.APPROVED, admin_id, reason, answer if is_asked else None, now
        )
        if entry_id is not None:
            await transaction.execute("link_draft", draft_id=other.id, kb_id=entry_id)
        if is_asked and _whom(other) not in told:
            told.add(_whom(other))
            await tell(transaction, other, answer, entry_id, now)


async def reject_repeats(
    transaction: Executor, draft: Draft, others: Sequence[Draft], admin_id: int, reason: str, now: int
) -> None:
    told = {_whom(draft)}
    for other in others:
        await change_status(transaction, other, DraftStatus.REJECTED, admin_id, reason, None, now)
        if other.kind is DraftKind.DECLINED and _whom(other) not in told:
            told.add(_whom(other))
            await tell_rejected(transaction, other, reason, now)


async def close_answered_by(
    transaction: Executor, entry: CuratedAnswer, asked: str | None, admin_id: int | None, now: int
) -> None:
    """Questions that wait for what this approved answer says need nobody any more: they close, and askers are told."""
    if asked is None or not entry.is_active or entry.stale_since is not None:
        return
    rows = await transaction.fetch(
        "pending_drafts",
        kind=DraftKind.DECLINED.value,
        after=0,
        of_collection=entry.collection_id,
        limit=_LOOKED_AT,
    )
    for draft in map(draft_from, rows):
        if draft.attachments or not _same_question(draft.question, asked, draft.language, entry.language):
            continue
        reason = ANSWERED_BY_ENTRY.format(entry.id)
        others = await family_of(transaction, draft)
        status = DraftStatus.CANCELLED if admin_id is None else DraftStatus.APPROVED
        told: set[tuple[object, ...]] = set()
        for one in (draft, *others):
            await change_status(transaction, one, status, admin_id, reason, entry.answer, now)
            await transaction.execute("link_draft", draft_id=one.id, kb_id=entry.id)
            if _whom(one) not in told:
                told.add(_whom(one))
                await tell(transaction, one, entry.answer, entry.id, now)


async def close_found(
    transaction: Executor,
    draft: Draft,
    answer: str,
    citations: Sequence[Citation],
    reason: str,
    now: int,
) -> None:
    """The documents answer a question that waited: it and its repeats close with a note, and askers are told."""
    told: set[tuple[object, ...]] = set()
    for one in (draft, *await family_of(transaction, draft)):
        await change_status(transaction, one, DraftStatus.CANCELLED, None, reason, answer, now)
        await transaction.execute("set_draft_citations", draft_id=one.id, citations=citations_text(citations))
        if _whom(one) not in told:
            told.add(_whom(one))
            await put_into_session(transaction, one, answer, citations, now, Tier.DOCUMENTS)
            await tell_found(transaction, one, now)


async def close_own(transaction: Executor, user_id: int, question: str, entry_id: int, now: int) -> None:
    """A person took an approved answer: what they asked in these words needs nobody any more."""
    for row in await transaction.fetch("drafts_of_user", user_id=user_id, status=DraftStatus.PENDING.value):
        draft = draft_from(row)
        if draft.kind is DraftKind.DECLINED and same_words(draft.question, question):
            reason = TOOK_ENTRY.format(entry_id)
            await let_next_wait(transaction, draft)
            await change_status(transaction, draft, DraftStatus.CANCELLED, None, reason, None, now)
            await transaction.execute("link_draft", draft_id=draft.id, kb_id=entry_id)


async def tell(transaction: Executor, draft: Draft, answer: str, kb_id: int | None, now: int) -> None:
    """Let an answer reach who asked, with its sources if it was kept."""
    kept = [] if kb_id is None else await read_entries(transaction, [kb_id])
    citations = [citation for entry in kept for citation in curated_citations(entry, draft.language)]
    await put_into_session(transaction, draft, answer, citations, now)
    await tell_who_asked(transaction, draft, kb_id, now)


def _whom(draft: Draft) -> tuple[object, ...]:
    """The person and the place that are told; nobody is told the same twice there."""
    return draft.user_id, draft.topic_id, draft.session_id


async def _name(executor: Executor, user_id: int | None) -> str:
    row: Row | None = None if user_id is None else await executor.fetch_one("decider", user_id=user_id)
    return "somebody" if row is None or user_id is None else person_name(row, user_id)
