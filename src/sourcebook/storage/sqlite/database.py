"""One file, one writer at a time, readers that never wait for it."""

from __future__ import annotations

import random
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple
from weakref import WeakKeyDictionary

import anyio
import anyio.lowlevel

from sourcebook.errors import BadSetting, BaseBusy, BaseReplaced, BaseUnreachable, NotOpen, SourcebookError
from sourcebook.ingest.freed_memory import give_back_freed_memory
from sourcebook.ports.arguments import require_path
from sourcebook.storage.crash_points import CrashPoint, reached
from sourcebook.storage.queries import Queries
from sourcebook.storage.sqlite import base_files, driver
from sourcebook.storage.sqlite.between_searches import BetweenSearches
from sourcebook.storage.sqlite.file_identity import FileIdentity
from sourcebook.storage.sqlite.migrate import bring_up_to_date
from sourcebook.storage.sqlite.other_files import refuse_other_file
from sourcebook.storage.sqlite.salvage.lost_log import lost_frames, remember_loss
from sourcebook.storage.sqlite.worker_session import (
    Memory,
    SqliteSession,
    carried_out,
    in_snapshot,
    in_transaction,
)
from sourcebook.storage.sqlite.worker_threads import Threads
from sourcebook.storage.temporary_folders import make_private_folder

if TYPE_CHECKING:
    from sourcebook.storage.database import Executor, Row
    from sourcebook.storage.sqlite.driver import Connection

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

# How long one attempt to begin a write may block its thread. Waiting beyond that happens in the event loop, where it
# can be cancelled.
_BEGIN_ATTEMPT_SECONDS = 0.05
# What every question asks of the base, which answers once for each of its states.
_REMEMBERED = frozenset({"collection_by_id"})


@cache
def read_queries() -> Queries:
    shared, own = files("sourcebook.storage") / "sql", files("sourcebook.storage.sqlite") / "sql"
    return Queries.read(shared, own)


