"""Passages from a store that only knows chunks: the same as if every chunk had been looked at."""

from __future__ import annotations

from statistics import fmean
from typing import Any, cast

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.unit.toy_stores import ToyVectors, child, embedded, ids, passage

from sourcebook.errors import CollectionNotFound
from sourcebook.model.documents import Chunk, DistanceMetric, EmbeddedChunk
from sourcebook.model.search import SearchResult
from sourcebook.retrieve.passages.parent_passages import (
    PlainPassages,
    as_passages,
    missing_passages,
    nearness_to,
)

SCORES = st.floats(-1, 1).map(lambda score: round(score, 3))


@st.composite
def bases(draw: st.DrawFn) -> list[EmbeddedChunk]:
    """Documents of passages with children; some chunks have no vector, and some children no stored passage."""
    chunks: list[EmbeddedChunk] = []
    for document in range(draw(st.integers(1, 4))):
        for number in range(draw(st.integers(1, 4))):
            parent = passage(f"p{document}{number}", f"d{document}", 100 * number)
            kind = draw(st.sampled_from(["whole", "whole", "whole", "no vector", "not stored"]))
            if kind != "not stored":
                chunks.append(embedded(parent, None if kind == "no vector" else draw(SCORES)))
            for place in range(draw(st.integers(0, 4))):
                small = child(f"{parent.id}-{place}", parent, place)
                chunks.append(embedded(small, draw(st.one_of(SCORES, SCORES, st.none()))))
    return chunks


def brute_force(chunks: list[EmbeddedChunk], top_k: int) -> list[tuple[str, float]]:
    stored = {e.chunk.id for e in chunks}
    near = nearness_to([1.0, 0.0], DistanceMetric.COSINE)
    own: dict[str, float] = {}
    children: dict[str, list[float]] = {}
    for e in chunks:
        if e.embedding is None:
            continue
        if e.chunk.parent_id in stored:
            children.setdefault(e.chunk.parent_id or "", []).append(near(e.embedding))
        else:
            own[e.chunk.id] = near(e.embedding)
    scores = {
        name: fmean(
            [*([own[name]] if name in own else []), *([max(children[name])] if name in children else [])]
        )
        for name in {*own, *children}
    }
    return sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:top_k]


def searched(store: ToyVectors, top_k: int, depth: int = 8, fewest: int = 64) -> list[SearchResult]:
    async def run() -> list[SearchResult]:
        plain = PlainPassages(cast("Any", store), chunks_for_a_passage=depth, fewest_chunks=fewest)
        return await plain.search_passages("c", [1.0, 0.0], top_k)

    return anyio.run(run)


@settings(max_examples=examples(100), deadline=None)
@given(bases(), st.integers(1, 6), st.integers(1, 8))
def test_the_best_passages_are_found_without_looking_at_everything(
    chunks: list[EmbeddedChunk], top_k: int, depth: int
) -> None:
    found = searched(ToyVectors(chunks), top_k, depth, fewest=1)
    expected = brute_force(chunks, top_k)
    assert [r.score for r in found] == pytest.approx([score for _, score in expected], abs=1e-9)
    assert ids(found) == [name for name, _ in expected]


@settings(max_examples=examples(), deadline=None)
@given(bases())
def test_the_children_that_matched_come_best_first_from_inside(chunks: list[EmbeddedChunk]) -> None:
    parents = {e.chunk.id: e.chunk.parent_id for e in chunks}
    for result in searched(ToyVectors(chunks), 3, fewest=1):
        scores = [match.score for match in result.matched]
        assert scores == sorted(scores, reverse=True)
        assert len(scores) <= 3
        assert {parents[match.chunk_id] for match in result.matched} <= {result.chunk.id}


def test_a_store_without_children_is_searched_once_and_nothing_else_is_read() -> None:
    store = ToyVectors([embedded(passage(f"p{n:03}"), n / 1000) for n in range(500)])
    assert ids(searched(store, 2)) == ["p499", "p498"]
    assert (len(store.asked), store.documents_read) == (1, [])


def test_many_near_children_of_one_passage_do_not_hide_the_others() -> None:
    crowd = passage("crowd")
    chunks = [embedded(crowd, 0.9), *(embedded(child(f"c{n:03}", crowd), 0.9) for n in range(300))]
    others = [embedded(passage(name), 0.5 - n / 10) for n, name in enumerate("ab")]
    assert ids(searched(ToyVectors([*chunks, *others]), 3)) == ["crowd", "a", "b"]


def test_an_unknown_collection_is_a_plain_error() -> None:
    with pytest.raises(CollectionNotFound):
        searched(ToyVectors([], collection="another"), 1)


@pytest.mark.parametrize(
    ("metric", "expected"),
    [(DistanceMetric.COSINE, 0.6), (DistanceMetric.DOT, 3.0), (DistanceMetric.EUCLIDEAN, 1 / (1 + 20**0.5))],
)
def test_scores_are_those_of_the_metric(metric: DistanceMetric, expected: float) -> None:
    assert nearness_to([1.0, 0.0], metric)([3.0, 4.0]) == pytest.approx(expected)


def test_a_vector_of_zeros_is_near_to_nothing() -> None:
    assert nearness_to([1.0, 0.0], DistanceMetric.COSINE)([0.0, 0.0]) == 0.0


def found(chunk: Chunk, score: float) -> SearchResult:
    return SearchResult(chunk, score, collection_id="c")


def test_children_give_way_to_their_passages_once_and_at_their_best() -> None:
    one, other = passage("a"), passage("b")
    small = [child("a1", one), child("b1", other), child("b2", other), child("x1", passage("gone"))]
    ranked = [found(small[1], 5), found(other, 4), found(small[2], 3), found(small[0], 2), found(small[3], 1)]
    assert missing_passages(ranked) == [("c", "b"), ("c", "a"), ("c", "gone")]
    passages = {("c", "a"): found(one, 0), ("c", "b"): found(other, 0)}
    lifted = as_passages(ranked, passages)
    assert [(r.chunk.id, r.score) for r in lifted] == [("b", 5), ("a", 2), ("x1", 1)]
    assert [match.chunk_id for match in lifted[0].matched] == ["b1"]
