"""Concurrent calls to the stores."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar, cast

import anyio

T = TypeVar("T")


async def together(calls: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
    """The results of the calls, in their order. If one fails, the others are cancelled and its error is raised."""
    if len(calls) == 1:
        return [await calls[0]()]
    answers: dict[int, T] = {}

    async def run(number: int) -> None:
        answers[number] = await calls[number]()

    try:
        async with anyio.create_task_group() as group:
            for number in range(1, len(calls)):
                group.start_soon(run, number)
            await run(0)
    except ExceptionGroup as group:
        # Callers handle errors of the stores, not groups of them.
        raise _first_error(group) from None
    return [answers[number] for number in range(len(calls))]


def _first_error(group: ExceptionGroup[Exception]) -> Exception:
    first = group.exceptions[0]
    return (
        _first_error(cast("ExceptionGroup[Exception]", first)) if isinstance(first, ExceptionGroup) else first
    )
