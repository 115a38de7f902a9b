"""The nearest vectors of an image are those of brute force, however its rows are distributed over parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.model.documents import DistanceMetric
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.sqlite.engine.candidates import Allowed, rows_of_fewest
from sourcebook.storage.sqlite.engine.held_rows import HeldRows
from sourcebook.storage.sqlite.engine.nearest import nearest_chunks
from sourcebook.storage.sqlite.engine.packed_strings import PackedStrings
from sourcebook.storage.sqlite.engine.segment import Segment
from sourcebook.storage.sqlite.engine.vector_codes import Quantiser
from sourcebook.storage.sqlite.engine.vector_part import VectorPart

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZE = 256
CHANCE = np.random.default_rng(17)
TOPICS = CHANCE.standard_normal((300, SIZE))


def rows_around(count: int) -> NDArray[np.float16]:
    rows = TOPICS[CHANCE.integers(len(TOPICS), size=count)] + 0.6 * CHANCE.standard_normal((count, SIZE))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


MATRIX = rows_around(9_000)
QUANTISER = Quantiser.of(MATRIX, len(MATRIX))


def part_of(numbers: NDArray[np.int64]) -> VectorPart:
    """The rows of these numbers as a part; their ids tell them."""
    count = len(numbers)
    return VectorPart(
        Segment(["d"], np.array([0, count]), PackedStrings.of(f"{i:05}" for i in numbers.tolist())),
        MATRIX[numbers],
        np.ones(count, np.bool_),
        np.arange(count, dtype=np.int32),
        np.zeros((count, 2), np.int32),
        numbers.copy(),
        DistanceMetric.COSINE,
    )


def allowed_in(parts: int, share: float, seed: int, held: HeldRows | None = None) -> list[Allowed]:
    """All rows in so many parts of unlike sizes, a share of them allowed; which ones, the seed tells."""
    chance = np.random.default_rng(seed)
    is_allowed = chance.random(len(MATRIX)) < share
    edges = np.sort(np.random.default_rng(seed + parts).integers(0, len(MATRIX), parts - 1))
    pieces = np.split(np.arange(len(MATRIX)), edges)
    return [Allowed.of(part_of(piece), is_allowed[piece], held) for piece in pieces]


def numbers_in(allowed: list[Allowed]) -> NDArray[np.int64]:
    return np.concatenate([a.part.rowids if a.rows is None else a.part.rowids[a.rows] for a in allowed])


@pytest.mark.parametrize("share", [0.02, 0.1, 0.4, 0.7, 1.0])
def test_what_is_held_of_a_filter_answers_like_what_is_read_anew(share: float) -> None:
    """Few rows are held as stored, more by their signs, and most not at all."""
    rows = HeldRows()
    held = allowed_in(2, share, 1, rows)
    for query in rows_around(8).astype(np.float32):
        assert nearest_chunks(held, query, 10, QUANTISER) == nearest_chunks(
            allowed_in(2, share, 1), query, 10, QUANTISER
        )
    assert (rows.bytes > 0) == (share < 0.45)


def test_of_many_filters_those_used_last_are_held_within_the_limit() -> None:
    rows = HeldRows(most_bytes=1_000_000)
    made: list[int] = []

    def ask(number: int) -> None:
        def array() -> NDArray[np.uint8]:
            made.append(number)
            return np.zeros(300_000, np.uint8)

        rows.get_or_make(number, array)
        assert rows.bytes <= 1_000_000

    for number in (1, 2, 3, 1, 4, 1, 3, 2):
        ask(number)
    assert made == [1, 2, 3, 4, 2]


@pytest.mark.parametrize("share", [1.0, 0.8, 0.6])
def test_the_answer_does_not_depend_on_the_parts(share: float) -> None:
    for number, query in enumerate(rows_around(8).astype(np.float32)):
        whole = nearest_chunks(allowed_in(1, share, number), query, 10, QUANTISER)
        assert nearest_chunks(allowed_in(3, share, number), query, 10, QUANTISER) == whole
        assert [int(s.chunk_id) for s in whole] == [s.rowid for s in whole]


@pytest.mark.parametrize("share", [1.0, 0.8, 0.1])
def test_nearly_all_of_the_nearest_are_found_with_the_scores_that_brute_force_gives(share: float) -> None:
    hits: list[float] = []
    for number, query in enumerate(rows_around(40).astype(np.float32)):
        allowed = allowed_in(1, share, number)
        numbers = numbers_in(allowed)
        scores = vector_encoding.scores(MATRIX[numbers], query, DistanceMetric.COSINE)
        best = numbers[np.argsort(-scores)[:10]]
        found = nearest_chunks(allowed, query, 10, QUANTISER)
        exact = dict(zip(numbers.tolist(), scores.tolist(), strict=True))
        assert [s.score for s in found] == [exact[int(s.chunk_id)] for s in found]
        hits.append(len(set(best.tolist()) & {s.rowid for s in found}) / 10)
    # A tenth of the rows is so few that all of them are scored.
    assert np.mean(hits) == 1.0 if share == 0.1 else np.mean(hits) >= 0.99


@given(
    st.lists(st.lists(st.integers(0, 300), max_size=300), min_size=1, max_size=3),
    st.integers(1, 60),
    st.booleans(),
)
def test_the_rows_of_fewest_signs_are_those_of_sorting(
    parts: list[list[int]], wanted: int, is_sorted: bool
) -> None:
    counts = [np.array(sorted(part) if is_sorted else part, dtype=np.uint16) for part in parts]
    ordered = sorted(number for part in parts for number in part)
    last = ordered[wanted - 1] if wanted <= len(ordered) else 300
    found = rows_of_fewest(counts, wanted)
    assert [rows.tolist() for rows in found] == [np.flatnonzero(own <= last).tolist() for own in counts]
