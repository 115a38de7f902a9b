"""Curated answers and terminology."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.model.chat import SourceState


class SourceType(StrEnum):
    MANUAL = "manual"
    FAQ = "faq"
    ADMIN_QA = "admin_qa"


class WordingStatus(StrEnum):
    """Proposed by too few people to count, confirmed by enough, or accepted or rejected by an expert."""

    PROPOSED = "proposed"
    CONFIRMED = "confirmed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Wording:
    """Another wording of a curated question; `people` is how many said that it asks the same."""

    id: int
    entry_id: int
    question: str
    status: WordingStatus
    people: int = 0
    decided_by: int | None = None
    decided_at: int | None = None
    created_at: int = 0

    @property
    def is_matched(self) -> bool:
        """Whether who asks in these words is given the answer."""
        return self.status in (WordingStatus.CONFIRMED, WordingStatus.ACCEPTED)


@dataclass(frozen=True, slots=True)
class ContextChange:
    """What stands around a quote and is no longer what it was: `part` is title, section, columns or
    sentence_before.
    """

    part: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class CuratedSource:
    """A source of a curated answer: its place, the quoted words, and the document's hash at that time.

    `context_changes` is a lighter mark than `state`: the words stand, but not what stood around them.
    """

    collection_id: str
    document_id: str
    document_path: str
    quote: str
    document_title: str | None = None
    chunk_id: str | None = None
    page: int | None = None
    start: int | None = None
    end: int | None = None
    file_hash: str | None = None
    state: SourceState | None = None
    context_changes: Sequence[ContextChange] = ()
    section: str | None = None
    """The headings that the quote stands under, as `Chapter > Section`."""


@dataclass(frozen=True, slots=True)
class CuratedAnswer:
    """A question and its approved answer. Without a question, it is matched by the answer's text.

    `wordings` are other ways in which people ask the question.
    """

    id: int
    collection_id: str
    category: str
    answer: str
    question: str | None = None
    subcategory: str | None = None
    source_type: SourceType = SourceType.MANUAL
    language: str | None = None
    is_active: bool = True
    revision: int = 1
    stale_since: int | None = None
    stale_reason: str | None = None
    approved_by: int | None = None
    approved_at: int | None = None
    sources: Sequence[CuratedSource] = ()
    created_at: int = 0
    updated_at: int = 0
    wordings: Sequence[Wording] = ()
    approved_by_name: str | None = None
    """What the person who approved it is called."""

    @property
    def has_changed_context(self) -> bool:
        """Whether what stands around a quote has changed since it was approved."""
        return any(source.context_changes for source in self.sources)


@dataclass(frozen=True, slots=True)
class WordChange:
    """A run of words: `kind` is same, removed or added."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class SourceChange:
    """A source of an approved answer that is not what it was.

    `before` was quoted, `after` stands in its place now; None if nothing does. `words` tells them apart.
    """

    document_id: str
    document_path: str
    document_title: str | None
    state: SourceState
    before: str
    after: str | None
    words: Sequence[WordChange] = ()
    context: Sequence[ContextChange] = ()

    @property
    def told_before(self) -> str:
        """What was quoted as a person reads it: a row of a table as its cells, without the rows that stay."""
        return self._told("removed") if self.words else self.before

    @property
    def told_after(self) -> str | None:
        """What stands in its place now, told likewise."""
        return self._told("added") if self.words else self.after

    def _told(self, kind: str) -> str:
        return " ".join(run.text for run in self.words if run.kind in ("same", kind))


@dataclass(frozen=True, slots=True)
class CuratedMatch:
    """A curated answer, and the cosine distance of its question from the one asked.

    `wording` is the one that came nearest, None for the entry's first question.
    """

    entry: CuratedAnswer
    distance: float
    wording: str | None = None

    @property
    def question(self) -> str | None:
        """The question that came nearest."""
        return self.wording or self.entry.question


@dataclass(frozen=True, slots=True)
class SimilarQuestion:
    """A curated question that may be what somebody meant; `score` is the cosine with what was asked."""

    id: int
    question: str
    score: float
    collection_id: str = ""


@dataclass(frozen=True, slots=True)
class Term:
    """A word to avoid and the phrase to use instead."""

    id: int
    term: str
    preferred_phrase: str
    description: str | None = None
    language: str | None = None
    created_at: int = 0
