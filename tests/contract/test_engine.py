"""What is held in memory and in files beside the base gives the answers that the base itself would give."""

from __future__ import annotations

import gc
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, cast

import anyio
import numpy as np
import pytest

from sourcebook import AsyncSourcebook, ChunkLevel, Collection, Equals, Settings
from sourcebook.errors import CollectionNotFound
from sourcebook.storage.sqlite import driver
from sourcebook.storage.sqlite.database import read_queries
from sourcebook.storage.sqlite.engine import memory_image_cache, vector_engine
from sourcebook.storage.sqlite.engine.vector_part import VectorPart, join_parts
from sourcebook.testing.contract.material import chunk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.documents import EmbeddedChunk
    from sourcebook.model.search import MetadataFilter
    from sourcebook.ports.storage import PassageSearch, Preparing

# Enough rows for a file that processes share, and for signs to choose the candidates.
ROWS = 21_000
SIZE = 256
RNG = np.random.default_rng(5)
TOPICS = RNG.standard_normal((600, SIZE))


def vectors(count: int) -> NDArray[np.float32]:
    """Vectors as texts have them: around some topics."""
    own = TOPICS[RNG.integers(len(TOPICS), size=count)] + 0.6 * RNG.standard_normal((count, SIZE))
    return own.astype(np.float32)


QUESTIONS = vectors(20)


@dataclass
class Mirror:
    """What the base should hold, kept beside it and searched without any index."""

    held: dict[str, tuple[NDArray[np.float32], int]] = field(
        default_factory=dict[str, "tuple[NDArray[np.float32], int]"]
    )

    def nearest(self, question: NDArray[np.float32], group: int | None, count: int = 10) -> list[str]:
        ids = [key for key, (_, own) in self.held.items() if group is None or own == group]
        matrix = np.stack([self.held[key][0] for key in ids]).astype(np.float32)
        scores = matrix @ question / np.linalg.norm(matrix, axis=1)
        return [ids[i] for i in np.argsort(-scores, kind="stable")[:count]]


def folder_of(db: Path) -> Path:
    return db.with_name(f"{db.name}.derived")


def files(db: Path) -> list[Path]:
    return sorted(folder_of(db).glob("vectors-*.bin"))


def opened(db: Path) -> AsyncSourcebook:
    return AsyncSourcebook(settings=Settings(db=str(db), embedder="none"))


async def add(book: AsyncSourcebook, mirror: Mirror, first: int, count: int) -> None:
    rows = vectors(count)
    for start in range(0, count, 3000):
        numbers = range(start, min(start + 3000, count))
        await book.stores.vectors.add(
            "c",
            [
                chunk(
                    f"k{first + i:06}",
                    rows[i],
                    document=f"d{(first + i) // 30:05}",
                    metadata={"group": i % 7},
                    content="berry",
                )
                for i in numbers
            ],
        )
    mirror.held.update({f"k{first + i:06}": (rows[i], i % 7) for i in range(count)})


async def answers(book: AsyncSourcebook, filter: MetadataFilter | None = None) -> list[list[tuple[str, str]]]:
    """Ids and scores to the last bit."""
    return [
        [(r.chunk.id, r.score.hex()) for r in await book.stores.vectors.search_semantic("c", q, 10, filter)]
        for q in QUESTIONS
    ]


async def share_found(book: AsyncSourcebook, mirror: Mirror, group: int | None = None) -> float:
    """How many of the ten nearest are found, on average."""
    found = await answers(book, None if group is None else Equals("group", group))
    wanted = [mirror.nearest(q, group) for q in QUESTIONS]
    return float(np.mean([len({i for i, _ in f} & set(w)) / 10 for f, w in zip(found, wanted, strict=True)]))


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mirror]:
    """A base whose vectors are in a shared file."""
    db = tmp_path_factory.mktemp("grown") / "base.db"
    mirror = Mirror()

    async def grow() -> None:
        async with opened(db) as book:
            await book.create_collection(Collection("c", SIZE))
            await add(book, mirror, 0, ROWS)
            await answers(book)

    anyio.run(grow)
    assert len(files(db)) == 1
    return db, mirror


