"""Runs the async client in a thread with an event loop, for code without await."""

from __future__ import annotations

import functools
import inspect
import os
from concurrent.futures import Future
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import anyio
from anyio.from_thread import BlockingPortal

from sourcebook.errors import NotOpen, UsedAfterFork

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from sourcebook.client import AsyncSourcebook

P = ParamSpec("P")
T = TypeVar("T")

# How long Ctrl-C waits for what it stopped to put its things in order.
_TIDYING_SECONDS = 5.0


class _Loop:
    """A thread with an event loop. It never keeps a program from ending."""

    def __init__(self) -> None:
        started: Future[BlockingPortal] = Future()
        self._thread = Thread(target=anyio.run, args=(self._serve, started), name="sourcebook", daemon=True)
        self._thread.start()
        self._portal = started.result()
        self._process = os.getpid()
        self._lock = Lock()
        self._is_stopped = False

    async def _serve(self, started: Future[BlockingPortal]) -> None:
        async with BlockingPortal() as portal:
            started.set_result(portal)
            await portal.sleep_until_stopped()

    @property
    def is_another_process(self) -> bool:
        """Whether this process is a fork of the one that has the thread. In a fork, nothing would ever answer."""
        return self._process != os.getpid()

    def wait_for(self, call: Callable[[], Awaitable[T]]) -> T:
        begun, ended = Event(), Event()

        async def run() -> T:
            begun.set()
            try:
                return await call()
            finally:
                ended.set()

        # A task that is handed over after the loop was told to stop might never run, and so never be done.
        with self._lock:
            if self._is_stopped:
                raise NotOpen
            try:
                running = self._portal.start_task_soon(run)
            except RuntimeError as error:
                raise NotOpen from error
        try:
            return running.result()
        except BaseException:
            # Ctrl-C reaches the thread that waits: what it waited for must stop too, and end before the base is closed.
            if running.cancel() and begun.is_set():
                ended.wait(_TIDYING_SECONDS)
            raise

    def call(self, method: Callable[[], Awaitable[T]]) -> T:
        return self._portal.call(method)

    def stop(self) -> None:
        with self._lock:
            self._is_stopped = True
        self._portal.call(self._portal.stop)
        self._thread.join()


class Waiter:
    """Runs the async client in a thread of its own, for any number of threads that wait."""

    def __init__(self, book: AsyncSourcebook) -> None:
        self._book = book
        self._loop: _Loop | None = None
        self._lock = Lock()

    def open(self) -> None:
        self._require_own_process()
        with self._lock:
            if self._loop is None:
                loop = _Loop()
                try:
                    loop.call(self._book.open)
                except BaseException:
                    loop.stop()
                    raise
                self._loop = loop

    def close(self) -> None:
        """Close the base. A forked process leaves that to its parent."""
        if self._loop is not None and self._loop.is_another_process:
            return
        with self._lock:
            loop, self._loop = self._loop, None
            if loop is not None:
                try:
                    loop.call(self._book.close)
                finally:
                    loop.stop()

    def call(self, method: Callable[P, Awaitable[T]], *arguments: P.args, **named: P.kwargs) -> T:
        loop = self.opened()
        return loop.wait_for(functools.partial(method, *arguments, **named))

    def call_even_closed(self, method: Callable[P, Awaitable[T]], *arguments: P.args, **named: P.kwargs) -> T:
        """Like `_call`, for methods that need no open base: a closed client runs a loop just for the call."""
        self._require_own_process()
        with self._lock:
            loop = self._loop or _Loop()
            try:
                return loop.wait_for(functools.partial(method, *arguments, **named))
            finally:
                if self._loop is None:
                    loop.stop()

    def opened(self) -> _Loop:
        loop = self._loop
        if loop is None:
            raise NotOpen
        self._require_own_process()
        return loop

    def _require_own_process(self) -> None:
        if self._loop is not None and self._loop.is_another_process:
            raise UsedAfterFork


class BlockingStore:
    """A store whose methods return their result directly: `book.stores.vectors.get(…)`, without `await`."""

    def __init__(self, waiter: Waiter, store: object) -> None:
        self._waiter = waiter
        self._store = store

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._store, name)
        if not inspect.iscoroutinefunction(member):
            return member

        @functools.wraps(member)
        def wait(*arguments: Any, **named: Any) -> Any:
            return self._waiter.call(member, *arguments, **named)

        return wait


class BlockingStores:
    """The stores of an open base, for code without await."""

    def __init__(self, waiter: Waiter, book: AsyncSourcebook) -> None:
        waiter.opened()
        stores = book.stores
        self.vectors = BlockingStore(waiter, stores.vectors)
        self.fts = BlockingStore(waiter, stores.fts)
        self.tracker = BlockingStore(waiter, stores.tracker)
        self.writer = BlockingStore(waiter, stores.writer)
        self.library = BlockingStore(waiter, stores.library)
        self.sources = BlockingStore(waiter, stores.sources)
        self.jobs = BlockingStore(waiter, stores.jobs)
        self.reindexing = BlockingStore(waiter, stores.reindexing)
        self.sessions = BlockingStore(waiter, stores.sessions)
        self.curated = BlockingStore(waiter, stores.curated)
        self.terms = BlockingStore(waiter, stores.terms)
        self.moderation = BlockingStore(waiter, stores.moderation)
        self.users = BlockingStore(waiter, stores.users)
        self.topics = BlockingStore(waiter, stores.topics)
        self.messages = BlockingStore(waiter, stores.messages)
        self.ledger = BlockingStore(waiter, stores.ledger)
        self.visits = BlockingStore(waiter, stores.visits)
