"""Answers, the citations that they stand on, and the conversations that hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.search import SearchResult


MANUAL_COLLECTION = "sourcebook:manual"
"""What citations of the manual that comes with Sourcebook name as their collection. No base holds it."""


class Tier(StrEnum):
    """What an answer stands on: a reviewed answer, the documents, the model alone, or nothing."""

    CURATED = "curated"
    DOCUMENTS = "documents"
    MODEL = "model"
    NONE = "none"


class Role(StrEnum):
    USER = "USER"
    ASSISTANT = "ASSISTANT"


class SourceState(StrEnum):
    """Whether a source still is what it was when it was cited."""

    CURRENT = "current"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Citation:
    """A place in a document and the words that stand there.

    `start` and `end` are code points of the document's text. It is verified when the quote stands in the stored text
    there and supports the sentence that cites it; else `doubts` say what is missing. `text` is a Markdown link in the
    reader's language. `state` is filled in when a stored citation is read again.
    """

    number: int
    text: str
    collection_id: str
    document_id: str
    document_path: str
    document_title: str | None
    chunk_id: str
    page: int | None
    start: int
    end: int
    quote: str
    verified: bool
    file_hash: str | None = None
    doubts: Sequence[str] = ()
    state: SourceState = SourceState.CURRENT


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer, as a span of it, and whether its citations support it."""

    start: int
    end: int
    numbers: Sequence[int]
    verified: bool
    doubts: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered, and why it can be trusted: tier, citations, and in `details` how it came about.

    `nearest` is what came closest to a question that was declined.
    """

    question: str
    answer: str
    tier: Tier
    session_id: str | None = None
    citations: Sequence[Citation] = ()
    sentences: Sequence[Sentence] = ()
    language: str | None = None
    message_id: str | None = None
    curated_id: int | None = None
    details: Mapping[str, JsonValue] = field(default_factory=dict[str, "JsonValue"])
    nearest: Sequence[SearchResult] = ()


@dataclass(frozen=True, slots=True)
class ChatSession:
    """A conversation. `scope` is what it is limited to: collections, category, subcategory, type."""

    id: str
    title: str | None
    user_id: int
    face: str
    scope: Mapping[str, JsonValue] = field(default_factory=dict[str, "JsonValue"])
    created_at: int = 0
    updated_at: int = 0
    message_count: int = 0


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a conversation, in the order of `position`."""

    id: str
    session_id: str
    position: int
    role: Role
    content: str
    citations: Sequence[Citation] = ()
    tier: Tier | None = None
    details: Mapping[str, JsonValue] = field(default_factory=dict[str, "JsonValue"])
    created_at: int = 0


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session with its messages. Their citations say whether their sources still stand."""

    session: ChatSession
    messages: Sequence[ChatMessage] = ()


# What happens while a question is answered, in the order in which it happens.


@dataclass(frozen=True, slots=True)
class Searching:
    """The question as it is searched for: a follow-up is completed from the conversation."""

    question: str


@dataclass(frozen=True, slots=True)
class PassagesFound:
    passages: Sequence[SearchResult]


@dataclass(frozen=True, slots=True)
class TokenWritten:
    """The next piece of the answer's text."""

    text: str


@dataclass(frozen=True, slots=True)
class CitationChecked:
    citation: Citation


@dataclass(frozen=True, slots=True)
class Done:
    answer: Answer


@dataclass(frozen=True, slots=True)
class Declined:
    """Nothing in the base answers the question. The answer says so, in the language of the question."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Failed:
    """The answer broke off. What was written so far is not kept."""

    code: str
    message: str
    hint: str
    error: Exception


AnswerEvent: TypeAlias = Searching | PassagesFound | TokenWritten | CitationChecked | Done | Declined | Failed
