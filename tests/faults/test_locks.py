"""F11: somebody else holds the lock, or whoever waits for it changes their mind."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from tests.faults import workers
from tests.faults.bases import Base, digest_of, expected_findable, id_of, opened
from tests.faults.processes import Line, exit_code_of, talking

from sourcebook.errors import BaseBusy
from sourcebook.testing.crash import prepared_document

pytestmark = pytest.mark.anyio

LOCKS = pytest.mark.parametrize("begin", ["begin immediate", "begin exclusive"])
LONG = 600.0
SOON = 60.0
"""Seconds that are ample on a busy machine and far from LONG."""


@contextmanager
def locked(path: Path, begin: str = "begin immediate") -> Generator[Line]:
    """Another process holds the lock until it is told to let go."""
    with talking(workers.hold_the_lock, path, begin) as (_, line):
        assert line.recv() == "held"
        yield line


async def release(line: Line) -> None:
    line.send("please")
    assert await anyio.to_thread.run_sync(line.recv) == "released"


@asynccontextmanager
async def with_one_document(path: Path, busy_timeout: float) -> AsyncGenerator[Base]:
    await digest_of(path, {0: 0})
    async with opened(path, busy_timeout=busy_timeout) as base:
        yield base


@LOCKS
async def test_while_another_process_holds_the_lock_a_base_can_be_opened_and_searched(
    tmp_path: Path, begin: str
) -> None:
    path = tmp_path / "base.db"
    await digest_of(path, {0: 0})
    with locked(path, begin):
        started = time.monotonic()
        async with opened(path, busy_timeout=LONG) as base:
            assert await base.findable(0) == expected_findable(0, 0)
            assert await base.faults() == []
        assert time.monotonic() - started < SOON


@LOCKS
async def test_a_writer_gives_up_after_the_timeout_with_a_hint_and_writes_once_the_lock_is_free(
    tmp_path: Path, begin: str
) -> None:
    async with with_one_document(tmp_path / "base.db", busy_timeout=1.0) as base:
        before = await base.digest()
        with locked(tmp_path / "base.db", begin) as line:
            started = time.monotonic()
            with pytest.raises(BaseBusy) as caught:
                await base.write(prepared_document(1))
            assert 1.0 <= time.monotonic() - started < 1.0 + SOON
            assert "busy_timeout" in caught.value.hint
            assert await base.digest() == before
            await release(line)
        await base.write(prepared_document(1))
        assert await base.folder() == {0: 0, 1: 0}


async def test_a_writer_that_waits_succeeds_when_the_lock_is_freed_in_time(tmp_path: Path) -> None:
    async with with_one_document(tmp_path / "base.db", busy_timeout=LONG) as base:
        with locked(tmp_path / "base.db") as line:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(base.write, prepared_document(1))
                await anyio.sleep(0.3)
                assert await base.folder() == {0: 0}
                await release(line)
        assert await base.folder() == {0: 0, 1: 0}


async def test_a_waiting_writer_can_be_cancelled_at_once_and_leaves_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    async with with_one_document(path, busy_timeout=LONG) as base:
        with locked(path) as line:
            started = time.monotonic()
            with anyio.move_on_after(0.3) as waiting:
                await base.write(prepared_document(1))
            assert waiting.cancelled_caught
            assert time.monotonic() - started < 0.3 + SOON
            await release(line)
        assert exit_code_of(workers.write_one, path, 2, SOON) == 0
        await base.write(prepared_document(3))
        assert await base.folder() == {0: 0, 2: 0, 3: 0}


async def test_a_writer_cancelled_behind_another_task_leaves_that_task_undisturbed(tmp_path: Path) -> None:
    async with with_one_document(tmp_path / "base.db", busy_timeout=LONG) as base:
        async with base.database.transaction() as transaction, anyio.create_task_group() as tasks:
            tasks.start_soon(base.write, prepared_document(1))
            await anyio.sleep(0.1)
            tasks.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                key = {"collection_id": "default", "document_id": id_of(0)}
                assert await transaction.execute("set_active", **key, active=False, now=0) == 1
        assert await base.folder() == {0: 0}
        assert await base.findable(0) == {"words": set(), "vectors": set(), "passages": set()}
        await base.write(prepared_document(2))
        assert await base.faults() == []


async def test_a_transaction_that_is_cancelled_in_the_middle_is_rolled_back(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    async with with_one_document(path, busy_timeout=LONG) as base:
        before = await base.digest()
        with anyio.CancelScope() as scope:
            async with base.database.transaction() as transaction:
                await transaction.execute("delete_all_documents", collection_id="default")
                assert await transaction.fetch("all_documents", collection_id="default") == []
                scope.cancel()
                await transaction.fetch("all_terms")
        assert scope.cancelled_caught
        assert await base.digest() == before
        assert exit_code_of(workers.write_one, path, 1, SOON) == 0
        await base.write(prepared_document(2))
        assert await base.folder() == {0: 0, 1: 0, 2: 0}


async def test_writers_cancelled_at_any_moment_leave_whole_documents_and_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    async with with_one_document(path, busy_timeout=LONG) as base:
        for revision in range(1, 41):
            with anyio.move_on_after(revision * 0.0004):
                await base.write(prepared_document(0, revision))
            assert await base.folder() != {}
            assert await base.faults() == []
        assert exit_code_of(workers.write_one, path, 1, SOON) == 0
        await base.write(prepared_document(0, 41))
        assert await base.digest() == await digest_of(tmp_path / "undisturbed.db", {0: 41, 1: 0})


async def test_an_error_inside_a_transaction_rolls_it_back_and_frees_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    async with with_one_document(path, busy_timeout=LONG) as base:
        before = await base.digest()
        with pytest.raises(ZeroDivisionError):
            await delete_all_and_fail(base)
        assert await base.digest() == before
        assert exit_code_of(workers.write_one, path, 1, SOON) == 0


async def delete_all_and_fail(base: Base) -> None:
    async with base.database.transaction() as transaction:
        await transaction.execute("delete_all_documents", collection_id="default")
        raise ZeroDivisionError


async def test_searches_cancelled_at_any_moment_leave_the_base_searchable(tmp_path: Path) -> None:
    async with with_one_document(tmp_path / "base.db", busy_timeout=LONG) as base:
        for moment in range(60):
            with anyio.move_on_after(moment * 0.0001):
                await base.findable(0)
        with anyio.fail_after(SOON):
            async with anyio.create_task_group() as tasks:
                for _ in range(16):
                    tasks.start_soon(base.findable, 0)
        assert await base.findable(0) == expected_findable(0, 0)
        await base.write(prepared_document(1))
