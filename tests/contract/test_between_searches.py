"""While somebody goes on asking, what others write is followed between two searches, so that no search has to."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import numpy as np
import pytest
from tests.contract.statements import FOLLOWING, statements_told

from sourcebook import AsyncSourcebook, Collection, Settings
from sourcebook.errors import CollectionNotFound
from sourcebook.testing.contract.material import chunk

if TYPE_CHECKING:
    from sourcebook.model.documents import EmbeddedChunk

pytestmark = pytest.mark.anyio

QUESTION = np.ones(8, dtype=np.float32)
# Longer than it takes to notice what was written, and shorter than somebody is believed to go on asking.
A_MOMENT = 0.1
# Nobody is believed to go on asking any more.
A_WHILE = 0.5


def opened(path: Path) -> AsyncSourcebook:
    return AsyncSourcebook(settings=Settings(db=str(path), embedder="none"))


def rows(document: str) -> list[EmbeddedChunk]:
    return [chunk(f"{document}-{i}", QUESTION, document=document, content="text", index=i) for i in range(5)]


async def write(book: AsyncSourcebook, document: str) -> None:
    await book.stores.vectors.add("c", rows(document))
    await book.stores.fts.index("c", [one.chunk for one in rows(document)])


async def by_meaning(book: AsyncSourcebook) -> set[str]:
    return {one.chunk.document_id for one in await book.stores.vectors.search_semantic("c", QUESTION, 100)}


async def by_words(book: AsyncSourcebook) -> set[str]:
    return {hit.chunk_id.partition("-")[0] for hit in await book.stores.fts.search("c", "text", 100)}


@pytest.fixture
async def db(tmp_path: Path) -> Path:
    path = tmp_path / "base.db"
    async with opened(path) as book:
        await book.create_collection(Collection("c", 8))
        await write(book, "first")
    return path


@pytest.fixture
def followed() -> Generator[list[str]]:
    """The statements by which changed documents were read."""
    seen: list[str] = []
    with statements_told(FOLLOWING, seen.append):
        yield seen


@pytest.fixture
async def complaints() -> list[dict[str, Any]]:
    """What the event loop has to say of callbacks that failed."""
    heard: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: heard.append(told))
    return heard


@pytest.mark.parametrize("search", [by_meaning, by_words])
async def test_what_was_written_is_followed_before_the_next_of_several_searches(
    db: Path, followed: list[str], search: Any
) -> None:
    async with opened(db) as book, opened(db) as other:
        expected = {"first"}
        # On a busy machine, writing may take so long that nobody seems to ask any more.
        for attempt in range(10):
            await search(book)
            await search(book)
            followed.clear()
            await write(other, f"more{attempt}")
            expected.add(f"more{attempt}")
            await anyio.sleep(A_MOMENT)
            before = list(followed)
            assert await search(book) == expected
            if before and followed == before:
                return
    pytest.fail("each search had to follow what was written")


@pytest.mark.parametrize("search", [by_meaning, by_words])
async def test_a_search_sees_what_was_written_just_before_it(db: Path, search: Any) -> None:
    async with opened(db) as book, opened(db) as other:
        expected = {"first"}
        for number in range(15):
            await write(other, f"more{number}")
            expected.add(f"more{number}")
            assert await search(book) == expected
            await anyio.sleep(0.001 * number)


@pytest.mark.parametrize("search", [by_meaning, by_words])
async def test_nothing_is_followed_for_somebody_who_asked_once_or_no_longer_asks(
    db: Path, followed: list[str], search: Any
) -> None:
    async with opened(db) as book, opened(db) as other:
        await search(book)
        await write(other, "second")
        await anyio.sleep(A_MOMENT)
        assert followed == []
        await search(book)
        await search(book)
        await anyio.sleep(A_WHILE)
        followed.clear()
        await write(other, "third")
        await anyio.sleep(A_MOMENT)
        assert followed == []
        assert await search(book) == {"first", "second", "third"}


@pytest.mark.parametrize("search", [by_meaning, by_words])
async def test_a_base_may_be_closed_while_somebody_goes_on_asking(
    db: Path, complaints: list[dict[str, Any]], search: Any
) -> None:
    async with opened(db) as book:
        await search(book)
        await search(book)
    await anyio.sleep(A_MOMENT)
    assert complaints == []


@pytest.mark.parametrize("search", [by_meaning, by_words])
async def test_that_a_collection_is_gone_is_told_to_who_asks_next(
    db: Path, complaints: list[dict[str, Any]], search: Any
) -> None:
    async with opened(db) as book, opened(db) as other:
        await search(book)
        await search(book)
        await other.stores.vectors.delete_collection("c")
        await anyio.sleep(A_MOMENT)
        with pytest.raises(CollectionNotFound):
            await search(book)
    assert complaints == []
