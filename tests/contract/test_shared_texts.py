"""Texts under several ids: each id keeps its text whatever becomes of the others, on both databases."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sourcebook import AsyncSourcebook, Collection, NewText, Settings, WriteOutcome
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.anyio

Pairs = list[tuple[str, str]]
MANUAL, OFFICE = "See the manual.", "Call the office."


def opened(db: str, embedder: FakeEmbedder | None = None) -> AsyncSourcebook:
    return AsyncSourcebook(settings=Settings(db=db, embedder="none"), embedder=embedder)


async def added(book: AsyncSourcebook, pairs: Pairs, *, together: bool) -> None:
    if together:
        await book.add_texts([NewText(text, id=name) for name, text in pairs])
        return
    for name, text in pairs:
        await book.add_text(text, id=name)


async def text_of(book: AsyncSourcebook, name: str) -> str | None:
    document = await book.library.get(name)
    return None if document is None else document.content


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize(
    ("first", "then"),
    [
        pytest.param([("A", "one"), ("B", "two")], [("A", "two"), ("B", "one")], id="swapped"),
        pytest.param([("B", "one")], [("N", "one"), ("B", "two")], id="moved to a new id"),
        pytest.param([("A", "one"), ("B", "two")], [("A", "two"), ("B", "three")], id="passed on"),
        pytest.param([], [("A", "one"), ("B", "one"), ("A", "two")], id="shared at first"),
        pytest.param([("A", "one"), ("B", "one"), ("C", "one")], [("A", "two")], id="shared by three"),
        pytest.param([("A", "one"), ("B", "one"), ("C", "two")], [("A", "two")], id="shared by others"),
        pytest.param([("A", "one"), ("B", "one")], [("B", "two")], id="the second id changes"),
    ],
)
async def test_every_id_has_the_text_that_it_was_given_last(
    db: str, first: Pairs, then: Pairs, together: bool
) -> None:
    async with opened(db, FakeEmbedder()) as book:
        await added(book, first, together=together)
        await added(book, then, together=together)
        wanted = dict(first) | dict(then)
        assert {name: await text_of(book, name) for name in wanted} == wanted
        for text in set(wanted.values()):
            found = await book.search(text)
            assert [r.chunk.content for r in found].count(text) == 1
        assert all(d.file_path == d.id for d in await book.documents())
        assert (await book.maintenance.doctor()).ok


async def test_an_id_that_shares_its_text_is_looked_up_like_any_other(db: str) -> None:
    async with opened(db, FakeEmbedder()) as book:
        await added(book, [("faq1", MANUAL), ("faq2", MANUAL)], together=True)
        assert await text_of(book, "faq2") == MANUAL
        assert (await book.library.find("faq2")).document.content == MANUAL


@pytest.mark.parametrize("removed", ["faq1", "faq2", "faq3"])
async def test_an_id_that_shares_its_text_is_removed_by_itself(db: str, removed: str) -> None:
    names = ["faq1", "faq2", "faq3"]
    async with opened(db, FakeEmbedder()) as book:
        await added(book, [(name, MANUAL) for name in names], together=True)
        assert await book.library.remove(removed)
        assert not await book.library.remove(removed)
        left = [name for name in names if name != removed]
        assert [await text_of(book, name) for name in [removed, *left]] == [None, MANUAL, MANUAL]
        assert [r.chunk.content for r in await book.search(MANUAL)] == [MANUAL]
        assert [await book.library.remove(name) for name in left] == [True, True]
        assert await book.documents() == []
        assert (await book.maintenance.doctor()).ok


async def test_a_text_that_goes_to_another_id_keeps_its_vector_and_all_that_was_said_of_it(db: str) -> None:
    vector = np.array([1, 0, 0], dtype=np.float32)
    async with opened(db) as book:
        await book.create_collection(Collection("own", 3))
        shared = [
            NewText(MANUAL, id=name, title="Help", metadata={"year": 2020}, vector=vector)
            for name in ("A", "B")
        ]
        await book.add_texts(shared, collection="own", category="desk")
        await book.library.hide("A", collection="own")
        await book.add_texts(
            [NewText(OFFICE, id="A", vector=np.array([0, 1, 0], dtype=np.float32))], collection="own"
        )
        kept = await book.library.get("B", collection="own")
        assert kept is not None
        assert (kept.id, kept.title, kept.metadata, kept.category) == ("B", "Help", {"year": 2020}, "desk")
        assert not kept.is_active
        chunks = await book.stores.vectors.get_by_document("own", "B")
        assert [np.asarray(c.embedding).tolist() for c in chunks] == [[1, 0, 0]]


async def test_a_long_text_goes_to_another_id_with_all_its_passages_and_nothing_is_embedded_again(
    db: str,
) -> None:
    long = " ".join(f"Sentence number {n} speaks of the orchard." for n in range(200))
    embedder = FakeEmbedder()
    async with opened(db, embedder) as book:
        await added(book, [("A", long), ("B", long)], together=True)
        before = await book.stores.vectors.get_by_document("default", "A")
        embedder.embedded = 0
        await book.library.remove("A")
        after = await book.stores.vectors.get_by_document("default", "B")
        assert [c.chunk.content for c in after] == [c.chunk.content for c in before]
        assert len({c.chunk.parent_id for c in after}) > 2
        assert embedder.embedded == 0
        assert (await book.maintenance.doctor()).ok


async def test_a_file_with_the_text_of_a_note_keeps_it_when_the_note_changes(db: str, tmp_path: Path) -> None:
    (tmp_path / "manual.txt").write_text(MANUAL)
    async with opened(db, FakeEmbedder()) as book:
        await book.add_text(MANUAL, id="note")
        assert (await book.add(tmp_path)).duplicates == 1
        await book.add_text(OFFICE, id="note")
        assert await text_of(book, "note") == OFFICE
        assert (await book.library.find("manual.txt")).document.content == MANUAL
        assert (await book.add(tmp_path)).unchanged == 1
        assert await text_of(book, "note") == OFFICE


async def test_a_note_with_another_label_still_shares_its_text(db: str) -> None:
    async with opened(db, FakeEmbedder()) as book:
        await added(book, [("A", MANUAL), ("B", MANUAL)], together=True)
        report = await book.add_text(MANUAL, id="A", category="desk")
        assert report.outcome is WriteOutcome.WRITTEN
        assert [await text_of(book, name) for name in ("A", "B")] == [MANUAL, MANUAL]
        assert len(await book.documents()) == 1
