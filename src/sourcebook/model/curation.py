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


@dataclass(frozen=True, slots=True)
class CuratedSource:
    """A source of a curated answer: its place, the quoted words, and the document's hash at that time."""

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


@dataclass(frozen=True, slots=True)
class CuratedAnswer:
    """A question and its approved answer. Without a question, it is matched by the answer's text."""

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


@dataclass(frozen=True, slots=True)
class CuratedMatch:
    """A curated answer, and the cosine distance of its question from the one asked."""

    entry: CuratedAnswer
    distance: float


@dataclass(frozen=True, slots=True)
class SimilarQuestion:
    """A curated question that may be what somebody meant; `score` is the cosine with what was asked."""

    id: int
    question: str
    score: float


@dataclass(frozen=True, slots=True)
class Term:
    """A word to avoid and the phrase to use instead."""

    id: int
    term: str
    preferred_phrase: str
    description: str | None = None
    language: str | None = None
    created_at: int = 0
