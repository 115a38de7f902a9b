"""Real processes that start quickly: forked from a server that has imported the heavy libraries, and no more."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any, TypeAlias

Line: TypeAlias = "Connection[Any, Any]"
PATIENCE = 200.0
"""Seconds after which a process that should have ended is taken for hung."""


# Each process imports the module that runs the tests too, as with every start method but fork.
_PRELOADED = ["anyio._backends._asyncio", "pytest", "tests.faults.preloaded"]


def _context() -> ForkServerContext | SpawnContext:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    return context


_CONTEXT = _context()


def exit_code_of(work: Callable[..., None], *arguments: Any) -> int | None:
    """Run the work in a process of its own, to the end."""
    with running(work, *arguments) as process:
        process.join(PATIENCE)
        return process.exitcode


@contextmanager
def running(work: Callable[..., None], *arguments: Any) -> Generator[BaseProcess]:
    """A process that does the work. It is killed if it is still there at the end."""
    process = _CONTEXT.Process(target=work, args=arguments)
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join(PATIENCE)


@contextmanager
def talking(work: Callable[..., None], *arguments: Any) -> Generator[tuple[BaseProcess, Line]]:
    """The same with a line to it: the work gets the other end as its first argument."""
    ours, theirs = _CONTEXT.Pipe()
    with ours, running(work, theirs, *arguments) as process:
        theirs.close()
        yield process, ours


def started(work: Callable[..., None], *arguments: Any) -> tuple[BaseProcess, Line]:
    """The same for a process that its owner kills, at a moment of its own choice."""
    ours, theirs = _CONTEXT.Pipe()
    process = _CONTEXT.Process(target=work, args=(theirs, *arguments))
    process.start()
    theirs.close()
    return process, ours


def all_at_once(work: Callable[..., None], arguments: Sequence[tuple[Any, ...]]) -> list[int | None]:
    """Run the work in as many processes as there are arguments, released together; their exit codes."""
    gate = _CONTEXT.Barrier(len(arguments))
    processes = [_CONTEXT.Process(target=_after_the_gate, args=(gate, work, *given)) for given in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENCE)
    for process in processes:
        process.kill()
        process.join(PATIENCE)
    return [process.exitcode for process in processes]


def _after_the_gate(gate: Any, work: Callable[..., None], *arguments: Any) -> None:
    gate.wait(PATIENCE)
    work(*arguments)


def heard(line: Line) -> list[Any]:
    """What the other side still said before it hung up."""
    said: list[Any] = []
    while True:
        try:
            said.append(line.recv())
        except (EOFError, OSError):
            return said
