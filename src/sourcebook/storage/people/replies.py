"""Questions and replies as they were logged, read again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from sourcebook.model.chat import Answer, Sentence, SupportGrade, Tier
from sourcebook.model.consultations import Reply, Visit
from sourcebook.model.curation import SimilarQuestion
from sourcebook.storage.chat.sessions import message_from as chat_message_from
from sourcebook.storage.people.token_ledger import topic_now

if TYPE_CHECKING:
    from sourcebook.model.chat import ChatMessage
    from sourcebook.model.consultations import LoggedMessage, Topic
    from sourcebook.model.documents import JsonValue
    from sourcebook.storage.database import Executor


async def reply_of(transaction: Executor, asked: LoggedMessage, answered: LoggedMessage) -> Reply:
    """The reply that was given to a question, as it was."""
    row = await transaction.fetch_one("chat_message_by_id", message_id=answered.chat_message_id)
    assert row is not None, "an answer goes with its conversation"  # noqa: S101
    assert answered.topic_id is not None, "an answer is given in a topic"  # noqa: S101
    meta = answered.meta
    draft_id = meta.get("draft_id")
    return Reply(
        answer=_answer_of(asked, chat_message_from(row), meta),
        topic=await topic_now(transaction, answered.topic_id),
        charged=number_in(meta, "charged"),
        balance=number_in(meta, "balance"),
        follow_ups_left=number_in(meta, "follow_ups_left"),
        draft_id=draft_id if isinstance(draft_id, int) else None,
        was_repeated=True,
        collections=_collections_of(asked),
    )


def _answer_of(asked: LoggedMessage, message: ChatMessage, meta: Mapping[str, JsonValue]) -> Answer:
    language, curated_id = message.details.get("language"), meta.get("curated_id")
    sentences = cast("Sequence[Any]", meta.get("sentences") or [])
    return Answer(
        question=asked.text,
        answer=message.content,
        tier=message.tier or Tier.NONE,
        session_id=message.session_id,
        citations=message.citations,
        sentences=tuple(_sentence(*stored) for stored in sentences),
        language=language if isinstance(language, str) else None,
        message_id=message.id,
        curated_id=curated_id if isinstance(curated_id, int) else None,
        details=message.details,
        similar=tuple(SimilarQuestion(**one) for one in _offered(message.details)),
    )


def _offered(details: Mapping[str, JsonValue]) -> Sequence[Mapping[str, Any]]:
    return cast("Sequence[Mapping[str, Any]]", details.get("similar") or ())


def _sentence(
    start: int,
    end: int,
    numbers: Sequence[int],
    verified: bool,
    doubts: Sequence[str],
    support: str | None = None,
) -> Sentence:
    """A sentence as it was stored; older programs stored no grade."""
    grade = SupportGrade(support) if support else SupportGrade.CLOSE if verified else SupportGrade.DOUBTFUL
    return Sentence(start, end, tuple(numbers), verified, tuple(doubts), grade)


def told_of(visit: Visit) -> dict[str, JsonValue]:
    """What must be known of a question beside its words."""
    return {
        "category": visit.category,
        "subcategory": visit.subcategory,
        "language": visit.language,
        "attachments": [dict(attachment) for attachment in visit.attachments],
        "collections": None if visit.collections is None else list(visit.collections),
        **({} if visit.similar is None else {"similar": visit.similar}),
    }


def visit_of(asked: LoggedMessage, topic: Topic) -> Visit:
    meta = cast("Mapping[str, Any]", asked.meta)
    return Visit(
        user_id=asked.user_id,
        channel_key=topic.channel_key,
        question=asked.text,
        key=asked.external_id or "",
        category=meta.get("category"),
        subcategory=meta.get("subcategory"),
        attachments=meta.get("attachments") or (),
        language=meta.get("language"),
        collections=_collections_of(asked),
        similar=meta.get("similar"),
    )


def _collections_of(asked: LoggedMessage) -> tuple[str, ...] | None:
    stored = cast("Sequence[str] | None", asked.meta.get("collections"))
    return None if stored is None else tuple(stored)


def number_in(meta: Mapping[str, JsonValue], name: str) -> int:
    value = meta.get(name)
    return value if isinstance(value, int) else 0
