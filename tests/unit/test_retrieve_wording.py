"""Filters as text, chosen subcategories, and questions as they are searched."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook.model.search import And, Between, Equals, GreaterThan, In, LessThan, MetadataFilter, Not, Or
from sourcebook.retrieve.filters.filter_meaning import FilterRecord, check, matches
from sourcebook.retrieve.filters.filter_text import as_where
from sourcebook.retrieve.filters.where_language import parse_where
from sourcebook.retrieve.question_for_embedding import question_for_embedding
from sourcebook.retrieve.searchable_question import Question
from sourcebook.retrieve.subcategories import general_entries, own_entries
from sourcebook.text.normal_form import storable

NAMES = st.sampled_from(["type", "сорт", "author.name", "in", "and", "document.x-1"])
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)
NUMBERS = st.one_of(st.integers(-(2**60), 2**60), st.floats(allow_nan=False, allow_infinity=False))
ORDERED = st.one_of(TEXTS, NUMBERS)
VALUES = st.one_of(ORDERED, st.booleans())
LEAVES: st.SearchStrategy[MetadataFilter] = st.one_of(
    st.builds(Equals, NAMES, VALUES),
    st.builds(In, NAMES, st.lists(VALUES, min_size=1, max_size=3)),
    st.builds(GreaterThan, NAMES, ORDERED),
    st.builds(LessThan, NAMES, ORDERED),
    st.builds(Between, NAMES, TEXTS, TEXTS),
    st.builds(Between, NAMES, NUMBERS, NUMBERS),
)
TREES: st.SearchStrategy[MetadataFilter] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(And, st.lists(inner, min_size=2, max_size=3)),
        st.builds(Or, st.lists(inner, min_size=2, max_size=3)),
        st.builds(Not, inner),
    ),
    max_leaves=6,
)


@given(TREES)
def test_a_filter_written_as_text_is_read_as_the_same_filter(tree: MetadataFilter) -> None:
    assert repr(parse_where(as_where(tree))) == repr(check(tree))


def test_dates_and_empty_parts_can_be_told() -> None:
    assert as_where(GreaterThan("date", date(2024, 1, 31))) == 'date > "2024-01-31"'
    assert as_where(And([])) == "(everything)"
    assert as_where(Not(Or([]))) == "not (nothing)"


def entry(subcategory: str | None) -> FilterRecord:
    return FilterRecord(columns={"subcategory": subcategory, "category": "ягоды"})


@pytest.mark.parametrize(
    ("chosen", "subcategory", "is_own", "is_general"),
    [
        ("малина_ремонтантная", "Малина ремонтантная", True, False),
        ("Малина Ремонтантная", "малина_общая", False, True),
        ("малина_ремонтантная", None, False, True),
        ("малина_ремонтантная", "", False, True),
        ("малина_ремонтантная", "малина_летняя", False, False),
        ("малина_ремонтантная", "клубника_общая", False, False),
        ("малина", "малина_общая", False, True),
        ("малина_общая", "малина_общая", True, False),
        ("малина_общая", None, False, True),
        ("raspberry_everbearing", "raspberry_general", False, True),
        ("framboesa_remontante", "framboesa_geral", False, True),
        ("чёрная_смородина", "Черная общая", False, True),
    ],
)
def test_own_and_general_entries(
    chosen: str, subcategory: str | None, is_own: bool, is_general: bool
) -> None:
    assert matches(check(own_entries(chosen, None)), entry(subcategory)) == is_own
    assert matches(check(general_entries(chosen, None)), entry(subcategory)) == is_general


@given(st.text(max_size=12), st.one_of(st.none(), st.text(max_size=12)))
def test_no_entry_is_both_own_and_general(chosen: str, subcategory: str | None) -> None:
    chosen = "x" + chosen.encode(errors="ignore").decode().replace("\x00", "")
    record = entry(subcategory)
    own, general = check(own_entries(chosen, None)), check(general_entries(chosen, None))
    assert not (matches(own, record) and matches(general, record))


def test_a_filter_still_holds_for_the_general_entries() -> None:
    within = Equals("category", "овощи")
    assert not matches(check(general_entries("малина", within)), entry(None))
    assert not matches(check(own_entries("малина", within)), entry("малина"))


@pytest.mark.parametrize(
    ("text", "has_words", "has_meaning"),
    [
        ("prune raspberries", True, True),
        ("малина", True, True),
        ("日本語", True, True),
        ("7", True, True),
        ("🍓", False, True),
        ("?!", False, False),
        ("_ * ( )", False, False),
        ("\u200b\u202e\ufeff", False, False),
        ("\x00\ud800", False, False),
        ("", False, False),
    ],
)
def test_what_a_question_offers(text: str, has_words: bool, has_meaning: bool) -> None:
    question = Question.of(text)
    assert (question.has_words, question.has_meaning) == (has_words, has_meaning)


@given(st.text(st.characters(exclude_categories=[]), max_size=5000))
def test_any_text_becomes_one_that_can_be_stored_and_embedded(text: str) -> None:
    question = Question.of(text)
    assert storable(question.text)
    assert len(question.text) <= 4096


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("WHEN DO I PRUNE RASPBERRIES?", "when do i prune raspberries?"),
        ("КОГДА ОБРЕЗАТЬ МАЛИНУ?", "когда обрезать малину?"),
        ("HTTP API", "HTTP API"),
        ("When do I prune in the USA?", "When do I prune in the USA?"),
    ],
)
def test_a_question_in_capitals_is_read_by_a_model_as_one_in_small_letters(text: str, read: str) -> None:
    assert question_for_embedding(text) == read
