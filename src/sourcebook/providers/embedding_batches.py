"""Many texts as even pieces of work, some of them under way at once."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeAlias, cast

import anyio
import numpy as np
from anyio.lowlevel import RunVar

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Measured with two cores only; with many, what Python itself does between the products becomes the limit.
_MOST_THREADS = 8

Encode: TypeAlias = "Callable[[list[str]], Awaitable[NDArray[np.float32]]]"


def cores() -> int:
    """How many threads may compute at once: one for each core that this process may use."""
    try:
        usable = len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        usable = os.cpu_count() or 1
    return min(usable, _MOST_THREADS)


_TURNS: RunVar[anyio.CapacityLimiter] = RunVar("turns_of_computing")


def turns() -> anyio.CapacityLimiter:
    """As many turns as `cores`, for all calls of an event loop together.

    Two calls at once would otherwise compute on twice as many threads as there are cores, which then take the caches
    and the interpreter from each other.
    """
    try:
        return _TURNS.get()
    except LookupError:
        made = anyio.CapacityLimiter(cores())
        _TURNS.set(made)
        return made


def by_length(texts: Sequence[str], most_texts: int, most_characters: int | None = None) -> list[list[int]]:
    """The positions of the texts in batches of like length, the longest first so that the last ends are short."""
    order = sorted(range(len(texts)), key=lambda position: (-len(texts[position]), position))
    return list(_cut(texts, order, most_texts, most_characters))


def _cut(
    texts: Sequence[str], order: Sequence[int], most_texts: int, most_characters: int | None
) -> Iterator[list[int]]:
    batch: list[int] = []
    characters = 0
    for position in order:
        length = len(texts[position])
        too_long = most_characters is not None and characters + length > most_characters
        if batch and (len(batch) == most_texts or too_long):
            yield batch
            batch, characters = [], 0
        batch.append(position)
        characters += length
    if batch:
        yield batch


async def embed_in_batches(
    texts: Sequence[str],
    batches: Sequence[Sequence[int]],
    encode: Encode,
    *,
    dimensions: int,
    at_once: int,
    in_turn: bool = False,
) -> NDArray[np.float32]:
    """One row for each text, in their order. The first batch that fails stops the others.

    What is computed on this machine waits `in_turn`. A question does not: it is short, and somebody waits for it.
    """
    vectors = np.empty((len(texts), dimensions), dtype=np.float32)
    waiting = iter(batches)

    async def work() -> None:
        for batch in waiting:
            async with turns() if in_turn else nullcontext():
                vectors[batch] = await encode([texts[position] for position in batch])

    try:
        async with anyio.create_task_group() as tasks:
            for _ in range(min(at_once, len(batches))):
                tasks.start_soon(work)
    except ExceptionGroup as group:
        # Callers know the errors of an embedder, not that several batches were under way.
        raise _first_error(group) from None
    return vectors


def _first_error(group: ExceptionGroup[Exception]) -> Exception:
    first = group.exceptions[0]
    return (
        _first_error(cast("ExceptionGroup[Exception]", first)) if isinstance(first, ExceptionGroup) else first
    )
