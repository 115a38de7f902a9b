"""B01: any string is a question. It never raises, never takes long, and never finds what is elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.security.hostile import QUESTIONS
from tests.security.shelf import OPEN_IDS, TEXTS, Shelf, shelf

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


@pytest.mark.parametrize("question", QUESTIONS, ids=shown)
def test_a_hostile_question_is_answered_quickly_and_from_its_collection_alone(
    base: Shelf, question: str
) -> None:
    fastest = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        found = base.by_words(question)
        fastest = min(fastest, time.perf_counter() - started)
        assert set(found) <= set(OPEN_IDS)
    assert fastest <= LONGEST


@settings(max_examples=200, deadline=None, derandomize=True)
@given(question=HOSTILE_TEXT)
def test_any_text_is_safe_to_ask(base: Shelf, question: str) -> None:
    assert set(base.by_words(question)) <= set(OPEN_IDS)


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
