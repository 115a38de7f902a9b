"""A base moves between a file and a server without a vector made anew, and says the same there."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from sourcebook import AsyncSourcebook, Collection, Settings
from sourcebook.errors import Conflict, StorageError
from sourcebook.model.documents import DistanceMetric
from sourcebook.storage.maintenance import base_copy
from sourcebook.storage.maintenance.base_checksum import base_checksum
from sourcebook.testing.contract.material import chunk
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.anyio

TEXTS = {
    "обрезка": "Малину обрезают осенью. Побеги срезают у самой земли.",
    "pruning": "Raspberries are pruned in autumn. The canes are cut at ground level.",
    "poda": "As framboesas são podadas no outono. Regue-as no verão.",
}


@asynccontextmanager
async def opened(db: str | Path) -> AsyncGenerator[AsyncSourcebook]:
    async with AsyncSourcebook(
        settings=Settings(db=str(db), embedder="none"), embedder=FakeEmbedder()
    ) as book:
        yield book


async def fill(book: AsyncSourcebook, documents: int = 3) -> None:
    """Something of everything that a base holds."""
    for number in range(documents):
        for name, text in TEXTS.items():
            await book.add_text(
                f"{text} {number}",
                id=f"{name}-{number}",
                title=name,
                metadata={"n": number, "ключ": [1, "x"]},
            )
    await book.hide_document(next(iter(await book.documents())).id)
    await book.create_collection(Collection("wide", 4, distance_metric=DistanceMetric.DOT))
    vectors = np.random.default_rng(1).standard_normal((30, 4)) * 100
    chunks = [chunk(f"k{i}", vectors[i], document=f"d{i // 7}", content=f"berry {i}") for i in range(30)]
    await book.stores.vectors.add("wide", chunks)
    await book.stores.fts.index("wide", [c.chunk for c in chunks[::2]])
    await book.stores.jobs.enqueue("ingest", {"n": 1})
    await book.add_term("малина", "raspberry")


async def says(book: AsyncSourcebook) -> list[object]:
    """What the base answers, with scores to the last bit."""
    questions = ("обрезка малины", "pruning canes", "podar")
    said: list[object] = [
        [(r.chunk.id, r.score.hex()) for r in await book.search(question)] for question in questions
    ]
    near = await book.stores.vectors.search_semantic("wide", [1.0, -2.0, 0.5, 3.0], 5)
    said.append([(r.chunk.id, r.score.hex()) for r in near])
    return said


async def state(book: AsyncSourcebook) -> str:
    return await base_checksum(book._opened().database)  # pyright: ignore[reportPrivateUsage]


async def test_a_base_goes_to_a_server_and_back_and_says_the_same(tmp_path: Path, postgres_db: str) -> None:
    async with opened(tmp_path / "one.db") as book:
        await fill(book)
        report = await book.copy_to(postgres_db)
        assert report.rows["documents"] > 9
        before, answers = await state(book), await says(book)
    async with opened(postgres_db) as server:
        assert (await state(server), await says(server)) == (before, answers)
        assert (await server.doctor()).ok
        await server.copy_to(tmp_path / "two.db")
        # Numbers go on behind those that were copied, and nothing is in the way of more.
        assert (await server.stores.jobs.enqueue("ingest", {"n": 2})).id == 2
        await server.add_text("One more text about canes.", id="more")
        assert (await server.doctor()).ok
    async with opened(tmp_path / "two.db") as back:
        assert (await state(back), await says(back)) == (before, answers)
        assert (await back.doctor()).ok


async def test_uploads_go_with_the_base_also_those_that_wait(
    tmp_path: Path, postgres_db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(tmp_path / "one.db") as book:
        await book.upload("prices.txt", b"A basket of raspberries costs 4 EUR.")
        await book.process_uploads()
        await book.upload("waits.txt", b"Gooseberries are harvested in July.")
        report = await book.copy_to(postgres_db)
        assert (report.files, report.missing_files) == (2, [])
    uploads = files_in(tmp_path / "one.db.files")
    assert sorted(uploads.values()) == [
        b"A basket of raspberries costs 4 EUR.",
        b"Gooseberries are harvested in July.",
    ]
    (folder,) = (tmp_path / "data" / "files").iterdir()
    assert files_in(folder) == uploads
    async with opened(postgres_db) as server:
        await server.process_uploads()
        found = [document.file_path for document in await server.documents()]
        assert sorted(path.partition("/")[2] for path in found) == ["prices.txt", "waits.txt"]
        assert (await server.copy_to(tmp_path / "two.db")).files == 2
    assert files_in(tmp_path / "two.db.files") == uploads


async def test_an_upload_that_is_gone_is_named_and_the_rest_is_copied(tmp_path: Path) -> None:
    async with opened(tmp_path / "one.db") as book:
        for number in range(2):
            await book.upload(f"{number}.txt", f"A text about canes, number {number}.".encode())
        await book.process_uploads()
        lost, kept = sorted(files_in(tmp_path / "one.db.files"))
        (tmp_path / "one.db.files" / lost).unlink()
        report = await book.copy_to(tmp_path / "two.db")
    assert (report.files, list(report.missing_files)) == (1, [lost])
    assert list(files_in(tmp_path / "two.db.files")) == [kept]


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize("towards", ["server", "file"])
async def test_a_copy_that_was_interrupted_goes_on(
    tmp_path: Path, postgres_db: str, towards: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base_copy, "_PAGE", 7)
    target = postgres_db if towards == "server" else str(tmp_path / "target.db")
    async with opened(tmp_path / "one.db") as book:
        await fill(book)

        for table in ("documents", "document_chunks", "words"):
            with pytest.raises(KeyboardInterrupt):
                await book.copy_to(target, on_progress=stopping_at(table))
        report = await book.copy_to(target)
        assert report.resumed > 0
        before = await state(book)
    async with opened(target) as copied:
        assert await state(copied) == before
        assert (await copied.doctor()).ok


def stopping_at(table: str) -> base_copy.OnProgress:
    """Interrupts when so much of the table was copied that a part of it is left."""

    def follow(progress: base_copy.Progress) -> None:
        if progress.path == table and progress.done % 2:
            raise KeyboardInterrupt

    return follow


async def test_nothing_is_copied_over_a_base_that_holds_something(tmp_path: Path, postgres_db: str) -> None:
    async with opened(tmp_path / "one.db") as book, opened(postgres_db) as other:
        await fill(book, documents=1)
        await other.add_text("Something of its own.", id="own")
        before = await state(other)
        with pytest.raises(Conflict):
            await book.copy_to(postgres_db)
        assert await state(other) == before


async def test_a_base_that_changed_while_its_copy_was_interrupted_is_noticed(
    tmp_path: Path, postgres_db: str
) -> None:
    def stop(progress: base_copy.Progress) -> None:
        if progress.path == "terms":
            raise KeyboardInterrupt

    async with opened(tmp_path / "one.db") as book:
        await fill(book, documents=1)
        with pytest.raises(KeyboardInterrupt):
            await book.copy_to(postgres_db, on_progress=stop)
        await book.add_text("What came later.", id="later")
        with pytest.raises(StorageError, match="written to since") as raised:
            await book.copy_to(postgres_db)
        assert "again" in raised.value.hint
