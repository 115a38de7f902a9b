"""Up to how many chunks a filter is followed by the index, and from how many on by the graph."""

from __future__ import annotations

from sourcebook.storage.postgres.nearest import Graph, few_matching, near_chunks, near_vectors


def test_the_more_is_wanted_the_longer_the_graph_takes_and_the_more_are_scored() -> None:
    wanted = [near_chunks(10), near_vectors(10), near_vectors(200)]
    assert [few_matching(Graph.HALVES, number, 100_000) for number in wanted] == [1_500, 6_000, 13_000]


def test_a_graph_of_signs_is_asked_for_more() -> None:
    assert few_matching(Graph.BITS, near_chunks(10), 100_000) > few_matching(
        Graph.HALVES, near_chunks(10), 100_000
    )


def test_a_collection_that_grows_a_little_needs_no_other_statement() -> None:
    asked = {few_matching(Graph.HALVES, near_vectors(10), rows) for rows in range(100_000, 101_000)}
    assert len(asked) == 1
