"""What another process wrote is followed in the event loop only if that is soon done; the rest is a thread's work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import numpy as np
import pytest
from tests.contract.statements import FOLLOWING, rows_told, statements_told

from sourcebook import AsyncSourcebook, Collection, Equals, Settings
from sourcebook.storage.sqlite import driver
from sourcebook.storage.sqlite.database import read_queries
from sourcebook.storage.sqlite.engine.filter_columns import Columns
from sourcebook.storage.sqlite.engine.memory_images import Image, LivePart
from sourcebook.storage.sqlite.worker_session import Memory, in_snapshot
from sourcebook.testing.contract.material import chunk

if TYPE_CHECKING:
    from sourcebook.model.documents import EmbeddedChunk

pytestmark = pytest.mark.anyio

MANY_CHANGES = 5_000
# So long that nobody is believed to go on asking.
NOBODY_ASKS = 0.4


def opened(path: Path) -> AsyncSourcebook:
    return AsyncSourcebook(settings=Settings(db=str(path), embedder="none"))


def rows(document: str, count: int, *, dimensions: int = 8, words: int = 1) -> list[EmbeddedChunk]:
    """Chunks of one document, each with so many words that no other chunk has in the same order."""
    vectors = np.random.default_rng(5).standard_normal((count, dimensions)).astype(np.float32)
    return [
        chunk(
            f"{document}-{i:04}",
            vectors[i],
            document=document,
            content=" ".join(["text", *(f"word{(i + j) % 2_000}" for j in range(words))]),
            metadata={"kind": "long"},
            index=i,
        )
        for i in range(count)
    ]


async def write(book: AsyncSourcebook, chunks: Sequence[EmbeddedChunk]) -> None:
    await book.stores.vectors.add("c", chunks)
    await book.stores.fts.index("c", [one.chunk for one in chunks])


async def by_meaning(book: AsyncSourcebook, dimensions: int = 8) -> list[str]:
    question = np.ones(dimensions, dtype=np.float32)
    return [one.chunk.id for one in await book.stores.vectors.search_semantic("c", question, 100, None)]


async def by_words(book: AsyncSourcebook, dimensions: int = 8) -> list[str]:
    return [hit.chunk_id for hit in await book.stores.fts.search("c", "text", 100)]


@pytest.fixture
def loaded() -> Generator[list[str]]:
    """Where the rows of changed documents were read, each time: in the loop, or in a thread."""
    seen: list[str] = []
    with statements_told(FOLLOWING, lambda _: seen.append("loop" if in_loop() else "thread")):
        yield seen


def in_loop() -> bool:
    return threading.current_thread() is threading.main_thread()


@pytest.mark.parametrize(
    ("search", "count", "dimensions", "words", "where"),
    [
        (by_meaning, 300, 8, 1, "loop"),
        (by_words, 300, 8, 1, "loop"),
        (by_meaning, 300, 8_192, 1, "thread"),
        (by_words, 300, 8, 300, "thread"),
        (by_meaning, 1_500, 8, 1, "thread"),
        (by_words, 1_500, 8, 1, "thread"),
    ],
)
async def test_rows_are_followed_in_the_loop_if_they_are_few_and_short(
    tmp_path: Path, loaded: list[str], search: Any, count: int, dimensions: int, words: int, where: str
) -> None:
    db = tmp_path / "base.db"
    async with opened(db) as book, opened(db) as other:
        await book.create_collection(Collection("c", dimensions))
        await write(other, rows("first", 20, dimensions=dimensions))
        await search(book, dimensions)
        await write(other, rows("second", count, dimensions=dimensions, words=words))
        loaded.clear()
        found = await search(book, dimensions)
        assert loaded == [where]
        async with opened(db) as anew:
            assert found == await search(anew, dimensions)


@pytest.mark.parametrize("search", [by_meaning, by_words])
async def test_parts_that_piled_up_are_joined_in_a_thread_when_there_is_much_in_them(
    tmp_path: Path, loaded: list[str], search: Any
) -> None:
    db = tmp_path / "base.db"
    async with opened(db) as book, opened(db) as other:
        await book.create_collection(Collection("c", 8))
        await write(other, rows("first", 20))
        await search(book)
        places: set[str] = set()
        for number in range(7):
            # Whoever goes on asking is helped between two searches.
            await anyio.sleep(NOBODY_ASKS)
            await write(other, rows(f"more{number}", 900))
            loaded.clear()
            await search(book)
            assert len(loaded) == 1
            places |= set(loaded)
        assert places == {"loop", "thread"}


@pytest.mark.parametrize("search", [by_meaning, by_words])
async def test_what_a_thread_has_to_make_one_part_is_read_once(
    tmp_path: Path, loaded: list[str], search: Any
) -> None:
    db = tmp_path / "base.db"
    async with opened(db) as book, opened(db) as other:
        await book.create_collection(Collection("c", 8))
        await write(other, rows("large", 2_500))
        await write(other, rows("larger", 3_000))
        await search(book)
        await other.stores.writer.set_active("c", "large", active=False)
        await write(other, rows("small", 5))
        loaded.clear()
        found = await search(book)
        assert loaded == ["thread"]
        async with opened(db) as anew:
            assert found == await search(anew)


@pytest.mark.parametrize("collection_id", ["c", "another"])
@pytest.mark.parametrize("search", [by_meaning, by_words])
async def test_the_loop_does_not_read_a_long_log_of_changes(
    tmp_path: Path, search: Any, collection_id: str
) -> None:
    read: list[bool] = []
    db = tmp_path / "base.db"
    with rows_told(lambda: read.append(in_loop())):
        async with opened(db) as book:
            await book.create_collection(Collection("c", 8))
            await write(book, rows("first", 20))
            before = await search(book)
            log_changes(db, collection_id)
            read.clear()
            assert await search(book) == before
            in_the_loop = read.count(True)
    assert 0 < in_the_loop < MANY_CHANGES // 10


def log_changes(db: Path, collection_id: str) -> None:
    """Note very many changes, of documents that are no more."""
    connection = driver.connect(db, busy_timeout=5)
    connection.execute(
        "with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < :many) "
        "insert into changes (collection_id, document_id) select :collection_id, 'gone' || n from numbers",
        {"many": MANY_CHANGES, "collection_id": collection_id},
    )
    connection.close()


async def test_a_connection_does_not_go_on_holding_a_long_log_of_changes(tmp_path: Path) -> None:
    db = tmp_path / "base.db"
    async with opened(db) as book:
        await book.create_collection(Collection("c", 8))
    log_changes(db, "c")
    memory, image = Memory(), Image[Any]("c", 0)
    connection = driver.connect_to_read(db)
    changed = in_snapshot(connection, memory, read_queries(), image.changed)
    connection.close()
    assert len(changed) == MANY_CHANGES
    assert not any(isinstance(fact, list) for fact in memory.facts.values())


async def test_what_another_thread_forgets_meanwhile_is_not_made_again_in_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recalled, filtered = LivePart[Any].recalled, Columns.rows
    made: list[str] = []

    def recalled_and_forgotten(self: LivePart[Any], key: object) -> Any:
        known = recalled(self, key)
        self.recent.clear()
        return known

    def noted(self: Columns, *arguments: Any) -> Any:
        made.append(threading.current_thread().name)
        return filtered(self, *arguments)

    async with opened(tmp_path / "base.db") as book:
        await book.create_collection(Collection("c", 8))
        await write(book, rows("first", 20))
        search: Callable[..., Any] = book.stores.vectors.search_semantic
        asked = ("c", np.ones(8, dtype=np.float32), 5, Equals("kind", "long"))
        before = await search(*asked)
        assert before
        monkeypatch.setattr(LivePart, "recalled", recalled_and_forgotten)
        monkeypatch.setattr(Columns, "rows", noted)
        assert await search(*asked) == before
    assert made == []
