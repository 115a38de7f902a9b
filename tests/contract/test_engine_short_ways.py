"""What makes a search cheaper changes nothing in its answers: places of rows, and searches without a thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import numpy as np
import pytest

from sourcebook import AsyncSourcebook, Collection, Equals, Settings
from sourcebook.errors import NotOpen
from sourcebook.ports.storage import PassageRanking, ResultLookup
from sourcebook.storage.sqlite import driver
from sourcebook.storage.sqlite.database import SqliteDatabase
from sourcebook.storage.sqlite.worker_threads import Threads
from sourcebook.testing.contract.material import chunk

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult

pytestmark = pytest.mark.anyio

CHANCE = np.random.default_rng(3)
QUESTION = CHANCE.standard_normal(8).astype(np.float32)


@pytest.fixture
async def db(tmp_path: Path) -> Path:
    path = tmp_path / "base.db"
    async with opened(path) as book:
        await book.create_collection(Collection("c", 8))
        await add(book, range(40))
    return path


def opened(path: Path) -> AsyncSourcebook:
    return AsyncSourcebook(settings=Settings(db=str(path), embedder="none"))


async def add(book: AsyncSourcebook, numbers: Sequence[int]) -> None:
    rows = [
        chunk(
            f"k{i:03}",
            CHANCE.standard_normal(8).astype(np.float32),
            document=f"d{i // 5}",
            content=f"text {i}",
            metadata={"even": i % 2 == 0},
        )
        for i in numbers
    ]
    await book.stores.vectors.add("c", rows)


async def found(book: AsyncSourcebook, *, even: bool = True) -> list[SearchResult]:
    return await book.stores.vectors.search_semantic("c", QUESTION, 10, Equals("even", even))


async def test_results_are_read_by_their_ids_when_their_rows_are_elsewhere(db: Path) -> None:
    async with opened(db) as book:
        before = await found(book)
        move_rows(db)
        assert await found(book) == before
        assert {r.chunk.content for r in before} == {f"text {int(r.chunk.id[1:])}" for r in before}


async def test_chunks_of_a_ranking_are_looked_up_by_their_ids_when_their_rows_are_elsewhere(db: Path) -> None:
    async with opened(db) as book:
        ranked = await book.stores.vectors.search_semantic("c", QUESTION, 10)
        ranking = await passages(book)
        ids = [result.chunk.id for result in ranking]
        assert ids == [result.chunk.id for result in ranked]
        before = await looked_up(book, ids)
        move_rows(db)
        assert await looked_up(book, ids) == before
        assert [before[i].chunk.content for i in ids] == [f"text {int(i[1:])}" for i in ids]
        assert list(await looked_up(book, [ids[3], "unknown"])) == [ids[3]]


def move_rows(db: Path) -> None:
    """Each row in another's place, as after a base was compacted; nobody noted a change."""
    other = driver.connect(db, busy_timeout=5)
    other.execute("update document_chunks set rowid = rowid + 1000")
    other.execute("update document_chunks set rowid = 1041 - rowid")
    other.close()


async def passages(book: AsyncSourcebook) -> Sequence[SearchResult]:
    vectors = book.stores.vectors
    assert isinstance(vectors, PassageRanking)
    return await vectors.rank_passages("c", QUESTION, 10, None)


async def looked_up(book: AsyncSourcebook, ids: Sequence[str]) -> dict[str, SearchResult]:
    vectors = book.stores.vectors
    assert isinstance(vectors, ResultLookup)
    return {result.chunk.id: result for result in await vectors.look_up("c", ids)}


