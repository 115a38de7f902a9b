"""B01: any string is a question. It never raises, never takes long, and never finds what is elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.faults.bases import COLLECTION
from tests.security.hostile import QUESTIONS
from tests.security.shelf import OPEN_IDS, TEXTS, Shelf, shelf

from sourcebook.errors import UsageError
from sourcebook.model.search import (
    DiversityConfig,
    HybridConfig,
    RerankConfig,
    RetrievalConfig,
    RetrievalMode,
    ReturnLevel,
    WarningCode,
)
from sourcebook.retrieve.search import DefaultRetriever
from sourcebook.testing.fakes import FakeEmbedder

LONGEST = 0.2
"""Seconds that a question may take, however long it is."""

ANY_CHARACTER = st.characters(exclude_categories=[])
HOSTILE_TEXT = st.lists(
    st.one_of(
        st.text(ANY_CHARACTER),
        st.sampled_from(
            ['"', "'", "*", "^", ":", "(", ")", "-", "+", "AND", "OR", "NOT", "NEAR", "\x00", " "]
        ),
        st.sampled_from(" ".join(TEXTS).split()),
    )
).map("".join)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    with shelf(tmp_path_factory.mktemp("questions") / "base.db") as made:
        yield made


def shown(question: str) -> str:
    return ascii(question[:20]) + (f"...{len(question)}" if len(question) > 20 else "")


def test_there_are_enough_hostile_questions() -> None:
    assert len(set(QUESTIONS)) >= 50


def test_a_hostile_question_is_answered_quickly_and_from_its_collection_alone(base: Shelf) -> None:
    def is_safe(question: str) -> bool:
        return set(base.by_words(question)) <= set(OPEN_IDS)

    assert [shown(q) for q in QUESTIONS if not is_safe(q)] == []
    assert [shown(q) for q in QUESTIONS if not is_quick(is_safe, q)] == []


def is_quick(ask: Callable[[str], object], question: str) -> bool:
    """Whether it is answered in time, at the third try at the latest."""
    return any(seconds_of(ask, question) <= LONGEST for _ in range(3))


def seconds_of(ask: Callable[[str], object], question: str) -> float:
    started = time.process_time()
    ask(question)
    return time.process_time() - started


@settings(max_examples=examples(100), deadline=None, derandomize=True)
@given(question=HOSTILE_TEXT)
def test_any_text_is_safe_to_ask(base: Shelf, question: str) -> None:
    assert set(base.by_words(question)) <= set(OPEN_IDS)


# The whole search


@pytest.fixture(scope="module")
def retriever(base: Shelf) -> DefaultRetriever:
    stores = base.base.stores
    embedder = FakeEmbedder(16, "crash")
    return DefaultRetriever(vector_store=stores.vectors, fts_store=stores.fts, embedder=embedder)


@pytest.mark.parametrize("mode", list(RetrievalMode))
def test_a_hostile_question_finds_something_or_says_that_it_holds_no_words(
    base: Shelf, retriever: DefaultRetriever, mode: RetrievalMode
) -> None:
    config = RetrievalConfig(mode=mode, return_level=ReturnLevel.CHILD)

    def is_answered(question: str) -> bool:
        report = base.wait(retriever.report, COLLECTION, question, config)
        says_so = WarningCode.NOTHING_TO_SEARCH_FOR in {warning.code for warning in report.warnings}
        is_inside = {result.chunk.id for result in report.results} <= set(OPEN_IDS)
        return is_inside and (mode is RetrievalMode.KEYWORD or bool(report.results) != says_so)

    assert [shown(q) for q in QUESTIONS if not is_answered(q)] == []
    assert [shown(q) for q in QUESTIONS if not is_quick(is_answered, q)] == []


@settings(max_examples=examples(100), deadline=None, derandomize=True)
@given(question=HOSTILE_TEXT)
def test_any_text_is_safe_to_search_for(base: Shelf, retriever: DefaultRetriever, question: str) -> None:
    report = base.wait(retriever.report, COLLECTION, question, RetrievalConfig(explain=True))
    assert {result.chunk.id for result in report.results} <= set(OPEN_IDS)
    assert report.results or report.warnings
    assert report.explanation is not None
    assert len(report.explanation.question) <= 4096


@pytest.mark.parametrize(
    "config",
    [
        RetrievalConfig(top_k=0),
        RetrievalConfig(top_k=-5),
        RetrievalConfig(top_k=10**9),
        RetrievalConfig(rerank_config=RerankConfig(top_k=0)),
        RetrievalConfig(rerank_config=RerankConfig(top_k=10**9)),
        RetrievalConfig(hybrid_config=HybridConfig(0.0, 0.0)),
        RetrievalConfig(hybrid_config=HybridConfig(float("nan"), 1.0)),
        RetrievalConfig(hybrid_config=HybridConfig(1.0, float("inf"))),
        RetrievalConfig(hybrid_config=HybridConfig(-1.0, 1.0)),
        RetrievalConfig(hybrid_config=HybridConfig(True, 1.0)),
        RetrievalConfig(diversity=DiversityConfig(novelty=2.0)),
        RetrievalConfig(diversity=DiversityConfig(max_per_document=0)),
    ],
    ids=str,
)
def test_numbers_that_make_no_sense_are_refused_with_their_name(
    base: Shelf, retriever: DefaultRetriever, config: RetrievalConfig
) -> None:
    with pytest.raises(UsageError, match=r"top_k|weight|diversity") as caught:
        base.wait(retriever.report, COLLECTION, "raspberries", config)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("raspberries", ["open-1"]),
        ('"raspberries" AND (NOT томаты:', ["open-1", "open-2"]),
        ("rasp*", ["open-1"]),
        ("томат", ["open-2"]),
        ("100 %", ["open-1"]),
        ("escuras", ["open-3"]),
        ("ｒａｓｐｂｅｒｒｉｅｓ", ["open-1"]),
        ("rasp\x00berries", ["open-1"]),
        ("secret", []),
        ("%", []),
        ("_", []),
        ("*", []),
        ("%*", []),
        ("r_spberries", []),
        ("r%s", []),
        ("content:", []),
    ],
)
def test_signs_in_a_question_are_no_commands(base: Shelf, question: str, expected: list[str]) -> None:
    assert sorted(base.by_words(question)) == expected


def test_questions_change_nothing(tmp_path: Path) -> None:
    with shelf(tmp_path / "base.db") as base:
        before = base.digest()
        for question in QUESTIONS:
            base.by_words(question)
        assert base.digest() == before
