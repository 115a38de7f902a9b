"""Passages and questions as the judge of questions gets them."""

from __future__ import annotations

from typing import Any

from sourcebook.consult.evidence.acceptance import judged, term_weights
from sourcebook.consult.evidence.weighed_question import WeighedQuestion
from sourcebook.model.answer_thresholds import AcceptanceFacts
from sourcebook.model.asked_collection import WordCounts
from sourcebook.model.documents import Chunk
from sourcebook.model.search import ScoreBreakdown, SearchResult

FACTS = AcceptanceFacts()


def passage(
    text: str,
    *,
    document: str = "d",
    title: str = "",
    section: str | None = None,
    similarity: float | None = 0.4,
) -> SearchResult:
    chunk = Chunk(f"{document}-{len(text)}", document, text, end_index=len(text), section=section)
    return SearchResult(chunk, 2.0, ScoreBreakdown(similarity), document, title, collection_id="default")


def asked(text: str, *passages: SearchResult, rows: int = 1000) -> tuple[WeighedQuestion, list[Any]]:
    weights = term_weights(text, ["en"], {}, rows)
    counts = WordCounts(dict.fromkeys(weights, 1), rows)
    return WeighedQuestion(text, weights, counts), [(p, judged(weights, p, "en")) for p in passages]
