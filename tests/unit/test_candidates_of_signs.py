"""A graph of signs is asked for more candidates the more vectors there are, up to what a search looks at."""

from __future__ import annotations

import pytest

from sourcebook.storage.postgres.database import GRAPH_ROWS_AT_MOST
from sourcebook.storage.postgres.nearest import candidates_of_signs


def test_more_vectors_need_more_candidates() -> None:
    counted = [candidates_of_signs(15, rows) for rows in (1_000, 100_000, 250_000, 500_000, 1_000_000)]
    assert counted == sorted(set(counted))


@pytest.mark.parametrize(
    ("rows", "needed"), [(100_000, 700), (250_000, 1_467), (500_000, 2_880), (1_000_000, 4_793)]
)
def test_there_are_half_as_many_again_as_hold_99_of_100_of_the_nearest(rows: int, needed: int) -> None:
    """`needed` was counted on the vectors of the benchmark, with signs alone and no graph."""
    assert candidates_of_signs(15, rows) >= 1.5 * needed


def test_a_search_never_asks_for_more_than_it_looks_at_unless_so_many_are_wanted() -> None:
    assert candidates_of_signs(15, 10**9) == GRAPH_ROWS_AT_MOST
    assert candidates_of_signs(5_000, 10**9) > GRAPH_ROWS_AT_MOST


def test_a_collection_that_grows_a_little_is_searched_by_the_same_statement() -> None:
    assert len({candidates_of_signs(15, 300_000 + added) for added in range(1_000)}) <= 2
