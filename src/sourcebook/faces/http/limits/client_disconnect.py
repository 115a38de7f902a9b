"""Work for a client that may leave: when it does, the work ends."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

import anyio
from fastapi import Request
from starlette.requests import ClientDisconnect

_T = TypeVar("_T")


async def while_present(request: Request, work: Awaitable[_T]) -> _T:
    """The result of the work. When the client leaves first, the work is cancelled, and nobody is answered."""
    done: list[_T] = []
    failure: Exception | None = None
    async with anyio.create_task_group() as tasks:

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            tasks.cancel_scope.cancel()

        tasks.start_soon(watch)
        try:
            done.append(await work)
        except Exception as error:
            failure = error  # raised below, as it is, and not as one of a group
        tasks.cancel_scope.cancel()
    if failure is not None:
        raise failure
    if not done:
        raise ClientDisconnect
    return done[0]
