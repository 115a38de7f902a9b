"""Answers, their citations, and conversations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from sourcebook.model.curation import SimilarQuestion
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.search import SearchResult


MANUAL_COLLECTION = "sourcebook:manual"
"""What citations of the manual that comes with Sourcebook name as their collection. No base holds it."""


class Tier(StrEnum):
    """Where an answer came from: a curated answer, the documents, the model alone, or nowhere (declined)."""

    CURATED = "curated"
    DOCUMENTS = "documents"
    MODEL = "model"
    NONE = "none"


class Role(StrEnum):
    USER = "USER"
    ASSISTANT = "ASSISTANT"


class SourceState(StrEnum):
    """Whether a source is unchanged since it was cited."""

    CURRENT = "current"
    CHANGED = "changed"
    REMOVED = "removed"


class SupportGrade(StrEnum):
    """How well a quote supports the sentence that cites it: in its own words, in others, or not for sure."""

    EXACT = "exact"
    CLOSE = "close"
    DOUBTFUL = "doubtful"


BETWEEN_HEADINGS = " > "
"""What stands between the headings of a section's name. People are shown another sign."""
_CELLS = re.compile(r"[A-Z]{1,3}\d+:[A-Z]{1,3}\d+")


@dataclass(frozen=True, slots=True)
class Citation:
    """A place in a document and the words found there.

    `start` and `end` are code points of the document's text. It is verified when the quote stands in the stored text
    there and says what the sentence that cites it says, with no word replaced; else `doubts` say what is missing or
    other. `text` is a Markdown link in the reader's language. `state` is filled in when a stored citation is read
    again. `section` names the headings that the place stands under, as `Chapter > Section`; `highlight` are the words
    of the quote that carry the answer, as spans of it, where that is known.
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
    support: SupportGrade = SupportGrade.EXACT
    section: str | None = None
    highlight: Sequence[tuple[int, int]] = ()
    also_in: Sequence[str] = ()
    """Paths of other documents that say the same: copies and translations of what is quoted."""

    @property
    def section_name(self) -> str | None:
        """The innermost heading that the place stands under; None if that is only the title of the document.

        Cells are named with their sheet: `Rates > A12:F12`.
        """
        above, _, name = (self.section or "").strip().rpartition(BETWEEN_HEADINGS)
        if above and _CELLS.fullmatch(name):
            name = f"{above.rpartition(BETWEEN_HEADINGS)[2]}{BETWEEN_HEADINGS}{name}"
        return None if name in ("", self.document_title) else name

    @property
    def is_doubtful(self) -> bool:
        """Whether it is neither verified nor merely put in other words."""
        return not self.verified and self.support is not SupportGrade.CLOSE


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer, as a span of its text, and whether its citations support it."""

    start: int
    end: int
    numbers: Sequence[int]
    verified: bool
    doubts: Sequence[str] = ()
    support: SupportGrade = SupportGrade.EXACT

    @property
    def is_doubtful(self) -> bool:
        """Whether it is neither verified nor merely put in other words."""
        return not self.verified and self.support is not SupportGrade.CLOSE


@dataclass(frozen=True, slots=True)
class Answer:
    """The reply to a question: its text, tier and citations. `details` says how it was chosen.

    `nearest` is what came closest to a question that was declined, `see_also` what may answer as well as a quoted
    answer that is not sure.
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
    similar: Sequence[SimilarQuestion] = ()
    """Approved questions that may be meant, nearest first, when none is surely the same."""
    nearest: Sequence[SearchResult] = ()
    see_also: Sequence[SearchResult] = ()

    @property
    def is_expert_only(self) -> bool:
        """Whether an expert says it and no document does."""
        return self.tier is Tier.CURATED and not self.citations

    @property
    def nearest_excerpt(self) -> str | None:
        """What the first of `nearest` says that may be the answer, for the reader to judge."""
        found = self.details.get("nearest_excerpt")
        return found if isinstance(found, str) else None

    @property
    def nearest_excerpts(self) -> tuple[str | None, ...]:
        """What each of `nearest` says that may be the answer; None for those that are only named."""
        return self._excerpts("nearest", len(self.nearest))

    @property
    def see_also_excerpts(self) -> tuple[str | None, ...]:
        """What each of `see_also` says that may be the answer."""
        return self._excerpts("see_also", len(self.see_also))

    def _excerpts(self, key: str, most: int) -> tuple[str | None, ...]:
        rows = self.details.get(key)
        places = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        said = [each if isinstance(each := place.get("excerpt"), str) else None for place in places]
        return tuple([*said, *[None] * most][:most])


@dataclass(frozen=True, slots=True)
class ChatSession:
    """A conversation. `scope` limits it to collections, a category, a subcategory, a type."""

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

    @property
    def is_expert_only(self) -> bool:
        """Whether an expert says it and no document does: a reply, or an approved answer without a source."""
        return self.role is Role.ASSISTANT and self.tier in (None, Tier.CURATED) and not self.citations


def read_note(message_id: str) -> str:
    """The external id under which it is noted that an expert's reply was read."""
    return f"read:{message_id}"


@dataclass(frozen=True, slots=True)
class Conversation:
    """A session with its messages. Each citation says whether its source has changed."""

    session: ChatSession
    messages: Sequence[ChatMessage] = ()


# What happens while a question is answered, in the order in which it happens.


@dataclass(frozen=True, slots=True)
class Searching:
    """The question as it is searched. A follow-up question is completed from the conversation."""

    question: str


@dataclass(frozen=True, slots=True)
class PassagesFound:
    passages: Sequence[SearchResult]


@dataclass(frozen=True, slots=True)
class ExcerptFound:
    """What the documents say, to be read while a slow chat model writes the answer. It is no part of the answer."""

    text: str
    citations: Sequence[Citation] = ()


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
    """The base has no answer. The text says so, in the language of the question."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Failed:
    """The answer broke off. Nothing of it is stored."""

    code: str
    message: str
    hint: str
    error: Exception


AnswerEvent: TypeAlias = (
    Searching | PassagesFound | ExcerptFound | TokenWritten | CitationChecked | Done | Declined | Failed
)
