"""A child process that dies, hangs or grows fails its file and nothing else, and never outlives its parent."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import pytest

from sourcebook.errors import BadFile, FileOverLimit, NotOpen, ParserDied
from sourcebook.ingest.parsers.process import cpu_timeout
from sourcebook.ingest.parsers.process import pool as pool_module
from sourcebook.ingest.parsers.process.pool import ParserLimits, ParserPool

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes as Linux shows them"),
]

MEGABYTE = 1024 * 1024
SLOW = b"<html><body>" + b"<b><p>" * 400_000
"""Takes much longer than any test waits."""
PATIENCE = 200.0


def children_of(process: int) -> set[int]:
    listed = Path(f"/proc/{process}/task").glob("*/children")
    found = set[int]()
    for file in listed:
        # A thread may have ended since.
        with suppress(FileNotFoundError, ProcessLookupError):
            found.update(map(int, file.read_text().split()))
    return found


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def until(condition: Callable[[], bool]) -> None:
    with anyio.fail_after(PATIENCE):
        while not condition():  # noqa: ASYNC110 - processes tell nobody when they end
            await anyio.sleep(0.02)


def workers() -> set[int]:
    """The children of this process that are parsers."""
    return {child for child in children_of(os.getpid()) if b"parsers.process.worker" in command_of(child)}


def command_of(process: int) -> bytes:
    return shown(process, "cmdline")


def shown(process: int, what: str) -> bytes:
    try:
        return Path(f"/proc/{process}/{what}").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


@pytest.fixture
async def pool() -> AsyncGenerator[ParserPool]:
    opened = ParserPool(workers=2)
    yield opened
    await opened.close()
    # One that was given up at its work is killed, but may take a moment to die.
    await until(lambda: not workers())


async def test_children_are_reused(pool: ParserPool) -> None:
    await pool.parse(b"one", "a.txt")
    first = workers()
    for number in range(50):
        assert (await pool.parse(b"text %d" % number, "a.txt")).text == f"text {number}"
    assert workers() == first
    assert len(first) == 1


async def test_files_are_parsed_at_the_same_time_and_answers_are_not_mixed_up(pool: ParserPool) -> None:
    async def check(number: int) -> None:
        assert (await pool.parse(b"text %d" % number, "a.txt")).text == f"text {number}"

    async with anyio.create_task_group() as group:
        for number in range(40):
            group.start_soon(check, number)
    assert 1 <= len(workers()) <= 2


async def test_files_that_are_read_soon_share_a_child(
    pool: ParserPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "WORTH_WAITING", PATIENCE)

    async def check(number: int) -> None:
        assert (await pool.parse(b"text %d" % number, "a.txt")).text == f"text {number}"

    async with anyio.create_task_group() as group:
        for number in range(10):
            group.start_soon(check, number)
    assert len(workers()) == 1


async def test_a_file_does_not_wait_for_one_that_takes_long(pool: ParserPool) -> None:
    async with anyio.create_task_group() as group:
        group.start_soon(pool.parse, SLOW, "a.html")
        await until(lambda: len(workers()) == 1)
        with anyio.fail_after(PATIENCE):
            assert (await pool.parse(b"text", "a.txt")).text == "text"
        assert len(workers()) == 2
        group.cancel_scope.cancel()


async def test_a_child_that_is_killed_while_it_waits_is_replaced(pool: ParserPool) -> None:
    await pool.parse(b"one", "a.txt")
    for child in workers():
        os.kill(child, signal.SIGKILL)
    assert (await pool.parse(b"two", "a.txt")).text == "two"


async def test_a_child_that_is_killed_at_work_fails_its_file_only(pool: ParserPool) -> None:
    async def kill() -> None:
        # Two children are tried, because the first could have died of an earlier file; this one is the first of both.
        await until(lambda: bool(workers()))
        await anyio.sleep(0.5)
        for child in workers():
            os.kill(child, signal.SIGKILL)

    async with anyio.create_task_group() as group:
        group.start_soon(kill)
        with pytest.raises(ParserDied, match="SIGKILL"):
            await pool.parse(SLOW, "a.html")
    assert (await pool.parse(b"two", "a.txt")).text == "two"


async def test_a_file_that_takes_too_long_is_given_up() -> None:
    pool = ParserPool(ParserLimits(seconds=2.0), workers=1)
    started = time.monotonic()
    with pytest.raises(FileOverLimit) as caught:
        await pool.parse(SLOW, "a.html")
    assert time.monotonic() - started < PATIENCE
    assert "2 seconds" in caught.value.message
    assert (await pool.parse(b"two", "a.txt")).text == "two"
    await pool.close()
    await until(lambda: not workers())


async def test_a_file_is_read_to_its_end_while_its_child_computes_however_long_that_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pool_module, "PATIENCE", 0.0001)
    seconds = itertools.count(0.0)

    def computed(_process: int) -> float:
        return next(seconds)

    monkeypatch.setattr(cpu_timeout, "computed", computed)
    pool = ParserPool()
    assert (await pool.parse(b"<p>Leeks</p>", "a.html")).text == "Leeks"
    assert next(seconds) > 2, "it took no longer than it may"
    await pool.close()


async def test_a_child_that_only_waits_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = ParserPool()
    await pool.parse(b"<p>Leeks</p>", "a.html")
    (child,) = workers()
    os.kill(child, signal.SIGSTOP)
    monkeypatch.setattr(pool_module, "PATIENCE", 0.01)
    with pytest.raises(FileOverLimit):
        await pool.parse(b"<p>Peas</p>", "b.html")
    await until(lambda: not is_running(child))
    await pool.close()


def test_under_a_plain_event_loop_too_a_process_is_waited_for_while_it_computes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = itertools.count()

    async def waits() -> bool:
        seen_often = asyncio.Event()

        def computed(_process: int) -> float:
            look = next(looks)
            if look == 5:
                seen_often.set()
            return float(look)

        monkeypatch.setattr(cpu_timeout, "computed", computed)
        with cpu_timeout.until_it_stops_computing(os.getpid(), 0.05):
            await seen_often.wait()
        return seen_often.is_set()

    # The servers run so, without the task that the marker of these tests wraps around each.
    assert asyncio.run(waits())


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system tells nothing of its processes")
def test_what_a_process_has_computed_grows_while_it_does() -> None:
    before = cpu_timeout.computed(os.getpid())
    assert before is not None
    own = time.process_time()
    while time.process_time() < own + 0.1:
        pass
    assert (cpu_timeout.computed(os.getpid()) or 0.0) > before
    assert cpu_timeout.computed(2**22 + 1) is None


async def test_a_file_that_takes_too_much_memory_is_given_up() -> None:
    pool = ParserPool(ParserLimits(memory=100 * MEGABYTE), workers=1)
    with pytest.raises(BadFile) as caught:
        await pool.parse(b"word " * (20 * MEGABYTE), "a.md")
    assert isinstance(caught.value, (FileOverLimit, ParserDied))
    assert (await pool.parse(b"two", "a.txt")).text == "two"
    await pool.close()


async def test_a_text_that_is_too_long_is_refused() -> None:
    pool = ParserPool(ParserLimits(characters=1000), workers=1)
    with pytest.raises(FileOverLimit):
        await pool.parse(b"word " * 201, "a.txt")
    assert len((await pool.parse(b"word " * 200, "a.txt")).text) == 1000
    await pool.close()


async def test_being_cancelled_ends_the_child(pool: ParserPool) -> None:
    with anyio.move_on_after(0.7) as scope:
        await pool.parse(SLOW, "a.html")
    assert scope.cancelled_caught
    await until(lambda: not workers())
    assert (await pool.parse(b"two", "a.txt")).text == "two"


async def test_closing_ends_a_child_at_work() -> None:
    pool = ParserPool(workers=1)

    async def close() -> None:
        await anyio.sleep(0.7)
        await pool.close()

    async with anyio.create_task_group() as group:
        group.start_soon(close)
        with pytest.raises((ParserDied, NotOpen)):
            await pool.parse(SLOW, "a.html")
    await until(lambda: not workers())
    with pytest.raises(NotOpen):
        await pool.parse(b"two", "a.txt")


async def test_closing_ends_a_child_that_is_just_started(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = ParserPool(workers=1)
    start = vars(pool_module)["_Child"]

    def closed_meanwhile(*arguments: Any) -> Any:
        child = start(*arguments)
        anyio.from_thread.run(opened.close)
        return child

    monkeypatch.setattr(pool_module, "_Child", closed_meanwhile)
    with pytest.raises(NotOpen):
        await opened.parse(b"one", "a.txt")
    await until(lambda: not workers())


async def test_who_leaves_while_a_child_is_started_leaves_none_behind(
    pool: ParserPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Left as `asyncio.wait_for` does it, which waits for no thread."""
    start = vars(pool_module)["_start_process"]
    is_starting, may_start = threading.Event(), threading.Event()
    started = list[subprocess.Popen[bytes]]()

    def slowly(*arguments: Any) -> subprocess.Popen[bytes]:
        is_starting.set()
        may_start.wait(PATIENCE)
        started.append(start(*arguments))
        return started[0]

    monkeypatch.setattr(pool_module, "_start_process", slowly)
    parsing = asyncio.create_task(pool.parse(b"one", "a.txt"))
    await until(is_starting.is_set)
    parsing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await parsing
    may_start.set()
    await until(lambda: bool(started) and started[0].returncode is not None)


