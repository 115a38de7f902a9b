"""Lists that do not say the same thing twice."""

from __future__ import annotations

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.toy_stores import ids, passage

from sourcebook.model.documents import Chunk
from sourcebook.model.search import DiversityConfig, SearchResult
from sourcebook.retrieve.diversity import Sieve, by_novelty, shared

WORDS = ["prune", "canes", "autumn", "spring", "water", "mulch", "straw", "frost", "bees"]


@st.composite
def rankings(draw: st.DrawFn) -> list[SearchResult]:
    """Passages of few documents, some of them overlapping, from the best on."""
    spans = st.tuples(st.sampled_from("de"), st.integers(0, 20), st.integers(1, 12))
    found: list[SearchResult] = []
    for number, (document, start, length) in enumerate(draw(st.lists(spans, max_size=12))):
        content = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)))
        chunk = Chunk(f"p{number}", document, content, start_index=start, end_index=start + length)
        found.append(SearchResult(chunk, 10.0 - number))
    return found


SHARES = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])


@given(rankings(), SHARES)
def test_nothing_is_lost_and_what_stays_does_not_overlap(found: list[SearchResult], overlap: float) -> None:
    sieve = Sieve(DiversityConfig(overlap=overlap))
    sieve.take(found)
    assert sorted(ids([*sieve.kept, *sieve.behind])) == sorted(ids(found))
    assert ids(sieve.kept) == [name for name in ids(found) if name in ids(sieve.kept)]
    assert ids(sieve.behind) == [name for name in ids(found) if name in ids(sieve.behind)]
    assert ids(sieve.kept[:1]) == ids(found[:1])
    for one, other in combinations(sieve.kept, 2):
        if one.chunk.document_id == other.chunk.document_id:
            assert shared(one.chunk, other.chunk) <= overlap


@given(rankings(), SHARES)
def test_every_demotion_names_a_better_result_that_stayed(found: list[SearchResult], overlap: float) -> None:
    sieve = Sieve(DiversityConfig(overlap=overlap))
    sieve.take(found)
    place = {name: number for number, name in enumerate(ids(found))}
    assert [demotion.chunk_id for demotion in sieve.demotions] == ids(sieve.behind)
    for demotion in sieve.demotions:
        assert demotion.because_of in ids(sieve.kept)
        assert place[demotion.because_of] < place[demotion.chunk_id]


@given(rankings(), st.integers(1, 3))
def test_no_document_has_more_than_its_number_of_passages(found: list[SearchResult], most: int) -> None:
    sieve = Sieve(DiversityConfig(overlap=1.0, max_per_document=most))
    sieve.take(found)
    for document in "de":
        own = [r for r in found if r.chunk.document_id == document]
        assert [r for r in sieve.kept if r.chunk.document_id == document] == own[:most]


@given(rankings())
def test_taking_in_two_goes_is_taking_at_once(found: list[SearchResult]) -> None:
    at_once, in_two = Sieve(DiversityConfig()), Sieve(DiversityConfig())
    at_once.take(found)
    in_two.take(found[:5])
    in_two.take(found[3:])  # what comes twice counts once
    assert (ids(at_once.kept), ids(at_once.behind)) == (ids(in_two.kept), ids(in_two.behind))


def test_only_passages_of_one_document_overlap() -> None:
    one, other = passage("a", "d", 0, "x" * 100), passage("b", "e", 0, "x" * 100)
    sieve = Sieve(DiversityConfig())
    sieve.take([SearchResult(one, 2.0), SearchResult(other, 1.0)])
    assert sieve.behind == []


def test_neighbours_that_share_a_quarter_both_stay() -> None:
    one, other = passage("a", "d", 0, "x" * 800), passage("b", "d", 600, "x" * 800)
    assert shared(one, other) == 0.25
    sieve = Sieve(DiversityConfig())
    sieve.take([SearchResult(one, 2.0), SearchResult(other, 1.0)])
    assert sieve.behind == []


def test_spans_that_are_not_known_never_overlap() -> None:
    assert shared(Chunk("a", "d", "x"), Chunk("b", "d", "x")) == 0.0


@given(rankings(), st.sampled_from([0.0, 0.3, 0.7, 1.0]), st.integers(0, 15))
def test_novelty_never_lets_the_score_rise(found: list[SearchResult], novelty: float, count: int) -> None:
    chosen = by_novelty(found, novelty, count)
    assert len(chosen) == min(count, len(found))
    assert len(set(ids(chosen))) == len(chosen)
    assert all(one.score >= other.score - 1e-12 for one, other in pairwise(chosen))
    assert ids(chosen[:1]) == ids(found[: min(1, count)])


@given(rankings())
def test_without_novelty_the_order_stays(found: list[SearchResult]) -> None:
    assert ids(by_novelty(found, 0.0, len(found))) == ids(found)
