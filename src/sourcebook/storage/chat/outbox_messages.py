"""Messages to people, written in the transaction that makes them necessary, and sent by whoever can reach them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import uuid4

from sourcebook.model.chat import Role
from sourcebook.storage.argument_checks import metadata_text
from sourcebook.storage.chat.citations import citations_text
from sourcebook.storage.chat.sessions import position_in

if TYPE_CHECKING:
    from sourcebook.model.chat import Citation, Tier
    from sourcebook.model.documents import Metadata
    from sourcebook.model.moderation import Draft
    from sourcebook.storage.database import Executor

MESSAGE = "message"
"""The kind of the jobs that are messages."""
EXPERT_ANSWER = "expert_answer"
QUESTION_REJECTED = "question_rejected"
ANSWER_FOUND = "answer_found"
_ATTEMPTS = 20


async def tell_who_asked(transaction: Executor, draft: Draft, kb_id: int | None, now: int) -> None:
    """Let the answer to a question reach the place where it was asked."""
    await _send(transaction, EXPERT_ANSWER, draft, {"kb_id": kb_id}, now)


async def tell_found(transaction: Executor, draft: Draft, now: int) -> None:
    """Let who asked know that the documents answer the question by now."""
    await _send(transaction, ANSWER_FOUND, draft, {}, now)


async def tell_rejected(transaction: Executor, draft: Draft, reason: str, now: int) -> None:
    """Let who asked know that nobody will answer, and why."""
    await _send(transaction, QUESTION_REJECTED, draft, {"reason": reason}, now)


async def _send(transaction: Executor, kind: str, draft: Draft, more: Metadata, now: int) -> None:
    topic = None
    if draft.topic_id is not None:
        topic = await transaction.fetch_one("channel_of_topic", topic_id=draft.topic_id)
    payload: Metadata = {
        "kind": kind,
        "user_id": draft.user_id,
        "channel_key": topic["channel_key"] if topic else None,
        "draft_id": draft.id,
        "topic_id": draft.topic_id,
        "session_id": draft.session_id,
        **more,
    }
    await transaction.execute(
        "insert_job",
        kind=MESSAGE,
        payload=metadata_text(payload, "the message"),
        unique_key=f"{kind}:{draft.id}",
        run_at=now,
        max_attempts=_ATTEMPTS,
        now=now,
    )


async def put_into_session(
    transaction: Executor,
    draft: Draft,
    text: str,
    citations: Sequence[Citation],
    now: int,
    tier: Tier | None = None,
) -> None:
    """Let the answer stand in the conversation in which the question was asked, if there still is one.

    An expert's reply has no tier; what the documents answer by now has theirs.
    """
    if draft.session_id is None:
        return
    position = await position_in(transaction, draft.session_id, draft.question, now)
    if position is None:
        return
    await transaction.execute(
        "insert_chat_message",
        message_id=uuid4().hex,
        session_id=draft.session_id,
        position=position,
        role=Role.ASSISTANT.value,
        content=text,
        citations=citations_text(citations),
        tier=None if tier is None else tier.value,
        details=metadata_text({"draft_id": draft.id}, "the message"),
        now=now,
    )
