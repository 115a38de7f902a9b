"""What is taken for the same, what is offered as similar, and what is offered to questions that nobody answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from sourcebook.consult.curated.similar_questions import similar_questions
from sourcebook.consult.question.same_question import difference
from sourcebook.model.curation import CuratedAnswer, CuratedMatch
from sourcebook.retrieve.evaluation.question_sets import read_queries

if TYPE_CHECKING:
    from benchmarks.paraphrases.pairs import Pair
    from sourcebook.model.answer_thresholds import CurationFacts
    from sourcebook.model.documents import Vector

_LOOKED_AT = 5
_ASKED = 300

Vectors = Mapping[str, "Vector"]


class Row(TypedDict):
    """Pairs of one language and part. `found` was taken or offered rightly; `wrong` is any other that was taken."""

    language: str
    part: str
    paraphrases: int
    taken: int
    found: int
    look_alikes: int
    look_alikes_offered: int
    wrong: int
    contradicting: int
    contradicting_offered: int


class Without(TypedDict):
    """Questions that the base has no approved answer to, and how many of them something was offered or given to."""

    language: str
    questions: int
    taken: int
    offered: int


class Base:
    """Curated questions of one language, asked as the product asks them."""

    def __init__(
        self, questions: Sequence[str], language: str, vectors: Vectors, facts: CurationFacts
    ) -> None:
        self._questions = sorted(set(questions))
        self._language = language
        self._vectors = vectors
        self._matrix = np.stack([vectors[question] for question in self._questions])
        self._facts = facts

    def ask(self, question: str) -> tuple[str | None, list[str]]:
        """The curated question that is taken for this one; without one, those that are offered."""
        near = self._near(question)
        for match in near:
            known = match.entry.question or ""
            if difference(question, known, (self._language,), match.distance) is None:
                return known, []
        offered = similar_questions(question, near, (self._language,), self._facts.similar)
        return None, [one.question for one in offered]

    def _near(self, question: str) -> list[CuratedMatch]:
        distances = 1.0 - self._matrix @ self._vectors[question]
        order = [int(place) for place in np.argsort(distances, kind="stable")[:_LOOKED_AT]]
        return [
            CuratedMatch(self._entry(place), float(distances[place]))
            for place in order
            if distances[place] < max(self._facts.distance, self._facts.similar)
        ]

    def _entry(self, place: int) -> CuratedAnswer:
        question = self._questions[place]
        return CuratedAnswer(place, "default", "general", "", question, language=self._language)


def measured(pairs: Sequence[Pair], base: Base, part: str) -> Row:
    same = [pair for pair in pairs if pair.is_same]
    others = [pair for pair in pairs if not pair.is_same]
    asked = {pair: base.ask(pair.asked) for pair in pairs}
    contradicting = [pair for pair in others if pair.contradicts]
    return {
        "language": pairs[0].language,
        "part": part,
        "paraphrases": len(same),
        "taken": sum(asked[pair][0] == pair.known for pair in same),
        "found": sum(pair.known in (asked[pair][0], *asked[pair][1]) for pair in same),
        "look_alikes": len(others),
        "look_alikes_offered": sum(pair.known in asked[pair][1] for pair in others),
        "wrong": sum(
            taken not in (None, pair.known if pair.is_same else None) for pair, (taken, _) in asked.items()
        ),
        "contradicting": len(contradicting),
        "contradicting_offered": sum(pair.known in asked[pair][1] for pair in contradicting),
    }


def without_an_answer(questions: Sequence[str], base: Base, language: str) -> Without:
    asked = [base.ask(question) for question in questions]
    return {
        "language": language,
        "questions": len(questions),
        "taken": sum(taken is not None for taken, _ in asked),
        "offered": sum(bool(offered) for _, offered in asked),
    }


def one_of_each_document(folder: Path) -> tuple[list[str], list[str]]:
    """Of the questions that a document answers the first, for the base; and some of the others, to be asked."""
    by_document: dict[str, list[str]] = {}
    for question in read_queries(folder):
        for document in question.judgements:
            by_document.setdefault(document, []).append(question.text)
    curated = [questions[0] for questions in by_document.values()]
    others = sorted(
        {question for questions in by_document.values() for question in questions[1:]} - set(curated)
    )
    return curated, others[:: max(1, len(others) // _ASKED)]