@pytest.fixture
def changes_of_thread(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """One entry for each time that something was handed to a thread."""
    seen: list[str] = []
    run = Threads.run

    async def counted(self: Threads, function: Callable[..., Any], *arguments: Any) -> Any:
        seen.append("hop")
        return await run(self, function, *arguments)

    monkeypatch.setattr(Threads, "run", counted)
    return seen


async def test_a_small_search_changes_the_thread_once_and_answers_the_same_without(
    db: Path, changes_of_thread: list[str]
) -> None:
    async with opened(db) as book:
        first = await found(book)
        changes_of_thread.clear()
        assert await found(book) == first
        assert changes_of_thread == []


async def test_a_small_search_sees_what_another_opening_wrote(db: Path) -> None:
    async with opened(db) as book, opened(db) as other:
        await found(book)
        await found(book)
        await other.stores.vectors.add("c", [chunk("new", QUESTION, document="d99", metadata={"even": True})])
        assert (await found(book))[0].chunk.id == "new"
        await other.stores.vectors.delete("c", ["new"])
        assert "new" not in [r.chunk.id for r in await found(book)]


async def by_words(book: AsyncSourcebook, *, even: bool = True, top_k: int = 30) -> list[tuple[str, float]]:
    hits = await book.stores.fts.search("c", "text 12", top_k, Equals("even", even))
    return [(hit.chunk_id, hit.score) for hit in hits]


async def many(book: AsyncSourcebook) -> list[SearchResult]:
    """More than a search at once may want: it takes longer than a change of thread."""
    return await book.stores.vectors.search_semantic("c", QUESTION, 30, None)


@pytest.fixture
async def with_words(db: Path) -> Path:
    async with opened(db) as book:
        stored = [await book.stores.vectors.get("c", f"k{i:03}") for i in range(40)]
        await book.stores.fts.index("c", [one.chunk for one in stored if one is not None])
    return db


@pytest.mark.parametrize("search", [many, by_words])
async def test_a_larger_search_needs_no_thread_either_when_nobody_else_reads(
    with_words: Path, search: Callable[[AsyncSourcebook], Any], changes_of_thread: list[str]
) -> None:
    async with opened(with_words) as book:
        first = await search(book)
        changes_of_thread.clear()
        assert await search(book) == first
        assert first
        assert changes_of_thread == []


@pytest.mark.parametrize("search", [many, by_words])
async def test_larger_searches_of_several_people_take_turns_and_find_the_same(
    with_words: Path, search: Callable[[AsyncSourcebook], Any], changes_of_thread: list[str]
) -> None:
    async with opened(with_words) as book:
        first = await search(book)
        changes_of_thread.clear()
        assert await asked_at_once(book, search) == [first] * 5
        assert changes_of_thread == []


@pytest.mark.parametrize("search", [many, by_words])
async def test_after_much_writing_one_thread_makes_what_several_people_lack(
    with_words: Path, search: Callable[[AsyncSourcebook], Any], changes_of_thread: list[str]
) -> None:
    async with opened(with_words) as book, opened(with_words) as other:
        before = await search(book)
        await add(other, range(10_000, 14_500))
        await other.stores.vectors.delete("c", ["k004", "k012"])
        after = await search(other)
        changes_of_thread.clear()
        assert await asked_at_once(book, search) == [after] * 5
        assert after != before
        assert changes_of_thread == ["hop"]


async def everything(book: AsyncSourcebook) -> list[SearchResult]:
    return await book.stores.vectors.search_semantic("c", QUESTION, 100, None)


async def all_words(book: AsyncSourcebook) -> list[tuple[str, float]]:
    hits = await book.stores.fts.search("c", "text 12", 100)
    return [(hit.chunk_id, hit.score) for hit in hits]


@pytest.mark.parametrize("search", [everything, all_words])
async def test_what_another_opening_wrote_is_followed_without_a_thread(
    with_words: Path, search: Callable[[AsyncSourcebook], Any], changes_of_thread: list[str]
) -> None:
    async with opened(with_words) as book, opened(with_words) as other:
        await search(book)
        for change in (add_one, hide_one, remove_one):
            await change(other)
            changes_of_thread.clear()
            found = await search(book)
            assert changes_of_thread == []
            async with opened(with_words) as anew:
                assert found == await search(anew)


async def add_one(book: AsyncSourcebook) -> None:
    one = chunk("new", QUESTION, document="d99", content="text 12 new")
    await book.stores.vectors.add("c", [one])
    await book.stores.fts.index("c", [one.chunk])


async def hide_one(book: AsyncSourcebook) -> None:
    await book.stores.writer.set_active("c", "d2", active=False)


async def remove_one(book: AsyncSourcebook) -> None:
    await book.stores.vectors.delete("c", ["new", "k012"])


async def asked_at_once(book: AsyncSourcebook, search: Callable[[AsyncSourcebook], Any]) -> list[Any]:
    answers: list[Any] = []

    async def ask() -> None:
        answers.append(await search(book))

    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(ask)
    return answers


@pytest.mark.parametrize(("top_k", "needs_thread"), [(250, False), (251, True)])
async def test_a_search_by_words_that_wants_very_many_results_goes_to_a_thread(
    with_words: Path, changes_of_thread: list[str], top_k: int, needs_thread: bool
) -> None:
    async with opened(with_words) as book:
        first = await by_words(book, top_k=top_k)
        changes_of_thread.clear()
        assert await by_words(book, top_k=top_k) == first
        assert bool(changes_of_thread) == needs_thread


async def test_a_search_by_words_sees_what_another_opening_wrote(with_words: Path) -> None:
    async with opened(with_words) as book, opened(with_words) as other:
        before = [await by_words(book), await by_words(book)]
        assert "k012" in dict(before[1])
        await other.stores.fts.delete("c", ["k012"])
        assert "k012" not in dict(await by_words(book))
        assert await by_words(book, even=False) == await by_words(other, even=False)


async def test_what_takes_longer_is_read_without_a_thread_only_if_nobody_else_reads(db: Path) -> None:
    database = await SqliteDatabase.open(db, readers=3)
    async with database.snapshot(), database.snapshot():
        pass
    assert await database.read_soon(lambda _: 1, only_alone=True) == 1
    async with database.snapshot():
        assert await database.read_soon(lambda _: 1) == 1
        assert await database.read_soon(lambda _: 1, only_alone=True) is None
    assert await database.read_soon(lambda _: 1, only_alone=True) == 1
    await database.close()


async def test_nothing_is_read_without_a_thread_while_every_connection_is_taken(db: Path) -> None:
    database = await SqliteDatabase.open(db, readers=1)
    assert await database.read_soon(lambda _: 1) is None
    await database.fetch("languages", collection_id="c")
    assert await database.read_soon(lambda _: 1) == 1
    async with database.snapshot():
        assert await database.read_soon(lambda _: 1) is None
    assert await database.read_soon(lambda _: 1) == 1
    await database.close()
    with pytest.raises(NotOpen):
        await database.read_soon(lambda _: 1)