@pytest.fixture
def copied(grown: tuple[Path, Mirror], tmp_path: Path) -> tuple[Path, Mirror]:
    db, mirror = grown
    shutil.copytree(db.parent, tmp_path / "copy")
    return tmp_path / "copy" / db.name, Mirror(dict(mirror.held))


pytestmark = pytest.mark.anyio


async def test_signs_lose_nearly_nothing(grown: tuple[Path, Mirror]) -> None:
    db, mirror = grown
    async with opened(db) as book:
        assert await share_found(book, mirror) >= 0.99
        assert await share_found(book, mirror, group=3) >= 0.99


async def test_another_process_answers_the_same_to_the_last_bit(grown: tuple[Path, Mirror]) -> None:
    db, _ = grown
    async with opened(db) as book:
        here = await answers(book)
    script = (
        "import anyio, sys; from pathlib import Path; from tests.contract.test_engine import answers, opened\n"
        "async def main():\n"
        "    async with opened(Path(sys.argv[1])) as book: print(await answers(book))\n"
        "anyio.run(main)"
    )
    there = await anyio.to_thread.run_sync(
        lambda: subprocess.run(
            [sys.executable, "-c", script, str(db)], capture_output=True, text=True, check=True
        )
    )
    assert there.stdout.strip() == str(here)


async def test_an_image_that_grew_answers_like_one_that_was_read_anew(copied: tuple[Path, Mirror]) -> None:
    db, mirror = copied
    async with opened(db) as book:
        await answers(book)
        for step in range(6):
            await add(book, mirror, ROWS + 400 * step, 400)
            removed = [f"k{step * 50 + i:06}" for i in range(50)]
            await book.stores.vectors.delete("c", removed)
            for key in removed:
                del mirror.held[key]
            await book.stores.vectors.search_semantic("c", QUESTIONS[0], 10)
        grown_answers = await answers(book)
        filtered = await answers(book, Equals("group", 2))
        assert await share_found(book, mirror) >= 0.99
    async with opened(db) as book:
        assert await answers(book) == grown_answers
        assert await answers(book, Equals("group", 2)) == filtered


