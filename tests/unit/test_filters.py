"""What a filter lets through, and what it refuses to be."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

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
from sourcebook.retrieve.filters.filter_meaning import (
    Field,
    FieldScope,
    FilterRecord,
    check,
    matches,
    parse_field,
)
from sourcebook.retrieve.filters.unknown_fields import unknown_fields

RECORD = FilterRecord(
    chunk_metadata={"page_kind": "table", "year": 2020, "shared": "chunk", "empty": None},
    document_metadata={
        "shared": "document",
        "year": 1999,
        "empty": "document",
        "tags": ["ягода", 7, True, None, ["deep"]],
        "author": {"name": "Ирина", "age": 61},
        "published": "2024-03-01",
        "free": True,
        "big": 2**80,
        "title": "from metadata",
    },
    columns={"title": "from column", "category": "Ягоды", "page": 3, "language": None},
)


def lets_through(tree: MetadataFilter) -> bool:
    return matches(check(tree), RECORD)


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("type", Field(FieldScope.ANY, ("type",))),
        ("a.b.c", Field(FieldScope.ANY, ("a", "b", "c"))),
        ("document.a", Field(FieldScope.DOCUMENT, ("a",))),
        ("chunk.a.b", Field(FieldScope.CHUNK, ("a", "b"))),
        ("chunk", Field(FieldScope.ANY, ("chunk",))),
        ("document.document", Field(FieldScope.DOCUMENT, ("document",))),
        ("сорт", Field(FieldScope.ANY, ("сорт",))),
        ("किस्म", Field(FieldScope.ANY, ("किस्म",))),
        ("sort-order_2", Field(FieldScope.ANY, ("sort-order_2",))),
        (".".join("abcdefgh"), Field(FieldScope.ANY, tuple("abcdefgh"))),
    ],
)
def test_a_key_is_read_in_any_script(name: str, field: Field) -> None:
    assert parse_field(name) == field


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            ".",
            "a.",
            ".a",
            "a..b",
            "a b",
            "a'b",
            'a"b',
            "a$b",
            "a[0]",
            "a;--",
            "x" * 65,
            "a\x00",
            "\ud800",
        ),
        *(".".join("abcdefghi"), "document.", "\u0301a", "a/b", "%", "a\n"),
    ],
)
def test_a_key_that_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(BadFilter):
        parse_field(name)


def test_the_refusal_names_the_key() -> None:
    with pytest.raises(BadFilter, match="two words"):
        parse_field("two words")


@pytest.mark.parametrize(
    "tree",
    [
        Equals("year", 2020),
        Equals("document.year", 1999),
        Equals("shared", "chunk"),
        Equals("document.shared", "document"),
        Equals("empty", "document"),
        Equals("title", "from metadata"),
        Equals("page", 3),
        Equals("author.name", "Ирина"),
        Equals("tags", "ягода"),
        Equals("tags", 7),
        Equals("tags", True),
        Equals("free", True),
        Equals("year", 2020.0),
        Equals("big", float(2**80)),
        Equals("category", "ягоды"),
        Equals("published", date(2024, 3, 1)),
        In("tags", ("x", "ягода")),
        GreaterThan("published", date(2024, 1, 1)),
        LessThan("author.age", 61.5),
        Between("year", 2020, 2020),
        Between("tags", 6, 8),
        And(()),
        Not(Or(())),
        Not(In("year", ())),
        Not(Equals("nowhere", 1)),
        Not(Equals("language", "ru")),
        Or((Equals("year", 1), And((Equals("free", True), Not(Equals("page", 4)))))),
    ],
)
def test_what_matches(tree: MetadataFilter) -> None:
    assert lets_through(tree)


@pytest.mark.parametrize(
    "tree",
    [
        Equals("year", 1999),
        Equals("year", "2020"),
        Equals("free", 1),
        Equals("page", "3"),
        Equals("tags", 1),
        Equals("tags", "deep"),
        Equals("author", "Ирина"),
        Equals("author.name.first", "Ирина"),
        Equals("chunk.title", "from column"),
        Equals("document.page", 3),
        Equals("nowhere", "x"),
        Equals("empty", "x"),
        GreaterThan("free", 0),
        GreaterThan("nowhere", 0),
        LessThan("nowhere", 0),
        GreaterThan("year", 2020),
        LessThan("year", 2020),
        Between("nowhere", 0, 1),
        Not(And(())),
        Or(()),
        In("year", ()),
    ],
)
def test_what_does_not_match(tree: MetadataFilter) -> None:
    assert not lets_through(tree)


def test_integers_and_floats_compare_exactly() -> None:
    record = FilterRecord(document_metadata={"n": 2**53 + 1})
    assert not matches(check(Equals("n", float(2**53))), record)
    assert matches(check(GreaterThan("n", float(2**53))), record)


def test_categories_compare_in_normal_form_wherever_they_are_found() -> None:
    wanted = check(Equals("subcategory", "Малина  ремонтантная"))
    assert matches(wanted, FilterRecord(columns={"subcategory": "малина_ремонтантная"}))
    assert matches(wanted, FilterRecord(document_metadata={"subcategory": ["МАЛИНА ремонтантная"]}))
    assert not matches(check(Equals("kind", "Малина")), FilterRecord(document_metadata={"kind": "малина"}))


def test_checking_turns_values_into_what_is_compared() -> None:
    moment = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
    tree = And((Equals("a", date(2024, 1, 2)), GreaterThan("b", moment), Equals("c", 2**63)))
    expected = And(
        (Equals("a", "2024-01-02"), GreaterThan("b", moment.isoformat()), Equals("c", float(2**63)))
    )
    assert check(tree) == expected


@pytest.mark.parametrize(
    "tree",
    [
        Equals("a", None),  # type: ignore[arg-type]
        Equals("a", [1]),  # type: ignore[arg-type]
        Equals("a", {}),  # type: ignore[arg-type]
        Equals("a", b"x"),  # type: ignore[arg-type]
        Equals("a", float("nan")),
        Equals("a", float("inf")),
        Equals("a", 10**400),
        Equals("a", "nul\x00"),
        Equals("a", "\udc00"),
        Equals(5, "x"),  # type: ignore[arg-type]
        In("a", (1, None)),  # type: ignore[arg-type]
        GreaterThan("a", True),
        LessThan("a", False),
        Between("a", True, 2),
        Between("a", 1, "z"),
        Between("a", "z", 1),
        And((Equals("a", 1), "b=2")),  # type: ignore[arg-type]
        Not(None),  # type: ignore[arg-type]
        "a=1",
        None,
    ],
)
def test_nonsense_is_refused(tree: Any) -> None:
    with pytest.raises(BadFilter):
        check(tree)


def test_null_points_to_not() -> None:
    with pytest.raises(BadFilter, match=r"null is missing, use Not"):
        check(Equals("a", None))  # type: ignore[arg-type]


def test_nesting_has_a_limit_that_python_never_reaches() -> None:
    tree: MetadataFilter = Equals("a", 1)
    for _ in range(63):
        tree = Not(tree)
    assert not matches(check(tree), FilterRecord(document_metadata={"a": 1}))
    for _ in range(100_000):
        tree = Not(tree)
    with pytest.raises(BadFilter, match="64 levels"):
        check(tree)
    while isinstance(tree, Not):  # taken apart by hand: freeing it at once would recurse in Python itself
        tree = tree.filter


def test_size_has_a_limit() -> None:
    check(And([Equals("a", 1)] * 999))
    with pytest.raises(BadFilter, match="1000 parts"):
        check(And([Equals("a", 1)] * 1000))


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        (Between("mtime", "2024-01-01", "2024-02-30"), "'2024-02-30' is not one"),
        (GreaterThan("mtime", "2024-W05"), "'2024-W05' is not one"),
        (Between("mtime", "2024-01-01", "2024-02-29"), ""),
        (In("mtime", ["yesterday", "2024-02-29"]), ""),
        (In("page", ["one", "two"]), "'one' is not one"),
        (In("title", [1984, "Emma"]), ""),
        (Equals("title", True), 'title="true"'),
    ],
)
def test_a_condition_that_no_value_of_a_column_can_meet_is_told(tree: MetadataFilter, said: str) -> None:
    told = "".join(warning.message for warning in unknown_fields(check(tree), ()))
    assert said in told if said else told == ""
