"""Consultations: a user's questions, the replies to them, and the messages that passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from sourcebook.model.documents import JsonValue

if TYPE_CHECKING:
    from sourcebook.model.chat import Answer


class TopicStatus(StrEnum):
    OPEN = "open"
    CLOSED = "closed"


class Direction(StrEnum):
    """The direction of a message. Incoming ones were written by a person."""

    INCOMING = "incoming"
    OUTGOING = "outgoing"


@dataclass(frozen=True, slots=True)
class Topic:
    """A consultation around one conversation. `channel_key` names the place: a chat and its thread."""

    id: int
    user_id: int
    session_id: str
    channel_key: str
    status: TopicStatus = TopicStatus.OPEN
    culture: str | None = None
    category: str | None = None
    follow_ups_left: int = 0
    created_at: int = 0
    updated_at: int = 0
    closed_at: int | None = None


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """A message between a person and a face.

    The words of a conversation are kept there, once: `text` is read from it when `chat_message_id` is set.
    """

    id: int
    user_id: int
    direction: Direction
    text: str
    session_id: str | None = None
    topic_id: int | None = None
    chat_message_id: str | None = None
    external_id: str | None = None
    meta: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    created_at: int = 0


@dataclass(frozen=True, slots=True)
class Visit:
    """A person's question in one place, with its own key.

    `key` is this question's own, such as the number of an update: given again, it gets the same reply. `collections`
    are those to search; without any, the one of the settings. `similar` is the number of the approved answer that the
    person chose among those that were offered for this question. With `session_id` the question continues that
    conversation, wherever it was begun; it must be the person's own. `earlier` is what was said before in a new
    conversation that is kept elsewhere: who said it (`user` or `assistant`), and the words.
    """

    user_id: int
    channel_key: str
    question: str
    key: str
    category: str | None = None
    subcategory: str | None = None
    attachments: Sequence[Mapping[str, JsonValue]] = ()
    language: str | None = None
    collections: Sequence[str] | None = None
    similar: int | None = None
    session_id: str | None = None
    earlier: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a visit, what it cost, and what is left.

    One that `was_repeated` was given before; `collections` are those that were searched for it then, as in the visit.
    """

    answer: Answer
    topic: Topic
    charged: int
    balance: int
    follow_ups_left: int
    draft_id: int | None = None
    was_repeated: bool = False
    collections: Sequence[str] | None = None