async def test_an_interrupt_from_the_terminal_does_not_reach_a_child(pool: ParserPool) -> None:
    await pool.parse(b"one", "a.txt")
    (child,) = workers()
    assert os.getpgid(child) != os.getpgid(0)
    os.kill(child, signal.SIGINT)
    assert (await pool.parse(b"two", "a.txt")).text == "two"
    assert workers() == {child}


async def test_a_child_knows_no_secret_of_the_environment(
    pool: ParserPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCEBOOK_API_KEY", "canary-9183")
    await pool.parse(b"one", "a.txt")
    (child,) = workers()
    assert b"canary" not in shown(child, "environ")


async def test_a_file_in_the_current_folder_is_never_imported(
    pool: ParserPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json.py", "docx.py", "selectolax.py", "sourcebook.py"):
        (tmp_path / name).write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    assert (await pool.parse(b"<html><body>text", "a.html")).text == "text"


_PARENT = """
import anyio
import anyio.lowlevel
from sourcebook.ingest.parsers.process.pool import ParserPool
async def main():
    pool = ParserPool(workers=2)
    async with anyio.create_task_group() as group:
        group.start_soon(pool.parse, b"<html><body>" + b"<b><p>" * 400_000, "a.html")
        for _ in range(10):
            await anyio.lowlevel.checkpoint()  # the first child has its work before the other is asked for
        await pool.parse(b"idle", "a.txt")
        print("started", flush=True)
        await anyio.sleep(600)
anyio.run(main)
"""


def until_now(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_children_die_with_a_parent_that_is_killed() -> None:
    """One of the two is at work inside a library, the other waits."""
    with subprocess.Popen([sys.executable, "-c", _PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "started\n"
        until_now(lambda: len(children_of(parent.pid)) == 2)
        children = children_of(parent.pid)
        assert all(map(is_running, children))
        parent.kill()
    until_now(lambda: not any(map(is_running, children)))


_CONFINED = """
import ctypes, os, socket, subprocess, sys
from sourcebook.ingest.parsers.process.process_limits import ParserLimits, confine
libc = ctypes.CDLL(None, use_errno=True)
confine(ParserLimits())
def tried(what):
    try:
        what()
    except OSError as error:
        return type(error).__name__
    return "done"
print(tried(lambda: socket.socket()))
print(tried(lambda: socket.create_connection(("127.0.0.1", 9))))
print(tried(lambda: subprocess.run(["true"])))
print(tried(lambda: os.execv("/bin/true", ["true"])))
print(libc.socket(2, 1, 0), ctypes.get_errno())
print(libc.execv(b"/bin/true", None), ctypes.get_errno())
print(tried(lambda: open(sys.argv[1], "w").write("x" * 100_000)))
"""


def test_a_parser_has_no_network_starts_no_programs_and_writes_no_files(tmp_path: Path) -> None:
    """Neither through Python nor through a library written in C."""
    done = subprocess.run(
        [sys.executable, "-c", _CONFINED, str(tmp_path / "file")], capture_output=True, text=True, check=True
    )
    refused = ["PermissionError"] * 4
    assert done.stdout.split("\n") == [*refused, "-1 13", "-1 13", "OSError", ""]


async def test_a_child_bounds_its_own_memory(pool: ParserPool) -> None:
    await pool.parse(b"one", "a.txt")
    (child,) = workers()
    limits = shown(child, "limits").decode()
    assert f"Max address space         {512 * MEGABYTE}" in limits
    assert "Max file size             0" in limits
    assert "Max core file size        0" in limits
