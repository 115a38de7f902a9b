"""Drafts waiting for review, and what the decisions teach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from sourcebook.model.chat import SourceState
from sourcebook.model.documents import JsonValue

if TYPE_CHECKING:
    from sourcebook.model.chat import Citation
    from sourcebook.model.curation import CuratedAnswer, CuratedSource


class DraftKind(StrEnum):
    """An answer to approve, a question for the expert, or a curated answer to check again."""

    ANSWER = "answer"
    DECLINED = "declined"
    STALE = "stale"


class DraftStatus(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    CANCELLED = "cancelled"


class Keep(StrEnum):
    """What to do with an expert's reply: only send it to the person who asked, or also keep it as a curated answer."""

    REPLY_ONLY = "reply_only"
    CURATED = "curated"


class LostSupport(StrEnum):
    """What to do when an answer is approved unchanged and the documents no longer say what it says."""

    REFUSE = "refuse"
    ACCEPT = "accept"


class AskedAgain(StrEnum):
    """What comes of a question whose answer from documents was rejected, when somebody asks it again."""

    DECLINED = "declined"
    """It is declined until most of the text that was quoted changes."""
    FROM_NEW_TEXT = "from_new_text"
    """Most of the text that was quoted has changed since, so what stands there now may be given."""


class Why(StrEnum):
    """Why a question is in the queue."""

    ANSWERED = "answered"
    DECLINED = "declined"
    ASKED_FOR_A_PERSON = "asked_for_a_person"
    SOURCE_CHANGED = "source_changed"
    EDITED = "edited"


@dataclass(frozen=True, slots=True)
class Draft:
    """An item in the review queue.

    `details` tell how it came about: what was searched and found. Drafts that ask much the same have one `group_key`.
    A draft of kind STALE is about the curated answer `stale_kb_id`; an approved one became the answer `kb_id`. The same
    open question is one draft: `asked` says how often it was asked, `people` by how many; of a draft of kind STALE
    nobody did. What repeats it names it in `same_as` and is not listed by itself.
    """

    id: int
    user_id: int
    kind: DraftKind
    question: str
    status: DraftStatus = DraftStatus.PENDING
    answer: str | None = None
    language: str | None = None
    citations: Sequence[Citation] = ()
    details: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    attachments: Sequence[Mapping[str, JsonValue]] = ()
    category_guess: str | None = None
    subcategory_guess: str | None = None
    group_key: str | None = None
    collection_id: str | None = None
    topic_id: int | None = None
    session_id: str | None = None
    chat_message_id: str | None = None
    reason: str | None = None
    admin_id: int | None = None
    kb_id: int | None = None
    stale_kb_id: int | None = None
    created_at: int = 0
    updated_at: int = 0
    decided_at: int | None = None
    same_as: int | None = None
    asked: int = 1
    people: int = 1

    @property
    def in_conversation(self) -> str | None:
        """The question with what its conversation was about, if it needs or may need that to be understood."""
        known = (self.details.get("whole_question"), self.details.get("in_conversation"))
        return next((str(each) for each in known if each), None)

    @property
    def asked_after(self) -> str | None:
        """The question before it in its conversation."""
        before = self.details.get("asked_after")
        return before if isinstance(before, str) else None

    @property
    def has_changed_sources(self) -> bool:
        """Whether an answer that waits quotes what its documents no longer say, as far as its citations tell."""
        waits = self.kind is DraftKind.ANSWER and self.status is DraftStatus.PENDING
        return waits and any(citation.state is not SourceState.CURRENT for citation in self.citations)


@dataclass(frozen=True, slots=True)
class NewDraft:
    """A draft to be added to the queue."""

    user_id: int
    kind: DraftKind
    question: str
    answer: str | None = None
    language: str | None = None
    citations: Sequence[Citation] = ()
    details: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    attachments: Sequence[Mapping[str, JsonValue]] = ()
    category_guess: str | None = None
    subcategory_guess: str | None = None
    group_key: str | None = None
    collection_id: str | None = None
    topic_id: int | None = None
    session_id: str | None = None
    chat_message_id: str | None = None
    visit_key: str | None = None
    """The key of the question whose answer owes this draft: with the draft, the debt is gone."""


@dataclass(frozen=True, slots=True)
class Revision:
    """An approved answer: its text, and the sources that support it."""

    collection_id: str
    category: str
    answer: str
    question: str | None = None
    subcategory: str | None = None
    language: str | None = None
    sources: Sequence[CuratedSource] = ()


@dataclass(frozen=True, slots=True)
class Gap:
    """A group of questions that the base does not answer well: what to write next.

    `reasons` counts why: declined, rejected, weak (an answer with sentences that nothing supports). `near` are the
    documents that came nearest.
    """

    question: str
    count: int
    people: int
    reasons: Mapping[str, int]
    examples: Sequence[str]
    near: Sequence[str] = ()
    category: str | None = None
    language: str | None = None
    last_asked_at: int = 0
    draft_ids: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class Digest:
    """A summary of a period."""

    since: int
    until: int
    questions: int
    tiers: Mapping[str, int]
    """How many answers came from each tier: curated, documents, model, none."""
    drafts: Mapping[str, int]
    """How many drafts were approved, rejected or cancelled."""
    pending: int
    """How many drafts are waiting now."""
    became_stale: Sequence[CuratedAnswer]
    to_write: Sequence[Gap]
    tokens_spent: int
    tokens_given: int
    people: int
    """How many different people asked."""

    @property
    def declined(self) -> int:
        """How many questions were declined."""
        return self.tiers.get("none", 0)
