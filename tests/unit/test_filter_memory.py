"""What is remembered of filters stays within its room, and is given up where it does not pay."""

from __future__ import annotations

import numpy as np
import pytest

from sourcebook.model.documents import DistanceMetric
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.postgres import filter_memory
from sourcebook.storage.postgres.filter_memory import FilteredVectors, FilterMemory, Key


def key(number: int) -> Key:
    return "c", 1, DistanceMetric.COSINE, f"$.n == {number}"


def vectors(count: int, size: int = 8) -> FilteredVectors:
    rows = np.random.default_rng(3).standard_normal((count, size)).astype(np.float32)
    matrix = np.array([vector_encoding.normalised(row) for row in rows]).astype("<f2").astype(np.float32)
    names = [f"k{n:04}" for n in range(count)]
    return FilteredVectors("state", ["d"] * count, names, matrix)


def questions_until_it_is_read(memory: FilterMemory, at_most: int = 200) -> int:
    return next(n for n in range(1, at_most) if memory.is_worth_reading(key(0)))


def test_a_filter_is_read_when_it_is_asked_for_a_second_time() -> None:
    assert questions_until_it_is_read(FilterMemory()) == 2


def test_what_never_held_is_read_less_and_less_often_and_again_soon_once_it_held() -> None:
    memory = FilterMemory()
    waited: list[int] = []
    for _ in range(7):
        waited.append(questions_until_it_is_read(memory))
        memory.keep(key(0), vectors(3))
        memory.no_longer_holds(key(0))
    assert waited == [2, 4, 8, 16, 32, 64, 64]
    memory.keep(key(0), vectors(3))
    for _ in range(5):
        assert memory.recall(key(0)) is not None
    memory.no_longer_holds(key(0))
    assert memory.recall(key(0)) is None
    assert questions_until_it_is_read(memory) == 2


def test_the_filters_that_were_asked_for_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filter_memory, "_BYTES_OF_ALL", 3 * vectors(10).matrix.nbytes)
    memory = FilterMemory()
    for number in range(3):
        memory.keep(key(number), vectors(10))
    assert memory.recall(key(0)) is not None
    memory.keep(key(3), vectors(10))
    assert [number for number in range(4) if memory.recall(key(number))] == [0, 2, 3]


def test_what_is_old_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(filter_memory.time, "monotonic", lambda: now)
    memory = FilterMemory()
    memory.keep(key(0), vectors(3))
    assert memory.recall(key(0)) is not None
    now = 111.0
    assert memory.recall(key(0)) is None


@pytest.mark.parametrize("metric", DistanceMetric)
def test_the_nearest_are_those_of_all_scores(metric: DistanceMetric) -> None:
    held = vectors(500)
    for query in vectors(20).matrix:
        scores = [float(score) for score in vector_encoding.scores(held.matrix, query, metric)]
        wanted = sorted(enumerate(scores), key=lambda pair: (-pair[1], held.chunk_ids[pair[0]]))[:10]
        assert held.nearest(query, metric, 10) == wanted


def test_of_equal_ones_that_whose_id_comes_first_is_first() -> None:
    same = vectors(1)
    held = FilteredVectors(
        "state", ["d"] * 40, [f"k{39 - n:02}" for n in range(40)], np.repeat(same.matrix, 40, 0)
    )
    found = held.nearest(same.matrix[0], DistanceMetric.COSINE, 3)
    assert [held.chunk_ids[place] for place, _ in found] == ["k00", "k01", "k02"]