async def _in_thread(threads: Threads, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
    return await threads.run(partial(_translated, function, *arguments))


def _translated(function: Callable[[*Ts], T], *arguments: *Ts) -> T:
    with driver.translated():
        return function(*arguments)


class SqliteExecutor:
    """Named statements on one connection, for as long as its transaction lasts."""

    def __init__(self, connection: Connection, queries: Queries, threads: Threads) -> None:
        self._connection: Connection | None = connection
        self._queries = queries
        self._threads = threads

    def end(self) -> None:
        self._connection = None

    async def fetch(self, name: str, /, **parameters: object) -> list[Row]:
        sql = self._queries[name].sql
        return await _in_thread(self._threads, driver.run, self._open_connection(), sql, parameters)

    async def fetch_one(self, name: str, /, **parameters: object) -> Row | None:
        rows = await self.fetch(name, **parameters)
        return rows[0] if rows else None

    async def execute(self, name: str, /, **parameters: object) -> int:
        sql = self._queries[name].sql
        if not sql:
            return 0
        return await _in_thread(self._threads, driver.change, self._open_connection(), sql, parameters)

    async def execute_many(self, name: str, rows: Iterable[Mapping[str, object]], /) -> None:
        waiting = list(rows)
        if waiting:
            sql = self._queries[name].sql
            await _in_thread(self._threads, driver.change_many, self._open_connection(), sql, waiting)

    def _open_connection(self) -> Connection:
        if self._connection is None:
            raise NotOpen(
                "The transaction is over", hint="Use its executor only inside the `async with` block."
            )
        return self._connection


class SqliteDatabase:
    """A base in a file. Open it with `await SqliteDatabase.open(path)`; several processes may, at the same time."""

    def __init__(self, path: Path, *, busy_timeout: float, readers: int, vfs: str | None) -> None:
        self.path = path
        self._busy_timeout = busy_timeout
        self._vfs = vfs
        self._queries = read_queries()
        self._threads = Threads(readers + 1)
        # What is free is taken without a turn of the event loop; who waits is served in their order all the same.
        self._write_lock = anyio.Lock(fast_acquire=True)
        self._free_readers = anyio.Semaphore(readers, fast_acquire=True)
        self._readers = readers
        self._in_turn = 0
        self._followed: tuple[Connection, int] | None = None
        self._idle_readers: list[Connection] = []
        self._memories: WeakKeyDictionary[Connection, Memory] = WeakKeyDictionary()
        self._writer: Connection | None = None
        self._to_finish: list[Callable[[], None]] = []
        self.between_searches = BetweenSearches(self._do_if_free)
        self._identity = FileIdentity(path.absolute())

    @classmethod
    async def open(
        cls,
        path: Path | str,
        *,
        busy_timeout: float = 30.0,
        readers: int = 4,
        vfs: str | None = None,
        library: tuple[int, ...] | None = None,
    ) -> SqliteDatabase:
        """Open the base, making or upgrading it first if need be. `library` stands in for SQLite's own version."""
        driver.require_safe_library(library or driver.library_version())
        if str(path) == ":memory:":
            raise BadSetting("A base must be a file", hint="Pass a path to `--db`; a temporary one is fine.")
        require_path("db", path)
        database = cls(Path(path), busy_timeout=busy_timeout, readers=readers, vfs=vfs)
        try:
            database._writer = await _in_thread(database._threads, database._open_writer)
        except BaseException:
            database._threads.close()
            raise
        return database

    async def close(self) -> None:
        """Close every connection, when what is being written is written. Closing twice is fine."""
        writer, self._writer = self._writer, None
        idle, self._idle_readers = self._idle_readers, []
        if writer is not None:
            with anyio.CancelScope(shield=True):
                async with self._write_lock:
                    await _in_thread(self._threads, self._finish)
                    await _in_thread(self._threads, _close_all, [*idle, writer])
            self._threads.close()

    async def release_memory(self) -> None:
        """Give back to the system the pages that are kept for the next write: after a large one they are many."""
        async with self._write_lock:
            await _in_thread(self._threads, _shrink, self._opened())

    def before_close(self, finish: Callable[[], None]) -> None:
        """Have something done, in a thread, before the base is closed."""
        self._to_finish.append(finish)

    def _finish(self) -> None:
        for finish in self._to_finish:
            finish()

    async def fetch(self, name: str, /, **parameters: object) -> list[Row]:
        return await self.read(lambda session: session.fetch(name, **parameters))

    async def fetch_one(self, name: str, /, **parameters: object) -> Row | None:
        return await self.read(lambda session: session.fetch_one(name, **parameters))

    async def fetch_soon(self, name: str, /, **parameters: object) -> list[Row] | None:
        """What `fetch` gives, without a change of thread if a connection is idle; None if none is."""

        def fetched(session: SqliteSession) -> list[Row]:
            if name not in _REMEMBERED:
                return session.fetch(name, **parameters)
            key = ("rows", name, *parameters.values())
            return session.remembered(key, lambda: session.fetch(name, **parameters))

        return await self.read_soon(fetched)

    async def execute(self, name: str, /, **parameters: object) -> int:
        async with self.transaction() as transaction:
            return await transaction.execute(name, **parameters)

    async def execute_many(self, name: str, rows: Iterable[Mapping[str, object]], /) -> None:
        async with self.transaction() as transaction:
            await transaction.execute_many(name, rows)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[SqliteExecutor, None]:
        async with self._write_lock:
            writer = self._opened()
            await self._begin(writer)
            executor = SqliteExecutor(writer, self._queries, self._threads)
            try:
                yield executor
                reached(CrashPoint.BEFORE_COMMIT)
                with anyio.CancelScope(shield=True):
                    await _in_thread(self._threads, self._commit, writer)
            except BaseException:
                with anyio.CancelScope(shield=True):
                    await _in_thread(self._threads, _roll_back, writer)
                raise
            finally:
                executor.end()
            reached(CrashPoint.COMMITTED)

    async def write(self, work: Callable[[Executor], Coroutine[Any, Any, T]], /) -> T:
        """Run `work` in one transaction and one worker thread. It may wait for nothing but its executor."""
        async with self._write_lock:
            writer = self._opened()
            return await self._when_free(writer, partial(self._begun_and_done, writer, work))

    @asynccontextmanager
    async def snapshot(self) -> AsyncGenerator[SqliteExecutor, None]:
        self._opened()
        async with self._free_readers:
            reader = self._idle_readers.pop() if self._idle_readers else await self._new_reader()
            executor = SqliteExecutor(reader, self._queries, self._threads)
            try:
                with self._unless_closed():
                    await _in_thread(self._threads, self._begin_to_read, reader)
                yield executor
            finally:
                executor.end()
                await self._take_back(reader)

    async def read(self, work: Callable[[SqliteSession], T]) -> T:
        """Run `work` in a worker thread, on one state of the base: many reads for the price of one thread change."""
        self._opened()
        async with self._free_readers:
            reader = self._idle_readers.pop() if self._idle_readers else await self._new_reader()
            try:
                memory = self._memories.setdefault(reader, Memory())
                return await _in_thread(self._threads, in_snapshot, reader, memory, self._queries, work)
            finally:
                await self._take_back(reader)

    async def read_much(self, work: Callable[[SqliteSession], T]) -> T:
        """Run `work` as `read` does, on a connection of its own that keeps few pages: nobody reads them again."""
        self._opened()
        async with self._free_readers:
            with self._unless_closed():
                return await _in_thread(self._threads, self._read_much, work)

    async def read_soon(
        self, quick: Callable[[SqliteSession], T | None], *, only_alone: bool = False
    ) -> T | None:
        """Run `quick` here and now, on one state of the base, if a connection is idle; None if not.

        A change of thread costs more than the least of searches. `quick` must take no longer than that, and declines
        with None what would. What takes a few milliseconds says `only_alone`: it is run if no thread reads, as two that
        work at the same time take longer than one after the other.
        """
        self._opened()
        # Others get their turn, as they would while a thread works.
        self._in_turn += 1
        try:
            await anyio.lowlevel.checkpoint()
        finally:
            self._in_turn -= 1
        if not self._is_open or not self._idle_readers or self._free_readers.value == 0:
            return None
        is_alone = self._free_readers.value == self._readers
        return self._read_here(quick) if is_alone or not only_alone else None

    async def read_in_turn(
        self,
        turn: anyio.Lock,
        quick: Callable[[SqliteSession], T | None],
        work: Callable[[SqliteSession], T],
        *,
        only_alone: bool = True,
    ) -> T:
        """Run `quick` as `read_soon` does and, if it declines, `work` in a thread: one of those that share a turn.

        After a write everybody lacks the same. One thread makes it, and the others find it made when their turn comes:
        threads that compute side by side hold each other up. Between two turns, the loop does what else there is to do.
        """
        async with turn:
            found = await self.read_soon(quick, only_alone=only_alone)
            return await self.read(work) if found is None else found

    def _do_if_free(self, works: Sequence[Callable[[SqliteSession], object]]) -> bool:
        """Do all of this now, if something was written and nobody reads. Whether the base is open.

        Whoever asks next is told what went wrong.
        """
        if self._idle_readers and not self._in_turn and self._free_readers.value == self._readers:
            reader = self._idle_readers[-1]

            def follow(session: SqliteSession) -> None:
                seen = reader, self._memories[reader].version
                if seen != self._followed:
                    self._followed = seen
                    for work in works:
                        work(session)

            with suppress(SourcebookError):
                self._read_here(follow)
        return self._is_open

    def _read_here(self, quick: Callable[[SqliteSession], T | None]) -> T | None:
        self._free_readers.acquire_nowait()
        reader = self._idle_readers.pop()
        try:
            return self._at_hand(reader, quick)
        finally:
            self._free_readers.release()
            self._idle_readers.append(reader)

    def _at_hand(self, reader: Connection, quick: Callable[[SqliteSession], T | None]) -> T | None:
        """Whoever has to wait, for a base that is being recovered, does so in a thread."""
        reader.set_busy_timeout(0)
        try:
            memory = self._memories.setdefault(reader, Memory())
            return _translated(in_snapshot, reader, memory, self._queries, quick)
        except BaseBusy:
            return None
        finally:
            reader.set_busy_timeout(int(self._busy_timeout * 1000))

    async def read_at_once(self, work: Callable[[Executor], Coroutine[Any, Any, T]], /) -> T:
        """Run `work` in one worker thread, on one state of the base. It may wait for nothing but its executor."""
        return await self.read(lambda session: session.carry_out(work))

    def _read_much(self, work: Callable[[SqliteSession], T]) -> T:
        reader = self._open_reader()
        try:
            reader.execute("pragma cache_size = -4096")
            return in_snapshot(reader, Memory(), self._queries, work)
        finally:
            reader.close()

    def _begin_to_read(self, reader: Connection) -> None:
        self._identity.require()
        reader.execute("begin")

    def _commit(self, writer: Connection) -> None:
        writer.execute("commit")
        # Only now is it certain where it was written.
        self._identity.require()

    def _begun_and_done(self, writer: Connection, work: Callable[[Executor], Coroutine[Any, Any, T]]) -> T:
        _begin_now(writer)
        result = carried_out(writer, self._queries, work)
        self._identity.require()
        return result

    def write_apart(self, work: Callable[[SqliteSession], T]) -> T:
        """Run `work` on a connection of its own, for a thread that has nothing to do with the event loop.

        It gives up after a second if somebody else is writing.
        """
        with driver.translated():
            connection = driver.connect(self.path, busy_timeout=1.0, vfs=self._vfs, make=False)
            try:
                return in_transaction(connection, self._queries, work)
            finally:
                connection.close()

    def _opened(self) -> Connection:
        if self._writer is None:
            raise NotOpen
        return self._writer

    async def _begin(self, writer: Connection) -> None:
        await self._when_free(writer, partial(_begin_now, writer))

    async def _when_free(self, writer: Connection, begin: Callable[[], T]) -> T:
        """Do what begins a transaction, in a thread, and again for as long as another process is writing."""
        deadline = time.monotonic() + self._busy_timeout
        while True:
            try:
                return await _in_thread(self._threads, begin)
            except BaseBusy as busy:
                if time.monotonic() >= deadline:
                    raise BaseBusy(
                        f"Another process kept writing to {self.path} for {self._busy_timeout:g} seconds"
                    ) from busy
                await anyio.sleep(random.uniform(0.001, 0.02))  # noqa: S311 - spreads the waiting, hides nothing
            except BaseException:
                # Cancelled while the thread had just succeeded: the write lock must not be left behind.
                with anyio.CancelScope(shield=True):
                    await _in_thread(self._threads, _roll_back, writer)
                raise

    async def _new_reader(self) -> Connection:
        with self._unless_closed():
            return await _in_thread(self._threads, self._open_reader)

    @contextmanager
    def _unless_closed(self) -> Generator[None]:
        """Who closes the base takes its log away. To whoever was about to read, that is not a replaced base."""
        try:
            yield
        except BaseReplaced:
            self._opened()
            raise

    async def _take_back(self, reader: Connection) -> None:
        """Keep a connection for the next reader, or close it with its base. It is never left in a transaction."""
        is_left = False
        try:
            if self._is_open and reader.in_transaction:
                with anyio.CancelScope(shield=True):
                    await _in_thread(self._threads, _roll_back, reader)
            is_left = self._is_open
        finally:
            if is_left:
                self._idle_readers.append(reader)
            else:
                reader.close()

    @property
    def _is_open(self) -> bool:
        return self._writer is not None

    def _open_writer(self) -> Connection:
        try:
            make_private_folder(self.path.parent)
        except OSError as error:
            raise BaseUnreachable(f"Cannot create the folder {self.path.parent}: {error}") from error
        # If there cannot be one, SQLite says why.
        with suppress(OSError):
            base_files.make_base_file(self.path)
        refuse_other_file(self.path)
        self._identity.look()
        # Looked for before SQLite opens the log, and makes it look well again.
        lost = lost_frames(self.path)
        writer = driver.connect(self.path, busy_timeout=self._busy_timeout, vfs=self._vfs)
        try:
            bring_up_to_date(writer, self.path)
            remember_loss(writer, self.path, lost)
            self._identity.require()
        except BaseException:
            writer.close()
            raise
        writer.set_busy_timeout(int(_BEGIN_ATTEMPT_SECONDS * 1000))
        return writer

    def _open_reader(self) -> Connection:
        self._identity.require()
        reader = driver.connect(self.path, busy_timeout=self._busy_timeout, vfs=self._vfs, make=False)
        reader.execute("pragma query_only = on")
        return reader


def _begin_now(writer: Connection) -> None:
    # A rollback that failed on a full or broken disk is made good here.
    _roll_back(writer)
    writer.execute("begin immediate")


def _roll_back(connection: Connection) -> None:
    if connection.in_transaction:
        connection.execute("rollback")


def _shrink(connection: Connection) -> None:
    connection.execute("pragma shrink_memory")
    give_back_freed_memory()


def _close_all(connections: list[Connection]) -> None:
    with ExitStack() as closing:
        for connection in connections:
            closing.callback(connection.close)
