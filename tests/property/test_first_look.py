"""A first look at few signs finds what a look at all of them finds, and knows when it cannot."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from sourcebook.model.documents import Collection, DistanceMetric
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.index.collections import StoredCollection
from sourcebook.storage.sqlite.engine.candidates import (
    ROWS_FOR_A_FIRST_LOOK,
    Allowed,
    answers_at_first_look,
    candidates,
)
from sourcebook.storage.sqlite.engine.nearest import nearest_chunks
from sourcebook.storage.sqlite.engine.packed_strings import PackedStrings
from sourcebook.storage.sqlite.engine.segment import Segment
from sourcebook.storage.sqlite.engine.vector_codes import Quantiser
from sourcebook.storage.sqlite.engine.vector_engine import VectorParts
from sourcebook.storage.sqlite.engine.vector_part import VectorPart

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROWS = ROWS_FOR_A_FIRST_LOOK + 2_000
SIZE = 256
CHANCE = np.random.default_rng(23)
TOPICS = CHANCE.standard_normal((400, SIZE))


def unit(rows: NDArray[np.float64]) -> NDArray[np.float16]:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


def rows_around(count: int) -> NDArray[np.float16]:
    return unit(
        TOPICS[CHANCE.integers(len(TOPICS), size=count)] + 0.6 * CHANCE.standard_normal((count, SIZE))
    )


def part_of(matrix: NDArray[np.float16], first: int = 0) -> VectorPart:
    count = len(matrix)
    return VectorPart(
        Segment(["d"], np.array([0, count]), PackedStrings.of(f"{first + i:06}" for i in range(count))),
        matrix,
        np.ones(count, np.bool_),
        np.arange(count, dtype=np.int32),
        np.zeros((count, 2), np.int32),
        np.arange(first, first + count),
        DistanceMetric.COSINE,
    )


MATRIX = rows_around(ROWS)
QUANTISER = Quantiser.of(MATRIX, ROWS)
PART = part_of(MATRIX)
NOISE = part_of(unit(CHANCE.standard_normal((ROWS, SIZE))))
QUESTIONS = rows_around(25).astype(np.float32)


def looked_at(allowed: list[Allowed], query: NDArray[np.float32], quantiser: Quantiser) -> list[int]:
    chosen = candidates(allowed, query, quantiser, 10)
    return [
        int(a.part.rowids[row])
        for a, rows in zip(allowed, chosen, strict=True)
        if rows is not None
        for row in rows
    ]


def test_topics_are_told_apart_by_few_signs_and_noise_is_not() -> None:
    assert answers_at_first_look(PART, QUANTISER)
    assert not answers_at_first_look(NOISE, Quantiser.of(NOISE.matrix, ROWS))
    assert not answers_at_first_look(part_of(MATRIX[:5_000]), QUANTISER), "so few rows need no first look"


def test_a_file_holds_leading_signs_where_they_help() -> None:
    kind = VectorParts()
    stored = StoredCollection(Collection("c", SIZE), 1, 0, 0, 0, 0)
    for part, helps in ((PART, True), (NOISE, False)):
        read = kind.from_arrays(kind.to_arrays(part), stored)
        assert read.quantiser is not None
        assert (read.quantiser.leading is not None) is helps
        assert (read.codes(read.quantiser).leading is not None) is helps


def test_what_a_first_look_cannot_answer_is_looked_at_whole() -> None:
    """Of rows without any structure every answer is as if there were no leading signs."""
    quantiser = Quantiser.of(NOISE.matrix, ROWS)
    plain = Quantiser(quantiser.centre, quantiser.step)
    for query in unit(CHANCE.standard_normal((10, SIZE))).astype(np.float32):
        whole = looked_at([Allowed(NOISE, None)], query, plain)
        assert looked_at([Allowed(NOISE, None)], query, quantiser) == whole


@pytest.mark.parametrize("share", [1.0, 0.97])
def test_the_ten_nearest_are_those_of_brute_force(share: float) -> None:
    mask = np.random.default_rng(3).random(ROWS) < share
    hits: list[float] = []
    for query in QUESTIONS:
        scores = np.where(mask, vector_encoding.scores(MATRIX, query, DistanceMetric.COSINE), -2.0)
        best = set(np.argsort(-scores)[:10].tolist())
        found = nearest_chunks([Allowed.of(PART, mask)], query, 10, QUANTISER)
        assert [s.score for s in found] == [float(scores[s.rowid or 0]) for s in found]
        hits.append(len(best & {s.rowid for s in found}) / 10)
    assert np.mean(hits) >= 0.99


def test_a_first_look_does_not_depend_on_the_parts() -> None:
    edges = [0, 1_000, 20_000, ROWS]
    whole = [Allowed(PART, None)]
    parts = [Allowed(part_of(MATRIX[a:b], a), None) for a, b in pairwise(edges)]
    for query in QUESTIONS:
        assert looked_at(parts, query, QUANTISER) == looked_at(whole, query, QUANTISER)
