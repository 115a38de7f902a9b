"""F19: the file of a base goes away, or becomes another one, while somebody has it open."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from tests.faults.bases import digest_of, names_in, opened
from tests.faults.keepers import back_up, restore
from tests.faults.processes import PATIENCE

from sourcebook.errors import BaseReplaced, NotOpen
from sourcebook.storage.database import in_transaction
from sourcebook.storage.sqlite.database import SqliteDatabase
from sourcebook.storage.sqlite.file_identity import FileIdentity
from sourcebook.testing.crash import prepared_document

pytestmark = pytest.mark.anyio


@pytest.fixture
async def base(tmp_path: Path) -> Path:
    await digest_of(tmp_path / "base.db", {0: 0})
    return tmp_path / "base.db"


def delete(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def move_away(path: Path) -> None:
    path.rename(path.with_name("elsewhere.db"))


def replace(path: Path) -> None:
    shutil.copy(path, path.with_name("copy.db"))
    path.with_name("copy.db").replace(path)


def delete_the_log(path: Path) -> None:
    path.with_name(f"{path.name}-wal").unlink()


def replace_the_log(path: Path) -> None:
    log = path.with_name(f"{path.name}-wal")
    shutil.copy(log, path.with_name("log"))
    path.with_name("log").replace(log)


HARMS = pytest.mark.parametrize("harm", [delete, move_away, replace, delete_the_log, replace_the_log])


@HARMS
async def test_a_write_to_a_base_that_is_gone_is_not_acknowledged(
    base: Path, harm: Callable[[Path], None]
) -> None:
    async with opened(base) as book:
        await book.write(prepared_document(1))
        harm(base)
        for _ in range(2):
            with pytest.raises(BaseReplaced, match="while"):
                await book.write(prepared_document(2))
        with pytest.raises(BaseReplaced):
            await in_transaction(book.database, lambda t: t.execute("forget_derived_files"))


@HARMS
async def test_a_base_that_is_gone_is_not_examined_as_if_it_were_there(
    base: Path, harm: Callable[[Path], None]
) -> None:
    async with opened(base) as book:
        await book.write(prepared_document(1))
        harm(base)
        before = names_in(base.parent)
        with pytest.raises(BaseReplaced):
            await book.faults()
        assert names_in(base.parent) == before


async def test_a_base_that_was_restored_is_opened_again_and_written_to(base: Path, tmp_path: Path) -> None:
    await back_up(base, tmp_path / "kept")
    async with opened(base) as book:
        await book.write(prepared_document(1))
    await restore(tmp_path / "kept", base)
    async with opened(base) as book:
        await book.write(prepared_document(2))
        assert sorted(await book.folder()) == [0, 2]


async def test_who_was_about_to_read_a_base_that_is_closed_is_told_that(
    base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who closes it takes the log away, and that is no other log."""
    require = FileIdentity.require
    looks, is_closed = threading.Event(), threading.Event()

    def when_closed(identity: FileIdentity) -> None:
        looks.set()
        assert is_closed.wait(PATIENCE)
        require(identity)

    async def read() -> None:
        with pytest.raises(NotOpen):
            await database.fetch("base_info")

    database = await SqliteDatabase.open(base)
    monkeypatch.setattr(FileIdentity, "require", when_closed)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(read)
        assert await anyio.to_thread.run_sync(looks.wait, PATIENCE)
        await database.close()
        is_closed.set()


async def test_a_second_client_and_another_that_closes_change_nothing(base: Path) -> None:
    async with opened(base) as book:
        for number in range(1, 4):
            async with opened(base) as other:
                await other.write(prepared_document(number))
            await book.write(prepared_document(number + 10))
        assert sorted(await book.folder()) == [0, 1, 2, 3, 11, 12, 13]
