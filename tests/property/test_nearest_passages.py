"""The nearest passages are those of brute force: a passage scores the mean of itself and its best child."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from sourcebook.model.documents import DistanceMetric
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.index.engines import MATCHES_SHOWN
from sourcebook.storage.sqlite.engine.candidates import Allowed
from sourcebook.storage.sqlite.engine.nearest import nearest_passages
from sourcebook.storage.sqlite.engine.packed_strings import PackedStrings
from sourcebook.storage.sqlite.engine.segment import Segment
from sourcebook.storage.sqlite.engine.vector_part import VectorPart

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZE = 24


@dataclass(frozen=True)
class Exact:
    chunk_id: str
    score: float
    matched: list[tuple[str, int, float]]


def made_part(chance: np.random.Generator, metric: DistanceMetric, name: str) -> VectorPart:
    """Families in any order of their rows: some without children, some whose passage has no vector, some alike."""
    families = int(chance.integers(1, 40))
    sizes = 1 + chance.integers(0, 6, families)
    first = np.cumsum(sizes) - sizes
    owner = np.repeat(np.arange(families), sizes)
    rows = np.repeat(chance.standard_normal((families, SIZE)), sizes, axis=0)
    rows += chance.choice([0.0, 0.5, 2.0]) * chance.standard_normal(rows.shape)
    if metric is DistanceMetric.COSINE:
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    place = chance.permutation(len(rows))
    passage = np.empty(len(rows), np.int32)
    passage[place] = place[first[owner]]
    matrix = np.empty(rows.shape, vector_encoding.stored_type(metric))
    matrix[place] = rows
    has_vector = chance.random(len(rows)) < 0.9
    matrix[~has_vector] = 0
    spans = np.stack([np.arange(len(rows)), np.arange(len(rows)) + 5], axis=1).astype(np.int32)
    ids = PackedStrings.of(f"{name}{i:03}" for i in chance.permutation(len(rows)).tolist())
    segment = Segment(["d"], np.array([0, len(rows)]), ids)
    return VectorPart(segment, matrix, has_vector, passage, spans, np.arange(len(rows)), metric)


def brute_force(allowed: list[Allowed], query: NDArray[np.float32], top_k: int) -> list[Exact]:
    found: list[Exact] = []
    for one in allowed:
        part = one.part
        scores = vector_encoding.scores(part.matrix, query, part.metric).tolist()
        rows = np.arange(len(part)) if one.rows is None else one.rows
        for passage in map(int, np.unique(part.passage[rows])):
            members = [r for r in np.flatnonzero(part.passage == passage).tolist() if part.has_vector[r]]
            own = [scores[r] for r in members if r == passage]
            children = [(-scores[r], part.segment.chunk_ids[r], r) for r in members if r != passage]
            best = [-min(children)[0]] if children else []
            matched = [(i, int(part.spans[r][0]), -s) for s, i, r in sorted(children)[:MATCHES_SHOWN]]
            mean = sum([*own, *best]) / len([*own, *best])
            found.append(Exact(part.segment.chunk_ids[passage], mean, matched))
    return sorted(found, key=lambda one: (-one.score, one.chunk_id))[:top_k]


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("metric", list(DistanceMetric))
def test_the_nearest_passages_and_their_matches_are_those_of_brute_force(
    seed: int, metric: DistanceMetric
) -> None:
    chance = np.random.default_rng(seed)
    parts = [made_part(chance, metric, name) for name in "abc"[: int(chance.integers(1, 4))]]
    allowed = [
        Allowed.of(part, (chance.random(len(part)) < 0.8)[part.passage] & part.has_vector) for part in parts
    ]
    for _ in range(4):
        query = chance.standard_normal(SIZE).astype(np.float32)
        if metric is DistanceMetric.COSINE:
            query = vector_encoding.normalised(query)
        top_k = int(chance.integers(1, 50))
        found = nearest_passages(allowed, query, top_k, None)
        exact = brute_force(allowed, query, top_k)
        assert found.ids == [one.chunk_id for one in exact]
        assert found.scores == [one.score for one in exact]
        # Some are looked at, in any order, and others are not.
        for place in map(int, chance.permutation(len(found))[:7]):
            one = found[place]
            assert (one.chunk_id, one.score) == (exact[place].chunk_id, exact[place].score)
            assert [(m.chunk_id, m.start_index, m.score) for m in one.matched] == exact[place].matched
            assert len(one.matched) == len(exact[place].matched)


def test_of_equal_passages_those_whose_ids_come_first_are_found() -> None:
    rows = np.ones((6, SIZE), np.float16) / np.float16(np.sqrt(SIZE))
    segment = Segment(["d"], np.array([0, 6]), PackedStrings.of(["f", "a", "e", "b", "d", "c"]))
    numbers = np.arange(6)
    spans = np.zeros((6, 2), np.int32)
    has_vector = np.ones(6, np.bool_)
    passage = numbers.astype(np.int32)
    part = VectorPart(segment, rows, has_vector, passage, spans, numbers, DistanceMetric.COSINE)
    query = vector_encoding.normalised(np.ones(SIZE, np.float32))
    found = nearest_passages([Allowed(part, None)], query, 4, None)
    assert [one.chunk_id for one in found] == ["a", "b", "c", "d"]
    assert [one.rowid for one in found[1:3]] == [3, 5]
