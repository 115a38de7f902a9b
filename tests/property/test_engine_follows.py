"""Whatever is written, by whichever process: what is searched from memory is what the base holds."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import anyio
import pytest

from sourcebook.assembly import make_stores
from sourcebook.model.documents import Chunk, Collection, DistanceMetric, EmbeddedChunk
from sourcebook.model.search import Equals, GreaterThan, In, Not
from sourcebook.retrieve.filters.filter_meaning import FilterRecord, check, matches
from sourcebook.storage.maintenance.doctor import examine
from sourcebook.storage.sqlite.database import SqliteDatabase
from sourcebook.storage.sqlite.engine.vector_engine import SqliteVectorEngine
from sourcebook.storage.sqlite.engine.word_engine import SqliteWordEngine
from sourcebook.testing.fakes import FixedClock

if TYPE_CHECKING:
    from sourcebook.model.documents import Metadata
    from sourcebook.model.search import MetadataFilter
    from sourcebook.ports.storage import PassageSearch
    from sourcebook.ports.stores import Stores

SIZE = 3
# Small enough for files to be made, shared and worn out all the time.
ROWS_WORTH_A_FILE = 60
METADATA: list[Metadata] = [{}, {"k": 0}, {"k": 1}, {"k": 2}, {"k": [1, "x"]}, {"o": {"p": True}}]
FILTERS: list[MetadataFilter | None] = [
    None,
    Equals("k", 1),
    Not(Equals("k", 1)),
    In("k", (0, "x")),
    Equals("o.p", True),
    GreaterThan("k", 0),
    Equals("chunk.k", 2),
]


@asynccontextmanager
async def opened(path: Path) -> AsyncGenerator[tuple[SqliteDatabase, Stores], None]:
    database = await SqliteDatabase.open(path)
    vectors = SqliteVectorEngine(database, ROWS_WORTH_A_FILE)
    words = SqliteWordEngine(database, ROWS_WORTH_A_FILE)
    try:
        yield database, make_stores(database, vectors, words, FixedClock())
    finally:
        await database.close()


@dataclass
class Truth:
    """What the base should hold: chunks, which of them words find, and the documents that are hidden."""

    chance: random.Random
    chunks: dict[str, EmbeddedChunk] = field(default_factory=dict[str, EmbeddedChunk])
    indexed: set[str] = field(default_factory=set[str])
    hidden: set[str] = field(default_factory=set[str])

    def expected(self, tree: MetadataFilter | None) -> set[str]:
        return {
            key
            for key, c in self.chunks.items()
            if c.chunk.document_id not in self.hidden
            and (tree is None or matches(check(tree), FilterRecord(c.chunk.metadata)))
        }

    def some(self, count: int) -> list[str]:
        return self.chance.sample(sorted(self.chunks), min(count, len(self.chunks)))

    async def add(self, stores: Stores) -> None:
        document = f"d{self.chance.randrange(25)}"
        names = {f"{document}-{self.chance.randrange(8)}" for _ in range(self.chance.randrange(1, 6))}
        made = [EmbeddedChunk(self._chunk(name, document), self._vector()) for name in sorted(names)]
        await stores.vectors.add("c", made)
        self.chunks.update({c.chunk.id: c for c in made})

    async def index(self, stores: Stores) -> None:
        chosen = self.some(3)
        await stores.fts.index("c", [self.chunks[key].chunk for key in chosen])
        self.indexed.update(chosen)

    async def delete(self, stores: Stores) -> None:
        for key in (chosen := self.some(4)):
            del self.chunks[key]
        await stores.vectors.delete("c", chosen)
        self.indexed.intersection_update(self.chunks)

    async def hide_or_show(self, stores: Stores) -> None:
        for key in self.some(1):
            document = self.chunks[key].chunk.document_id
            await stores.writer.set_active("c", document, active=document in self.hidden)
            self.hidden ^= {document}

    async def recreate(self, stores: Stores) -> None:
        await stores.vectors.delete_collection("c")
        self.chunks, self.indexed, self.hidden = {}, set(), set()
        await self.create(stores)

    async def create(self, stores: Stores) -> None:
        metric = self.chance.choice(list(DistanceMetric))
        await stores.vectors.create_collection(Collection("c", SIZE, distance_metric=metric))

    async def step(self, stores: Stores) -> None:
        actions = [self.add, self.index, self.delete, self.hide_or_show, self.recreate]
        [action] = self.chance.choices(actions, [45, 20, 12, 12, 1])
        await action(stores)
        # A document that lost its last chunk is gone, and comes back visible.
        self.hidden.intersection_update({c.chunk.document_id for c in self.chunks.values()})

    async def compare(self, stores: Stores) -> None:
        tree = self.chance.choice(FILTERS)
        expected = self.expected(tree)
        # Few results are sought without a thread, which then follows what the other opening wrote.
        most = self.chance.choice((250, 10_000))
        near = [r.chunk.id for r in await stores.vectors.search_semantic("c", self._vector(), most, tree)]
        assert sorted(near) == sorted(expected), tree
        passages = await cast("PassageSearch", stores.vectors).search_passages("c", self._vector(), 3, tree)
        assert len({r.chunk.id for r in passages} & expected) == min(3, len(expected)), tree
        said = [r.chunk_id for r in await stores.fts.search("c", "apple", most, tree)]
        apples = {key for key in expected & self.indexed if "apple" in self.chunks[key].chunk.content}
        assert sorted(said) == sorted(apples), tree

    def _chunk(self, name: str, document: str) -> Chunk:
        content = self.chance.choice(["apple pear", "plum apple", "fig"])
        return Chunk(name, document, content, metadata=self.chance.choice(METADATA))

    def _vector(self) -> list[float]:
        return [float(self.chance.randint(-3, 3)) for _ in range(SIZE)]


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(n, marks=pytest.mark.soak) for n in range(2, 40))])
def test_two_openings_of_a_base_always_answer_what_it_holds(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    truth = Truth(chance)

    async def run() -> None:
        path = tmp_path / "base.db"
        async with opened(path) as (database, first), opened(path) as (_, second):
            await truth.create(first)
            for _ in range(350):
                await truth.step(chance.choice((first, second)))
                if chance.random() < 0.5:
                    await truth.compare(chance.choice((first, second)))
            assert (await examine(database, {})).findings == []

    anyio.run(run)
