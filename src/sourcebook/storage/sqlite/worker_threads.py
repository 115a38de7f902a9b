"""Blocking calls in worker threads, which nobody leaves before they are done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar, TypeVarTuple

import anyio
import anyio.lowlevel

from sourcebook.errors import NotOpen

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Threads:
    """A few threads for one database.

    A connection must not be used while a thread still works on it. So a call that is cancelled, in whichever way, waits
    for its thread before it gives up: the shields of anyio alone do not hold against `asyncio.wait_for`.
    """

    def __init__(self, count: int) -> None:
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="sourcebook")
        self._is_closed = False

    async def run(self, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
        await anyio.lowlevel.checkpoint_if_cancelled()
        if self._is_closed:
            raise NotOpen
        working = asyncio.get_running_loop().run_in_executor(self._pool, partial(function, *arguments))
        interrupted: asyncio.CancelledError | None = None
        with anyio.CancelScope(shield=True):
            while not working.done():
                try:
                    await asyncio.shield(working)
                except asyncio.CancelledError as error:
                    interrupted = error
                except BaseException:  # noqa: S112 - the result is taken below, with the error if it is one
                    continue
        if interrupted is not None:
            working.exception()
            raise interrupted
        return working.result()

    def close(self) -> None:
        self._is_closed = True
        self._pool.shutdown(wait=False)
