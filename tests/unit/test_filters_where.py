"""The language of `--where`."""

from __future__ import annotations

import pytest

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
from sourcebook.retrieve.filters.where_language import parse_where


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a=1", Equals("a", 1)),
        ("a = 1.5", Equals("a", 1.5)),
        ("a=-2e3", Equals("a", -2000.0)),
        ("a=true", Equals("a", True)),
        ("a=False", Equals("a", False)),
        ("a='true'", Equals("a", "true")),
        ('a="1"', Equals("a", "1")),
        ("a='it''s'", Equals("a", "it's")),
        ("a=007", Equals("a", "007")),
        ("a!=x", Not(Equals("a", "x"))),
        ("a>=2", Or((Equals("a", 2), GreaterThan("a", 2)))),
        ("a<=2", Or((Equals("a", 2), LessThan("a", 2)))),
        ("date>2024-01-01", GreaterThan("date", "2024-01-01")),
        ("сорт=Полка", Equals("сорт", "Полка")),
        ("subcategory=Малина_Ремонтантная", Equals("subcategory", "малина_ремонтантная")),
        ("path=docs/a-b.md", Equals("path", "docs/a-b.md")),
        ("a in (x, 2, 'y z')", In("a", ("x", 2, "y z"))),
        ("a BETWEEN 1 AND 2 and b=3", And((Between("a", 1, 2), Equals("b", 3)))),
        ("a=1 or b=2 and c=3", Or((Equals("a", 1), And((Equals("b", 2), Equals("c", 3)))))),
        ("(a=1 or b=2) and c=3", And((Or((Equals("a", 1), Equals("b", 2))), Equals("c", 3)))),
        ("not a=1 and b=2", And((Not(Equals("a", 1)), Equals("b", 2)))),
        ("not (a=1 and b=2)", Not(And((Equals("a", 1), Equals("b", 2))))),
        ("'in'=1", Equals("in", 1)),
        (
            "type=documentation and date>2024-01-01",
            And((Equals("type", "documentation"), GreaterThan("date", "2024-01-01"))),
        ),
    ],
)
def test_a_filter_is_read(text: str, tree: MetadataFilter) -> None:
    assert parse_where(text) == tree


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("", 1, "the name of a field, found the end"),
        ("a", 2, "one of `= != > >= < <=`"),
        ("a=", 3, "a value, found the end"),
        ("a=1 b=2", 5, "`and`, `or` or the end, found `b`"),
        ("a=hello world", 9, "`and`, `or` or the end"),
        ("a=and", 3, "a value, found `and`"),
        ("a='x", 3, "never closed"),
        ("a ! 3", 3, "expected `!=`"),
        ("a in x", 6, "`(`"),
        ("a in ()", 7, "a value"),
        ("a in (x", 8, "`,` or `)`"),
        ("a between 1 2", 13, "`and` and the upper end"),
        ("(a=1", 5, "`)`"),
        ("a=1)", 4, "the end, found `)`"),
        ("a=1 and", 8, "the name of a field"),
        ("a$=1", 1, "not a valid name"),
        ("(" * 80, 65, "64 levels deep"),
        ("not " * 5000 + "a=1", 257, "64 levels deep"),
    ],
)
def test_an_error_says_where_and_what_was_expected(text: str, position: int, problem: str) -> None:
    with pytest.raises(BadFilter) as caught:
        parse_where(text)
    assert f"at character {position}:" in caught.value.message
    assert problem in caught.value.message


@pytest.mark.parametrize("text", ["a=" + "9" * 5000, "a=1e999", "a>true", "a between 1 and x", "a='\x00'"])
def test_values_are_checked_too(text: str) -> None:
    with pytest.raises(BadFilter):
        parse_where(text)