async def test_an_image_worn_out_by_much_writing_answers_like_one_that_was_read_anew(
    copied: tuple[Path, Mirror],
) -> None:
    db, mirror = copied
    before = files(db)
    async with opened(db) as book:
        await answers(book)
        await add(book, mirror, ROWS, ROWS + ROWS // 10)
        await book.stores.vectors.delete("c", [f"k{i:06}" for i in range(500)])
        for i in range(500):
            del mirror.held[f"k{i:06}"]
        assert await share_found(book, mirror) >= 0.99
    assert files(db) != before
    async with opened(db) as book:
        with_file = await answers(book)
    for file in files(db):
        file.unlink()
    async with opened(db) as book:
        # Before there is a file, every row is scored.
        assert await answers(book) == with_file
        assert await share_found(book, mirror) >= 0.99


async def test_no_search_waits_until_a_worn_out_image_is_one_part_again(
    copied: tuple[Path, Mirror], monkeypatch: pytest.MonkeyPatch
) -> None:
    db, mirror = copied
    before, may_join = files(db), Event()

    def join_later(old: Sequence[tuple[VectorPart, NDArray[np.bool_]]]) -> VectorPart:
        if sum(len(part) for part, _ in old) > ROWS:
            may_join.wait()
        return join_parts(old)

    monkeypatch.setattr(vector_engine, "join_parts", join_later)
    async with opened(db) as book:
        try:
            await answers(book)
            await add(book, mirror, ROWS, ROWS + ROWS // 10)
            with anyio.fail_after(200):
                assert await share_found(book, mirror) >= 0.99
        finally:
            may_join.set()
    assert files(db) != before


async def test_parts_that_memory_is_too_small_to_join_go_on_answering(
    copied: tuple[Path, Mirror], monkeypatch: pytest.MonkeyPatch
) -> None:
    db, mirror = copied
    tried: list[int] = []

    def join_if_small(old: Sequence[tuple[VectorPart, NDArray[np.bool_]]]) -> VectorPart:
        if (rows := sum(len(part) for part, _ in old)) > ROWS:
            tried.append(rows)
            raise MemoryError
        return join_parts(old)

    monkeypatch.setattr(vector_engine, "join_parts", join_if_small)
    monkeypatch.setattr(memory_image_cache, "_PAUSE_AFTER_FAILURE", 86_400.0)
    async with opened(db) as book:
        await answers(book)
        await add(book, mirror, ROWS, ROWS + ROWS // 10)
        with anyio.fail_after(200):
            while not tried:
                await answers(book)
        assert await share_found(book, mirror) >= 0.99
    assert len(tried) == 1


async def test_what_was_written_last_is_found_without_the_rest_of_the_log(
    grown: tuple[Path, Mirror],
) -> None:
    db, _ = grown
    connection = driver.connect_to_read(db)
    statement = read_queries()["changed_documents"].sql
    plan = connection.execute(f"explain query plan {statement}", {"collection_id": "c", "seq": 1}).fetchall()
    connection.close()
    assert "INTEGER PRIMARY KEY (rowid>?)" in plan[0][3]


def _parts_in_memory() -> list[VectorPart]:
    gc.collect()
    return [one for one in gc.get_objects() if isinstance(one, VectorPart) and one.quantiser is None]


async def test_getting_ready_makes_the_file_when_much_was_written_and_only_then(
    copied: tuple[Path, Mirror],
) -> None:
    db, mirror = copied
    before = files(db)
    of_others = _parts_in_memory()
    async with opened(db) as book:
        vectors = cast("Preparing", book.stores.vectors)
        await add(book, mirror, ROWS, 100)
        await vectors.prepare("c")
        assert files(db) == before
        await add(book, mirror, ROWS + 100, ROWS // 2)
        await vectors.prepare("c")
        (made,) = files(db)
        assert [made] != before
        # What the file was made of is let go of: it would take up as much memory once more.
        held = [one for one in _parts_in_memory() if not any(one is other for other in of_others)]
        assert all(len(part) < ROWS for part in held)
        assert await share_found(book, mirror) >= 0.99
    async with opened(db) as book:
        assert await share_found(book, mirror) >= 0.99
    assert files(db) == [made]


async def test_everything_deleted_is_found_no_more(copied: tuple[Path, Mirror]) -> None:
    db, _ = copied
    async with opened(db) as book:
        first = await answers(book)
        gone = {chunk_id for row in first for chunk_id, _ in row}
        await book.stores.vectors.delete("c", sorted(gone))
        assert not gone & {chunk_id for row in await answers(book) for chunk_id, _ in row}


def damage(db: Path, how: str) -> None:
    [file] = files(db)
    data = bytearray(file.read_bytes())
    match how:
        case "missing":
            file.unlink()
        case "empty":
            file.write_bytes(b"")
        case "cut":
            file.write_bytes(data[: len(data) // 2])
        case "head":
            data[40] ^= 255
            file.write_bytes(data)
        case "renamed":
            other = file.with_name(file.name.rpartition("-")[0] + "-" + "0" * 32 + ".bin")
            file.rename(other)
        case _:
            shutil.rmtree(folder_of(db))
            folder_of(db).write_text("not a folder")


@pytest.mark.parametrize("how", ["missing", "empty", "cut", "head", "renamed", "no folder"])
async def test_a_file_that_does_not_fit_is_not_trusted(copied: tuple[Path, Mirror], how: str) -> None:
    db, mirror = copied
    damage(db, how)
    async with opened(db) as book:
        assert await share_found(book, mirror) >= 0.99


async def test_a_base_put_back_to_an_earlier_state_does_not_use_the_later_file(
    copied: tuple[Path, Mirror],
) -> None:
    db, mirror = copied
    earlier = Mirror(dict(mirror.held))
    backup = db.with_name("backup.db")
    shutil.copy(db, backup)
    async with opened(db) as book:
        # So much is new that the file is made again.
        await add(book, mirror, ROWS, ROWS)
        assert await share_found(book, mirror) >= 0.99
    shutil.copy(backup, db)
    async with opened(db) as book:
        assert await share_found(book, earlier) >= 0.99


async def test_a_collection_that_is_removed_leaves_no_file(copied: tuple[Path, Mirror]) -> None:
    db, _ = copied
    async with opened(db) as book:
        await book.remove_collection("c")
    assert files(db) == []


async def test_readers_of_an_earlier_moment_keep_its_answers(copied: tuple[Path, Mirror]) -> None:
    """Searches that run while documents are written see one state each, and never fail."""
    db, mirror = copied
    async with opened(db) as book:
        before = set(mirror.held)

        async def write() -> None:
            for step in range(8):
                await add(book, mirror, ROWS + 100 * step, 100)

        async def search() -> None:
            for question in QUESTIONS:
                found = await book.stores.vectors.search_semantic("c", question, 10)
                assert len(found) == 10

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write)
            for _ in range(6):
                tasks.start_soon(search)
        assert set(mirror.held) > before
        assert await share_found(book, mirror) >= 0.99


@pytest.fixture
async def crowded(
    tmp_path: Path,
) -> AsyncGenerator[tuple[AsyncSourcebook, Path, NDArray[np.float32]], None]:
    """A passage with thousands of children near the question, and thousands of passages that are not."""
    async with opened(tmp_path / "base.db") as book:
        await book.create_collection(Collection("c", SIZE))
        question = RNG.standard_normal(SIZE).astype(np.float32)
        near = question + 0.3 * RNG.standard_normal((6_000, SIZE)).astype(np.float32)
        await book.stores.vectors.add("c", [chunk("p", question, document="crowd")])
        for start in range(0, 6_000, 3_000):
            children = [chunk(f"k{i}", near[i], document="crowd") for i in range(start, start + 3_000)]
            await book.stores.vectors.add("c", [as_child(c, "p") for c in children])
        await add(book, Mirror(), 0, 15_000)
        yield book, tmp_path, question


def as_child(embedded: EmbeddedChunk, passage: str) -> EmbeddedChunk:
    return replace(embedded, chunk=replace(embedded.chunk, level=ChunkLevel.CHILD, parent_id=passage))


async def test_a_crowd_of_children_does_not_hide_the_other_passages(
    crowded: tuple[AsyncSourcebook, Path, NDArray[np.float32]],
) -> None:
    book, folder, question = crowded
    store = cast("PassageSearch", book.stores.vectors)
    before = await store.search_passages("c", question, 10)
    await published(folder / "base.db")
    after = await store.search_passages("c", question, 10)
    assert len(before) == len(after) == 10
    assert before[0].chunk.id == after[0].chunk.id == "p"


async def published(db: Path) -> None:
    """Wait until the file is there that another process would use."""
    with anyio.fail_after(200):
        while not files(db):  # noqa: ASYNC110 - another thread writes it, and tells nobody
            await anyio.sleep(0.05)


async def test_no_search_waits_for_somebody_who_writes(copied: tuple[Path, Mirror]) -> None:
    db, _ = copied
    shutil.rmtree(folder_of(db))
    other = driver.connect(db, busy_timeout=1)
    other.execute("begin immediate")
    async with opened(db) as book:
        with anyio.fail_after(200):
            for question in QUESTIONS:
                assert len(await book.stores.vectors.search_semantic("c", question, 10)) == 10
    other.execute("rollback")
    other.close()


async def test_a_collection_may_go_while_it_is_searched(copied: tuple[Path, Mirror]) -> None:
    db, _ = copied
    shutil.rmtree(folder_of(db))
    async with opened(db) as book:

        async def search() -> None:
            with suppress(CollectionNotFound):
                await book.stores.vectors.search_semantic("c", QUESTIONS[0], 10)

        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                tasks.start_soon(search)
            await anyio.sleep(0.02)
            tasks.start_soon(book.remove_collection, "c")
    connection = driver.connect(db, busy_timeout=1)
    left = connection.execute("select key from base_info where key like 'derived:%'").fetchall()
    connection.close()
    assert left == []
    assert files(db) == []
