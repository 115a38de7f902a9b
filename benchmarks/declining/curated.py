"""Curated hits: how often an approved answer is given to its question in other words, and to another question."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from sourcebook.consult.calibration.suggestions import TriedPair, curated_figures
from sourcebook.consult.question.same_question import difference
from sourcebook.model.answer_thresholds import facts_of
from sourcebook.model.calibration import QuestionPair
from sourcebook.ports.providers import TextRole

if TYPE_CHECKING:
    from sourcebook.ports.providers import Embedder

OWN_PAIRS = Path(__file__).with_name("pairs.csv")
"""Pairs about offices, shops and kitchens, written when the rule was finished."""
LANGUAGES = ("en", "ru", "pt")
# What is exchanged by the script to make a look-alike of a paraphrase.
_CROPS = (
    ("raspberr", "blueberr", "strawberr"),
    ("малин", "голубик", "клубник"),
    ("framboesa", "mirtilo", "morango"),
)


class CuratedRow(TypedDict):
    pairs: int
    same: int
    hits: int
    wrong: int | None
    """None where nobody said which pairs ask the same: then `taken` is to be read."""
    precision: float | None
    coverage: float
    taken: list[tuple[str, str]]


def read_pairs(path: Path) -> list[QuestionPair]:
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines)
        return [QuestionPair(row["question"], row["other"], row["same"] == "yes") for row in rows]


def with_look_alikes(pairs: Sequence[QuestionPair]) -> list[QuestionPair]:
    """The pairs, and each paraphrase once more about every other crop, which makes it another question."""
    return [*pairs, *(alike for pair in pairs if pair.is_same for alike in _about_other_crops(pair))]


def _about_other_crops(pair: QuestionPair) -> Iterator[QuestionPair]:
    for crops in _CROPS:
        for crop in crops:
            if crop in pair.other.lower():
                for other in crops:
                    if other != crop:
                        changed = re.sub(crop, other, pair.other, flags=re.IGNORECASE)
                        yield QuestionPair(pair.question, changed, is_same=False)


def neighbours(questions: Sequence[str], vectors: np.ndarray, nearest: int) -> list[QuestionPair]:
    """Every question with those of the others that are nearest to it. Hardly any two of them ask the same."""
    near = vectors @ vectors.T
    np.fill_diagonal(near, -1.0)
    order = np.argsort(-near, axis=1)[:, :nearest]
    return [
        QuestionPair(question, questions[int(place)], is_same=False)
        for question, places in zip(questions, order, strict=True)
        for place in places
    ]


async def taken_among(pairs: Sequence[QuestionPair], embedder: Embedder) -> CuratedRow:
    """What is taken for the same among pairs of which nobody said whether they are."""
    row = await measured(pairs, embedder)
    return {**row, "wrong": None, "precision": None}


async def measured(pairs: Sequence[QuestionPair], embedder: Embedder) -> CuratedRow:
    """As the product decides: near enough, and the words agree in one of the languages of the base."""
    texts = sorted({text for pair in pairs for text in (pair.question, pair.other)})
    made = await embedder.embed(texts, TextRole.QUESTION)
    vectors = dict(zip(texts, made / np.linalg.norm(made, axis=1, keepdims=True), strict=True))
    distances = [1.0 - float(vectors[pair.question] @ vectors[pair.other]) for pair in pairs]
    tried = [
        TriedPair(apart, difference(pair.other, pair.question, LANGUAGES, apart) is None, pair.is_same)
        for pair, apart in zip(pairs, distances, strict=True)
    ]
    distance = facts_of(embedder.model.name).curation.distance
    figures = curated_figures(tried, [distance] * len(tried))
    same = sum(pair.is_same for pair in pairs)
    right = round(figures.coverage * same)
    return {
        "pairs": len(pairs),
        "same": same,
        "hits": figures.hits,
        "wrong": figures.hits - right,
        "precision": figures.precision,
        "coverage": round(figures.coverage, 4),
        "taken": [(p.question, p.other) for p, t in zip(pairs, tried, strict=True) if t.is_hit(distance)],
    }
