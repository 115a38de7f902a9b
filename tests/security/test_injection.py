"""S06: keys outside the rule are refused, and every value is only a value."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.faults.bases import COLLECTION, rows_of
from tests.security.hostile import INJECTIONS
from tests.security.shelf import OPEN_IDS, QUESTION, SECRET, Shelf, shelf

from sourcebook.errors import BadFilter, BadText, CollectionNotFound
from sourcebook.model.documents import Chunk, Collection, DocumentPath, EmbeddedChunk
from sourcebook.model.search import And, Between, Equals, GreaterThan, In, LessThan, MetadataFilter, Not, Or
from sourcebook.testing.crash import embedding_model, prepared_document

GOOD_KEYS = ["_", "null", "true", "rowid", "sqlite_schema", "content", "d.content", "c.metadata", "e.atom"]
BAD_KEYS = [
    *(key for key in INJECTIONS if key not in GOOD_KEYS),
    "",
    ".",
    "a.",
    ".a",
    "a..b",
    "a b",
    "a\x00",
    "\x00",
    "a\ud800",
    "a\n",
    "\u202ea",
    "\u0301a",
    "😀",
    "a" * 65,
    ".".join(["a"] * 9),
    "a" * 1_000_000,
    "document.",
    "document.a'b",
    "chunk.$",
]
HOSTILE_VALUES = [*INJECTIONS, "", " ", "😀", "\u202e", "x" * 1_000_000, "public' --", "public\n", "PUBLIC"]
UNSTORABLE = ["\x00", "public\x00", "\ud800"]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shelf]:
    with shelf(tmp_path_factory.mktemp("injection") / "base.db") as made:
        yield made


def shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 30 else f"{text[:30]}...{len(text)}"


def filters_on(key: Any, value: Any) -> list[MetadataFilter]:
    return [
        Equals(key, value),
        In(key, [value, value]),
        GreaterThan(key, value),
        LessThan(key, value),
        Between(key, value, value),
        Not(Equals(key, value)),
        And([Or([Equals(key, value)])]),
    ]


# Keys


@pytest.mark.parametrize("key", BAD_KEYS, ids=shown)
def test_a_key_outside_the_rule_is_refused_by_every_search(base: Shelf, key: str) -> None:
    for wanted in filters_on(key, "x"):
        with pytest.raises(BadFilter):
            base.by_vectors(wanted)
        with pytest.raises(BadFilter):
            base.by_words("raspberries", wanted)


@pytest.mark.parametrize("key", [None, 1, b"a", ["a"], object()], ids=lambda key: type(key).__name__)
def test_a_key_that_is_no_text_is_refused(base: Shelf, key: object) -> None:
    for wanted in filters_on(key, "x"):
        with pytest.raises(BadFilter):
            base.by_vectors(wanted)


@pytest.mark.parametrize("key", GOOD_KEYS)
def test_a_key_that_names_something_of_the_base_is_only_a_key(base: Shelf, key: str) -> None:
    assert base.by_vectors(Not(Equals(key, "x"))) == OPEN_IDS
    assert base.by_vectors(Or([Equals(key, "x"), GreaterThan(key, ""), LessThan(key, "~" * 99)])) == []


# Values


@pytest.mark.parametrize("key", ["tag", "category", "title", "document_path", "chunk.tag", "document.tag"])
def test_a_hostile_value_matches_nothing_and_hides_nothing(base: Shelf, key: str) -> None:
    assert [shown(value) for value in HOSTILE_VALUES if not is_only_a_value(base, key, value)] == []


def is_only_a_value(base: Shelf, key: str, value: str) -> bool:
    each = [
        (
            base.by_vectors(wanted),
            base.by_words("raspberries томаты canetas", wanted),
            base.by_vectors(Not(wanted)),
        )
        for wanted in (Equals(key, value), In(key, [value, "also not"]), Between(key, value, value))
    ]
    mixed = And([Equals("tag", "public"), Not(Equals(key, value))])
    return each == [([], [], OPEN_IDS)] * 3 and base.by_vectors(mixed) == OPEN_IDS[:2]


@pytest.mark.parametrize("value", UNSTORABLE, ids=shown)
def test_a_value_that_no_base_can_hold_is_refused(base: Shelf, value: str) -> None:
    for wanted in filters_on("tag", value):
        with pytest.raises(BadFilter):
            base.by_vectors(wanted)


def test_a_list_of_a_hundred_thousand_values_is_only_a_list(base: Shelf) -> None:
    many = [f"no-{n}" for n in range(100_000)]
    assert base.by_vectors(In("tag", many)) == []
    assert base.by_vectors(In("tag", [*many, "internal"])) == ["open-3"]


def test_a_filter_of_too_many_parts_is_refused(base: Shelf) -> None:
    deep: MetadataFilter = Equals("tag", "public")
    for _ in range(5000):
        deep = Not(deep)
    for wanted in (deep, Or([Equals("tag", str(n)) for n in range(5000)])):
        with pytest.raises(BadFilter):
            base.by_vectors(wanted)


def test_the_largest_filter_that_is_allowed_is_answered(base: Shelf) -> None:
    wide = Or([Equals("tag", f"no-{n}") for n in range(998)])
    assert base.by_vectors(Or([*wide.filters[:997], Equals("tag", "public")])) == OPEN_IDS[:2]
    deep: MetadataFilter = Equals("tag", "public")
    for _ in range(62):
        deep = Not(deep)
    assert base.by_vectors(deep) == OPEN_IDS[:2]


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))


@settings(max_examples=examples(75), deadline=None, derandomize=True)
@given(key=st.text(st.characters(exclude_categories=[])), value=ANY_TEXT)
def test_any_key_and_value_are_answered_or_refused_and_leak_nothing(
    base: Shelf, key: str, value: str
) -> None:
    try:
        assert base.by_vectors(Equals(key, value)) == []
    except BadFilter:
        return
    assert base.by_vectors(Not(Equals(key, value))) == OPEN_IDS


# Names


HOSTILE_NAMES = [*INJECTIONS, "😀", "\u202ex", " ", "x" * 200, "secret' --"]


@pytest.mark.parametrize(
    "name", [*HOSTILE_NAMES, "", "\x00", "secret\x00", "\ud800", "x" * 1_000_000], ids=shown
)
def test_an_unknown_collection_is_unknown_whatever_its_name(base: Shelf, name: str) -> None:
    stores = base.base.stores
    for search in (
        lambda: base.wait(stores.vectors.search_semantic, name, QUESTION, 5),
        lambda: base.wait(stores.fts.search, name, "raspberries", 5),
        lambda: base.wait(stores.vectors.get_by_document, name, "document of secret-0"),
        lambda: base.wait(stores.library.list_documents, name),
    ):
        with pytest.raises((CollectionNotFound, BadText)):
            search()


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=shown)
def test_a_hostile_name_is_only_a_name(base: Shelf, name: str) -> None:
    """As the id of a collection, a document and a chunk: it holds what was put there and takes nothing else along."""
    stores = base.base.stores
    before = base.digest()
    base.wait(stores.vectors.create_collection, Collection(name, 16, name=name, description=name))
    chunk = Chunk(id=name, document_id=name, content="raspberries", end_index=11, section=name)
    base.wait(stores.vectors.add, name, [EmbeddedChunk(chunk, QUESTION)])
    base.wait(stores.fts.index, name, [chunk])
    held = base.wait(stores.vectors.get, name, name)
    assert held is not None
    assert replace(held.chunk, created_at=0) == chunk
    assert [r.chunk_id for r in base.wait(stores.fts.search, name, "raspberries", 5)] == [name]
    assert base.by_words("raspberries") == ["open-1"]
    base.wait(stores.vectors.delete, name, [name])
    base.wait(stores.vectors.delete_collection, name)
    assert base.digest() == before
    assert base.wait(base.base.faults) == []


@pytest.mark.parametrize("name", [*HOSTILE_NAMES, "", "\x00", "\ud800"], ids=shown)
def test_removing_by_a_hostile_name_removes_nothing_else(base: Shelf, name: str) -> None:
    stores = base.base.stores
    before = base.digest()
    for remove in (
        lambda: base.wait(stores.vectors.delete, COLLECTION, [name]),
        lambda: base.wait(stores.vectors.delete_by_document, COLLECTION, name),
        lambda: base.wait(stores.vectors.delete_collection, name),
        lambda: base.wait(stores.fts.delete, COLLECTION, [name]),
        lambda: base.wait(stores.fts.delete_by_document, COLLECTION, name),
        lambda: base.wait(stores.writer.remove_document, COLLECTION, name),
        lambda: base.wait(stores.writer.forget_path, COLLECTION, name, name),
        lambda: base.wait(stores.tracker.untrack, name, COLLECTION),
    ):
        with suppress(BadText):
            remove()
    assert base.digest() == before


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=shown)
def test_a_hostile_path_title_or_hash_is_only_text(tmp_path: Path, name: str) -> None:
    with shelf(tmp_path / "base.db") as base:
        stores = base.base.stores
        before = base.digest()
        plain = prepared_document(0)
        document = replace(
            plain.document,
            title=name,
            file_path=name,
            file_hash=name,
            type=name,
            category=name,
            subcategory=name,
        )
        prepared = replace(plain, document=document, paths=[DocumentPath(name, name, name)])
        assert prepared.model == embedding_model()
        base.wait(stores.writer.replace_document, COLLECTION, prepared)
        held = base.wait(stores.library.get_document_by_hash, COLLECTION, name)
        assert held is not None
        assert (held.title, held.file_path, held.category) == (name, name, name)
        assert base.wait(stores.writer.forget_path, COLLECTION, name, name)
        assert base.digest() == before


def test_the_secret_collection_was_never_touched(tmp_path: Path) -> None:
    with shelf(tmp_path / "base.db") as base:
        secret = [row for row in rows_of(base.path)["document_chunks"] if row[0] == SECRET]
        for value in HOSTILE_VALUES:
            base.by_vectors(Equals("tag", value))
        for name in HOSTILE_NAMES:
            base.wait(base.base.stores.vectors.delete, COLLECTION, [name])
        assert [row for row in rows_of(base.path)["document_chunks"] if row[0] == SECRET] == secret
        assert len(secret) == 3
