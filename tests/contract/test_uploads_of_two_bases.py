"""Bases that are given one folder for their uploads leave each other's alone."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from tests import postgres_server

from sourcebook import AsyncSourcebook, Settings
from sourcebook.ingest.uploads.stored_files import SWEPT_AFTER_SECONDS
from sourcebook.model.backup import OnExisting
from sourcebook.model.documents import DocumentStatus
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.anyio

ONE = b"A basket of raspberries costs 4 EUR."
TWO = b"Gooseberries are harvested in July."
BOTH = b"The canes are cut at ground level."


@pytest.fixture
def other_db(request: pytest.FixtureRequest, db: str, tmp_path: Path) -> Iterator[str]:
    """Another base of the same kind."""
    if "://" not in db:
        yield str(tmp_path / "other.db")
        return
    server, name = request.getfixturevalue("postgres_address"), f"sourcebook_other_{uuid4().hex[:12]}"
    postgres_server.create_database(server, name)
    yield postgres_server.at_database(server, name)
    postgres_server.drop_database(server, name)


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    return tmp_path / "files"


@asynccontextmanager
async def opened(db: str, files: Path | None) -> AsyncGenerator[AsyncSourcebook]:
    settings = Settings(db=db, embedder="none", files=None if files is None else str(files))
    async with AsyncSourcebook(settings=settings, embedder=FakeEmbedder()) as book:
        yield book


async def test_the_sweep_of_each_leaves_the_uploads_of_the_other(
    db: str, other_db: str, shared: Path
) -> None:
    async with opened(db, shared) as one, opened(other_db, shared) as other:
        await one.add_bytes("prices.txt", ONE)
        await other.add_bytes("harvest.txt", TWO)
        await other.upload("waits.txt", BOTH)
        age(shared)
        await one.process_uploads()
        assert contents(shared) == sorted([ONE, TWO, BOTH])
        await other.process_uploads()
        age(shared)
        await other.process_uploads()
        await one.process_uploads()
        assert contents(shared) == sorted([ONE, TWO, BOTH])
        assert len(await other.documents()) == 2


async def test_what_one_removes_the_other_keeps(db: str, other_db: str, shared: Path) -> None:
    async with opened(db, shared) as one, opened(other_db, shared) as other:
        report = await one.add_bytes("pruning.txt", BOTH)
        await other.add_bytes("pruning.txt", BOTH)
        await one.library.remove(report.document_id)
        assert contents(shared) == [BOTH]
        await other.add_bytes("pruning.txt", TWO)
        assert contents(shared) == [TWO]


async def test_what_a_base_no_longer_speaks_of_is_swept_from_its_own_part(
    db: str, other_db: str, shared: Path
) -> None:
    async with opened(db, shared) as one, opened(other_db, shared) as other:
        await one.add_bytes("prices.txt", ONE)
        await other.add_bytes("harvest.txt", TWO)
        await one.library.remove_collection("default")
        age(shared)
        await other.process_uploads()
        assert contents(shared) == sorted([ONE, TWO])
        await one.process_uploads()
        assert contents(shared) == [TWO]


async def test_a_copy_has_uploads_of_its_own(db: str, other_db: str, shared: Path) -> None:
    async with opened(db, shared) as one:
        report = await one.add_bytes("pruning.txt", BOTH)
        assert (await one.maintenance.copy_to(other_db)).files == 1
        assert contents(shared) == [BOTH, BOTH]
        await one.library.remove(report.document_id)
    assert contents(shared) == [BOTH]
    async with opened(other_db, shared) as other:
        age(shared)
        await other.process_uploads()
    assert contents(shared) == [BOTH]


async def test_uploads_of_the_former_layout_are_found_taken_over_and_swept(
    db: str, other_db: str, shared: Path
) -> None:
    async with opened(db, shared) as one, opened(other_db, shared) as other:
        removed = await one.add_bytes("prices.txt", ONE)
        await one.upload("waits.txt", BOTH)
        await other.add_bytes("harvest.txt", TWO)
        side_by_side(shared)
        nobodys = shared / "ab" / ("ab" + "c" * 30)
        nobodys.parent.mkdir(exist_ok=True)
        nobodys.write_bytes(b"of a base that is not open")
        age(shared)

        assert await one.process_uploads() == 1
        assert [document.status for document in await one.documents()] == [DocumentStatus.COMPLETED] * 2
        assert contents(shared) == sorted([ONE, TWO, BOTH, b"of a base that is not open"])
        await one.library.remove(removed.document_id)
        assert contents(shared) == sorted([TWO, BOTH, b"of a base that is not open"])

        await other.library.remove_collection("default")
        await other.process_uploads()
        await one.process_uploads()
        # Nobody can tell any more whose it was, for it was never taken over.
        assert contents(shared) == sorted([TWO, BOTH, b"of a base that is not open"])


async def test_a_document_of_the_former_layout_is_removed_with_its_upload(db: str, shared: Path) -> None:
    async with opened(db, shared) as one:
        report = await one.add_bytes("prices.txt", ONE)
        side_by_side(shared)
        await one.library.remove(report.document_id)
    assert contents(shared) == []


async def test_two_that_shared_one_upload_in_the_former_layout_both_have_it(
    db: str, other_db: str, shared: Path
) -> None:
    async with opened(db, shared) as one, opened(other_db, shared) as other:
        for book in (one, other):
            await book.add_bytes("pruning.txt", BOTH)
        side_by_side(shared)
        assert contents(shared) == [BOTH]
        for book in (one, other):
            await book.process_uploads()
        documents = await one.documents()
        await one.library.remove(documents[0].id)
        assert contents(shared) == [BOTH]


async def test_bases_on_one_server_have_folders_of_their_own_without_a_setting(
    postgres_db: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened(postgres_db, None) as one:
        await one.add_bytes("prices.txt", ONE)
    (folder,) = (tmp_path / "data" / "files").iterdir()
    assert len(folder.name) == 32
    assert contents(folder) == [ONE]


async def test_bases_in_files_beside_each_other_have_folders_of_their_own(tmp_path: Path) -> None:
    for name, data in {"one": ONE, "two": TWO}.items():
        async with opened(str(tmp_path / f"{name}.db"), None) as book:
            await book.add_bytes("note.txt", data)
    for name, data in {"one": ONE, "two": TWO}.items():
        age(tmp_path)
        async with opened(str(tmp_path / f"{name}.db"), None) as book:
            await book.process_uploads()
        assert contents(tmp_path / f"{name}.db.files") == [data]


async def test_a_backup_holds_only_the_uploads_of_its_base(tmp_path: Path, shared: Path) -> None:
    for name, data in {"one": ONE, "two": TWO}.items():
        async with opened(str(tmp_path / f"{name}.db"), shared) as book:
            await book.add_bytes("note.txt", data)
    side_by_side(shared)
    async with opened(str(tmp_path / "one.db"), shared) as book:
        assert (await book.maintenance.backup(tmp_path / "one.backup")).stored_files == 1
        assert "missing_files" not in await found_by_doctor(book)
    elsewhere = tmp_path / "elsewhere"
    settings = Settings(db=str(tmp_path / "restored.db"), files=str(elsewhere))
    await AsyncSourcebook(settings=settings).maintenance.restore(tmp_path / "one.backup")
    assert contents(elsewhere) == [ONE]
    async with opened(str(tmp_path / "restored.db"), elsewhere) as book:
        assert not {"missing_files", "stray_files"} & await found_by_doctor(book)


async def test_the_base_before_a_restore_keeps_its_uploads_beside_it(tmp_path: Path, shared: Path) -> None:
    settings = Settings(db=str(tmp_path / "one.db"), embedder="none", files=str(shared))
    async with AsyncSourcebook(settings=settings, embedder=FakeEmbedder()) as book:
        await book.add_bytes("prices.txt", ONE)
        await book.maintenance.backup(tmp_path / "one.backup")
        await book.add_bytes("harvest.txt", TWO)
        report = await book.maintenance.restore(tmp_path / "one.backup", on_existing=OnExisting.REPLACE)
        age(shared)
        await book.process_uploads()
        assert contents(shared) == [ONE]
    assert contents(Path(f"{report.former}.files")) == sorted([ONE, TWO])


async def found_by_doctor(book: AsyncSourcebook) -> set[str]:
    return {finding.code for finding in (await book.maintenance.doctor()).findings}


def contents(folder: Path) -> list[bytes]:
    return sorted(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def age(folder: Path) -> None:
    """Let the uploads be old enough to be swept."""
    old = time.time() - SWEPT_AFTER_SECONDS - 10
    for path in folder.rglob("*"):
        if path.is_file() and path.parent.name == path.name[:2]:
            os.utime(path, (old, old))


def side_by_side(shared: Path) -> None:
    """Put the uploads of all bases into one folder, as they once lay."""
    for path in [path for path in shared.glob("*/??/*") if path.is_file()]:
        place = shared / path.parent.name / path.name
        place.parent.mkdir(exist_ok=True)
        path.replace(place)
    for folder in [folder for folder in shared.iterdir() if len(folder.name) == 32]:
        for path in sorted(folder.rglob("*"), reverse=True):
            path.rmdir()
        folder.rmdir()
