"""`python -m benchmarks.speed.cluster`: the same rows on one server and on a Citus cluster, asked in turns.

`--server` and `--cluster` are addresses of two empty bases; the second was spread with `sourcebook config citus
--apply`. Both sides do the same work in turns, so that whatever else the machine does hits both. Vectors are made of
the words by a function that costs next to nothing: what is measured is the databases.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import anyio
import numpy as np

from benchmarks.speed.machine import commit, machine
from benchmarks.speed.texts import Library, library
from sourcebook import AsyncSourcebook, Settings
from sourcebook.model.add_reports import NewText
from sourcebook.model.search import Equals, In, MetadataFilter, RetrievalConfig, RetrievalMode
from sourcebook.testing.fakes import FakeEmbedder

SIZE = 512
AT_ONCE = 100
ONE_BY_ONE = 60
WARMING = 3
MODES = {
    "vectors": RetrievalMode.SEMANTIC,
    "words": RetrievalMode.KEYWORD,
    "both": RetrievalMode.HYBRID,
}
FILTERS: dict[str, MetadataFilter | None] = {
    "": None,
    ", 1 % of the documents": Equals("of_hundred", 7),
    ", three documents": In("number", (3, 33, 333)),
}


@dataclass(slots=True)
class Cell:
    """Seconds that the same work took on both sides, one pair for each turn."""

    server: list[float] = field(default_factory=list[float])
    cluster: list[float] = field(default_factory=list[float])
    same: int = 0

    def facts(self) -> dict[str, float]:
        one, many = np.array(self.server) * 1000, np.array(self.cluster) * 1000
        return {
            "turns": len(one),
            "server_p50_ms": round(float(np.median(one)), 1),
            "server_p95_ms": round(float(np.percentile(one, 95)), 1),
            "cluster_p50_ms": round(float(np.median(many)), 1),
            "cluster_p95_ms": round(float(np.percentile(many, 95)), 1),
            # Of each turn by itself: on a busy machine both sides of a pair were disturbed alike.
            "median_of_ratios": round(float(np.median(many / one)), 2),
            "same_results": self.same,
        }


class Pair:
    """A base on one server and one on the cluster."""

    def __init__(self, server: AsyncSourcebook, cluster: AsyncSourcebook) -> None:
        self._books = (server, cluster)
        self._turn = 0

    async def timed(self, cell: Cell, work: Callable[[AsyncSourcebook], Awaitable[object]]) -> None:
        """Do it on both; who is first changes with each turn."""
        self._turn += 1
        results: dict[int, object] = {}
        for side in ((0, 1), (1, 0))[self._turn % 2]:
            began = time.perf_counter()
            results[side] = await work(self._books[side])
            (cell.server, cell.cluster)[side].append(time.perf_counter() - began)
        cell.same += results[0] == results[1]


async def added(pair: Pair, texts: Sequence[tuple[str, str]]) -> dict[str, Cell]:
    """The last of the texts one by one, the others many at once."""
    cells = {"add_text, one document": Cell(), f"add_texts, {AT_ONCE} documents": Cell()}
    one, many = cells.values()
    new = [
        NewText(text, id=f"d{n}", title=title, metadata={"number": n, "of_hundred": n % 100})
        for n, (title, text) in enumerate(texts)
    ]
    for start in range(0, len(new) - ONE_BY_ONE, AT_ONCE):
        part = new[start : min(start + AT_ONCE, len(new) - ONE_BY_ONE)]

        async def add_many(book: AsyncSourcebook, part: Sequence[NewText] = part) -> object:
            return [report.outcome for report in await book.add_texts(part)]

        await pair.timed(many, add_many)
    for text in new[-ONE_BY_ONE:]:

        async def add_one(book: AsyncSourcebook, given: NewText = text) -> object:
            report = await book.add_text(given.text, id=given.id, title=given.title, metadata=given.metadata)
            return report.outcome

        await pair.timed(one, add_one)
    return cells


async def searched(pair: Pair, questions: Sequence[str]) -> dict[str, Cell]:
    cells: dict[str, Cell] = {}
    for name, mode in MODES.items():
        for filtered, tree in FILTERS.items():
            config = RetrievalConfig(mode=mode, filter=tree)

            async def search(
                book: AsyncSourcebook, question: str, config: RetrievalConfig = config
            ) -> object:
                return [(r.chunk.id, r.score) for r in await book.search(question, config)]

            cells[f"search, {name}{filtered}"] = await asked(pair, questions, search)

    async def ask(book: AsyncSourcebook, question: str) -> object:
        return (await book.ask(question)).answer

    cells["ask"] = await asked(pair, questions, ask)
    return cells


async def asked(
    pair: Pair, questions: Sequence[str], work: Callable[[AsyncSourcebook, str], Awaitable[object]]
) -> Cell:
    cell = Cell()
    for number, question in enumerate(questions):
        if number == WARMING:
            cell = Cell()  # the first ones open connections and warm the caches
        await pair.timed(cell, lambda book, question=question: work(book, question))
    return cell


async def run(
    server: str, cluster: str, source: Library, documents: int, questions: int
) -> dict[str, object]:
    chance = np.random.default_rng(5)
    texts = [source.texts[int(i)] for i in chance.permutation(len(source.texts))[:documents]]
    asked_for = [source.questions[int(i)] for i in chance.permutation(len(source.questions))[:questions]]
    async with AsyncExitStack() as opened:
        books = [
            await opened.enter_async_context(
                AsyncSourcebook(
                    settings=Settings(db=address, embedding_cache="none"), embedder=FakeEmbedder(SIZE)
                )
            )
            for address in (server, cluster)
        ]
        pair = Pair(books[0], books[1])
        cells = await added(pair, texts)
        print(table(cells), flush=True)
        held = await books[1].stores.vectors.get_collection("default")
        cells |= await searched(pair, asked_for)
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": commit(),
        "machine": machine(),
        "load": os.getloadavg(),
        "documents": len(texts),
        "letters": sum(len(text) for _, text in texts),
        "chunks": held.chunk_count if held else 0,
        "cells": {name: cell.facts() for name, cell in cells.items()},
        "table": table(cells),
    }


def table(cells: dict[str, Cell]) -> str:
    lines = [
        "| what | turns | one server, p50 ms | p95 | cluster, p50 ms | p95 | ratio | same results |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, cell in cells.items():
        lines.append(f"| {name} | " + " | ".join(f"{value:g}" for value in cell.facts().values()) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True)
    parser.add_argument("--cluster", required=True)
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--questions", type=int, default=43)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    facts = anyio.run(
        run, given.server, given.cluster, library(given.texts), given.documents, given.questions
    )
    print(facts.pop("table"))
    if given.output:
        given.output.write_text(json.dumps(facts, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
