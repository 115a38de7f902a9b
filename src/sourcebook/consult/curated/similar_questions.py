"""Approved questions to offer when it is not certain that they ask the same.

Most paraphrases are nearest to the right question, but questions that only look alike are as near. A paraphrase stands
out: the next question is clearly farther away. If many approved questions are about one subject, all are near, and
only a very near one is offered. A question that contradicts the one asked is not offered (a denial, an opposite,
another number, name or time), nor one about another thing. The lists of opposites are closed, so some are missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.consult.question.same_question import (
    contradiction,
    is_about_another_thing,
    is_of_another_kind,
)
from sourcebook.model.curation import SimilarQuestion

if TYPE_CHECKING:
    from sourcebook.model.curation import CuratedMatch

MOST_OFFERED = 3
_VERY_NEAR = 1 / 2
"""Within this share of the distance, a question is offered whatever else is near."""
_AHEAD = 0.36
"""Beyond that, it must be nearer than the next one by this share of the distance."""


def similar_questions(
    asked: str, near: Sequence[CuratedMatch], languages: Sequence[str | None], distance: float
) -> list[SimilarQuestion]:
    """The nearest curated questions that may be meant, nearest first, at most three.

    `near` is ordered by distance. Entries without a question are left out, and so are stale ones.
    """
    offered: list[SimilarQuestion] = []
    for place, match in enumerate(near):
        question = match.question
        if question is None or len(offered) == MOST_OFFERED or match.entry.stale_since is not None:
            continue
        if not _stands_out(place, near, distance):
            continue
        spoken = (match.entry.language, *languages)
        if not _is_another(asked, question, spoken):
            score = round(1.0 - match.distance, 4)
            offered.append(SimilarQuestion(match.entry.id, question, score, match.entry.collection_id))
    return offered


def _is_another(asked: str, known: str, languages: Sequence[str | None]) -> bool:
    return (
        contradiction(asked, known, languages) is not None
        or is_of_another_kind(asked, known)
        or is_about_another_thing(asked, known, languages)
    )


def _stands_out(place: int, near: Sequence[CuratedMatch], distance: float) -> bool:
    """Whether a question is very near; or the nearest one, and clearly ahead of the next."""
    here = near[place].distance
    if here <= _VERY_NEAR * distance:
        return True
    following = near[1].distance if len(near) > 1 else 1.0
    return place == 0 and here <= distance and following - here >= _AHEAD * distance
