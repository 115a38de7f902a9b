"""Is what was found close enough to answer with?

Two things speak for a passage: how much of what the question asks about it names, and how near its vector is. Neither
alone tells well; together they are weighed by numbers that were measured for the embedding model. A passage in another
language than the question shares no words with it, so a vector that is near beyond doubt is enough by itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.consult.extract import held_share
from sourcebook.text.analysis import analyse
from sourcebook.text.sentences import sentence_spans

if TYPE_CHECKING:
    from sourcebook.model.facts import AcceptanceFacts
    from sourcebook.model.search import SearchResult


@dataclass(frozen=True, slots=True)
class Judgement:
    """What speaks for a passage: the share of the question that it holds, and its best sentence; its similarity."""

    share: float
    sentence_share: float
    similarity: float
    score: float
    is_accepted: bool


def term_weights(
    question: str, languages: Sequence[str | None], counts: Mapping[str, int], rows: int
) -> dict[str, float]:
    """The terms of a question, each worth more the fewer of the passages hold it."""
    terms = {term for language in languages or (None,) for term in analyse(question, language)}
    return {
        term: math.log(1.0 + (rows - counts.get(term, 0) + 0.5) / (counts.get(term, 0) + 0.5))
        for term in sorted(terms)
    }


def judged(
    weights: Mapping[str, float], passage: SearchResult, language: str | None, facts: AcceptanceFacts
) -> Judgement:
    """How close a passage comes to answering. Its title counts as said with every sentence."""
    title = passage.document_title or ""
    content = passage.chunk.content
    share = held_share(weights, f"{title}\n{content}", language)
    best = max(
        (
            held_share(weights, f"{title}\n{content[start:end]}", language)
            for start, end in sentence_spans(content)
        ),
        default=0.0,
    )
    similarity = passage.score_breakdown.semantic_score or 0.0
    score = facts.share * share + facts.sentence_share * best + facts.similarity * similarity - facts.needed
    return Judgement(share, best, similarity, score, score >= 0 or similarity >= facts.sure_similarity)
