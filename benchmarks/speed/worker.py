"""One engine in a process of its own, told through a pipe what to do."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from benchmarks.speed.meters import Memory, Spent, Untimed, bytes_on_disk, memory, now

if TYPE_CHECKING:
    from benchmarks.speed.engine import Engine, EngineSpec, Question

SILENT = {
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "OTEL_SDK_DISABLED": "true",
    "RUST_LOG": "error",
}
"""Nothing that is measured reports to anybody, fetches anything, or spends its time on warnings."""


@dataclass(frozen=True, slots=True)
class Build:
    folder: Path
    blocks: Iterable[Any]


@dataclass(frozen=True, slots=True)
class Open:
    """Open the folder and answer a first question."""

    folder: Path
    first: Question
    k: int


@dataclass(frozen=True, slots=True)
class Ask:
    questions: Sequence[Question]
    k: int


@dataclass(frozen=True, slots=True)
class Weigh:
    pass


@dataclass(frozen=True, slots=True)
class Stop:
    pass


Order: TypeAlias = Build | Open | Ask | Weigh | Stop


@dataclass(frozen=True, slots=True)
class Built:
    spent: Spent
    disk: int


@dataclass(frozen=True, slots=True)
class Opened:
    """`imported` is the time for the libraries, `spent` the time from there to the first answer."""

    imported: Spent
    spent: Spent
    before: Memory


@dataclass(frozen=True, slots=True)
class Answered:
    """The seconds of each question, the processor's for all of them, and the answers."""

    walls: Sequence[float]
    cpu: float
    answers: Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Stopped:
    pass


@dataclass(frozen=True, slots=True)
class Failed:
    error: str


Reply: TypeAlias = Built | Opened | Answered | Memory | Stopped | Failed


def serve(connection: Connection, spec: EngineSpec, log: Path) -> None:
    """Follow orders until told to stop. What an engine prints goes to the log; what it raises, to the caller."""
    os.environ.update(SILENT)
    with log.open("ab") as stream:
        os.dup2(stream.fileno(), sys.stdout.fileno())
        os.dup2(stream.fileno(), sys.stderr.fileno())
    asyncio.run(_serve(connection, spec))


async def _serve(connection: Connection, spec: EngineSpec) -> None:
    # One event loop and one task for the whole life of the process, as in a server.
    try:
        start = now()
        engine = spec.make()
        imported = now() - start
        while True:
            reply = await _obey(connection.recv(), engine, imported)
            connection.send(reply)
            if isinstance(reply, Stopped):
                return
    except Exception as error:
        connection.send(Failed(f"{type(error).__name__}: {error}"[:400]))


async def _obey(order: Order, engine: Engine[Any], imported: Spent) -> Reply:
    match order:
        case Build(folder, blocks):
            return await _build(engine, folder, blocks)
        case Open(folder, first, k):
            before = memory()
            start = now()
            await engine.open(folder)
            await engine.search(first, k)
            return Opened(imported, now() - start, before)
        case Ask(questions, k):
            return await _ask(engine, questions, k)
        case Weigh():
            return memory()
        case Stop():
            await engine.close()
            return Stopped()


async def _build(engine: Engine[Any], folder: Path, blocks: Iterable[Any]) -> Built:
    untimed = Untimed(blocks)
    start = now()
    await engine.build(folder, untimed)
    return Built(now() - start - untimed.spent, bytes_on_disk(folder))


async def _ask(engine: Engine[Any], questions: Sequence[Question], k: int) -> Answered:
    walls: list[float] = []
    answers: list[Sequence[int]] = []
    # The processor is read around the batch: threads that go on after an answer are counted too.
    before = now()
    for question in questions:
        start = time.perf_counter()
        answers.append(await engine.search(question, k))
        walls.append(time.perf_counter() - start)
    return Answered(walls, (now() - before).cpu, answers)
