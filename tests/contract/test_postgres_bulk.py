"""Many rows at once by COPY are the rows that one INSERT each would have made."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from sourcebook.assembly import OpenBase, open_base
from sourcebook.model.documents import Collection, DistanceMetric
from sourcebook.model.explanation import ScanMethod
from sourcebook.model.search import Equals
from sourcebook.ports.storage import PassagePlanning
from sourcebook.settings import Settings
from sourcebook.storage.postgres import bulk_copy, word_engine
from sourcebook.storage.postgres.copy_end import postgres_copy_end
from sourcebook.storage.postgres.database import PostgresDatabase
from sourcebook.testing.contract.material import chunk

if TYPE_CHECKING:
    from sourcebook.testing.fakes import FixedClock

pytestmark = pytest.mark.anyio

SIZE, ROWS = 16, 40


@pytest.fixture
async def server(postgres_db: str, clock: FixedClock) -> AsyncGenerator[OpenBase]:
    opened = await open_base(Settings(db=postgres_db), clock)
    yield opened
    await opened.close()


async def fill(base: OpenBase, name: str, metric: DistanceMetric) -> None:
    await base.stores.vectors.create_collection(Collection(name, SIZE, distance_metric=metric))
    rows = np.random.default_rng(3).standard_normal((ROWS, SIZE)).astype(np.float32)
    metadata: list[dict[str, Any]] = [
        {"n": i, "ключ": f"«{i}»", "tags": ["a", i], "deep": {"x": i % 2 == 0, "none": None}}
        for i in range(ROWS)
    ]
    await base.stores.vectors.add(
        name, [chunk(f"k{i}", rows[i], document=f"d{i // 10}", metadata=metadata[i]) for i in range(ROWS)]
    )


async def rows_of(base: OpenBase, table: str, collection: str) -> list[dict[str, Any]]:
    assert isinstance(base.database, PostgresDatabase)
    async with postgres_copy_end(base.database) as end:
        shapes = {shape.name: shape for shape in await end.shapes()}
        found = await end.page(shapes[table], None, 10_000)
    return [
        {k: v for k, v in r.items() if k != "collection_id"}
        for r in found
        if r["collection_id"] == collection
    ]


@pytest.mark.parametrize("metric", list(DistanceMetric))
async def test_both_ways_write_the_same(
    server: OpenBase, metric: DistanceMetric, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(server, "copied", metric)
    monkeypatch.setattr(bulk_copy, "FEWEST", ROWS + 1)
    await fill(server, "inserted", metric)
    for table in ("chunk_ids", "document_chunks", "vectors"):
        copied = await rows_of(server, table, "copied")
        assert len(copied) == ROWS
        assert copied == await rows_of(server, table, "inserted"), table
    for tree in (Equals("ключ", "«7»"), Equals("tags", "a"), Equals("deep.x", True)):
        query = np.ones(SIZE, np.float32)
        one = await server.stores.vectors.search_semantic("copied", query, ROWS, tree)
        other = await server.stores.vectors.search_semantic("inserted", query, ROWS, tree)
        assert [r.chunk.id for r in one] == [r.chunk.id for r in other] != []


async def test_a_search_tells_how_many_vectors_it_looks_at(base: OpenBase) -> None:
    """On both databases: what the filter lets through, all of it, while there is nothing that proposes some."""
    await fill(base, "c", DistanceMetric.COSINE)
    store = base.stores.vectors
    assert isinstance(store, PassagePlanning)
    plan = await store.plan_passages("c", 5, Equals("tags", 7))
    assert plan is not None
    assert (plan.method, plan.rows, plan.allowed, plan.scored) == (ScanMethod.EXACT, ROWS, 1, 1)
    plan = await store.plan_passages("c", 5, None)
    assert plan is not None
    assert (plan.rows, plan.allowed, plan.scored) == (ROWS, ROWS, ROWS)


async def test_words_are_ranked_alike_here_and_on_the_server(
    server: OpenBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the last bit, with ties, hidden documents and filters."""
    numbers = np.random.default_rng(5)
    names = [f"word{n}" for n in range(30)]
    await server.stores.vectors.create_collection(Collection("c", SIZE))
    chunks = [
        chunk(
            f"k{i:03}",
            np.ones(SIZE, np.float32),
            # Every tenth says the same as the one before.
            content=" ".join(numbers.choice(names, 12)) if i % 10 else "word1 word2 word3",
            document=f"d{i // 6}",
            metadata={"third": i % 3},
        )
        for i in range(180)
    ]
    await server.stores.vectors.add("c", chunks)
    await server.stores.fts.index("c", [c.chunk for c in chunks])
    await server.stores.writer.set_active("c", "d3", active=False)
    for question in ("word1", "word1 word2 word3", "word7 word8 word29 nothing", "wor*", "nothing"):
        for tree in (None, Equals("third", 1), Equals("third", 5)):
            monkeypatch.setattr(word_engine, "FEW_POSTINGS", 300_000)
            here = await server.stores.fts.search("c", question, 25, tree)
            monkeypatch.setattr(word_engine, "FEW_POSTINGS", -1)
            there = await server.stores.fts.search("c", question, 25, tree)
            assert [(r.chunk_id, r.score) for r in here] == [(r.chunk_id, r.score) for r in there]
            assert bool(here) == (question != "nothing" and tree != Equals("third", 5))
            assert not any(18 <= int(r.chunk_id[1:]) < 24 for r in here)
