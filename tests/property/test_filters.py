"""Filters under any values and any text."""

from __future__ import annotations

import contextlib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sourcebook.errors import BadFilter
from sourcebook.model.search import (
    And,
    Between,
    Equals,
    GreaterThan,
    In,
    LessThan,
    MetadataFilter,
    Not,
    Or,
)
from sourcebook.retrieve.filters.filter_meaning import FilterRecord, check, matches
from sourcebook.retrieve.filters.where_language import parse_where

KEYS = st.sampled_from(["a", "b", "a.b", "document.a", "chunk.a", "category", "title", "сорт"])
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=4)
ORDERED = st.one_of(
    st.integers(-3, 3), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXTS
)
VALUES = st.one_of(st.booleans(), ORDERED)


def between(draw: tuple[str, Any, Any]) -> MetadataFilter:
    key, low, high = draw
    return Between(key, low, high if isinstance(low, str) == isinstance(high, str) else low)


CONDITIONS: st.SearchStrategy[MetadataFilter] = st.one_of(
    st.builds(Equals, KEYS, VALUES),
    st.builds(In, KEYS, st.lists(VALUES, max_size=3)),
    st.builds(GreaterThan, KEYS, ORDERED),
    st.builds(LessThan, KEYS, ORDERED),
    st.tuples(KEYS, ORDERED, ORDERED).map(between),
)


def joined(inner: st.SearchStrategy[MetadataFilter]) -> st.SearchStrategy[MetadataFilter]:
    several = st.lists(inner, max_size=3)
    return st.one_of(st.builds(And, several), st.builds(Or, several), st.builds(Not, inner))


FILTERS = st.recursive(CONDITIONS, joined, max_leaves=8)
JSON = st.recursive(
    st.one_of(st.none(), VALUES),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("ab"), inner)),
    max_leaves=5,
)
METADATA = st.dictionaries(st.sampled_from(["a", "b", "category", "title", "сорт"]), JSON)
RECORDS = st.builds(FilterRecord, METADATA, METADATA, st.just({"title": "т", "category": None, "page": 1}))


@given(FILTERS, RECORDS)
def test_not_is_always_the_opposite(tree: MetadataFilter, record: FilterRecord) -> None:
    checked = check(tree)
    assert matches(Not(checked), record) is not matches(checked, record)


@given(FILTERS)
def test_checking_twice_changes_nothing(tree: MetadataFilter) -> None:
    assert repr(check(check(tree))) == repr(check(tree))


@given(KEYS, ORDERED, JSON)
def test_a_single_value_is_below_on_or_above_and_never_two_of_them(key: str, value: Any, found: Any) -> None:
    record = FilterRecord(document_metadata={"a": found, "category": found})
    hits = [
        matches(check(tree), record)
        for tree in (Equals(key, value), GreaterThan(key, value), LessThan(key, value))
    ]
    assert sum(hits) <= (3 if isinstance(found, list) else 1)
    assert matches(check(Between(key, value, value)), record) == hits[0]


@given(KEYS, st.lists(VALUES, max_size=4), RECORDS)
def test_in_is_or_of_equals(key: str, values: list[Any], record: FilterRecord) -> None:
    either = Or([Equals(key, value) for value in values])
    assert matches(check(In(key, values)), record) == matches(check(either), record)


WORDS = ("and", "or", "NOT", "in", "between", "a", "сорт", "document.x", "1", "2.5", "true", "2024-01-01")
MARKS = ("(", ")", ",", "=", "!=", ">=", "<", "!", "'", '"', "''", " ", "\n")
PIECES = st.sampled_from((*WORDS, *MARKS))


@given(st.one_of(st.text(), st.lists(PIECES).map(" ".join), st.lists(PIECES).map("".join)))
def test_only_bad_filter_escapes_from_any_text(text: str) -> None:
    with contextlib.suppress(BadFilter):
        tree = parse_where(text)
        assert check(tree) == tree


@given(st.sampled_from(["=", ">", "<"]), TEXTS, st.sampled_from("'\""))
def test_a_quoted_text_comes_back_as_it_was(operator: str, value: str, quote: str) -> None:
    quoted = quote + value.replace(quote, quote * 2) + quote
    kinds = {"=": Equals, ">": GreaterThan, "<": LessThan}
    assert parse_where(f"a{operator}{quoted}") == kinds[operator]("a", value)
