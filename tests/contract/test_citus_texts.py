"""The texts of statements that stand in for others on Citus say the same: a plain server understands both."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from tests import citus_cluster

from sourcebook.assembly import OpenBase, open_base
from sourcebook.model.documents import ChunkLevel, Collection, DistanceMetric
from sourcebook.model.search import Equals, In, Or
from sourcebook.settings import Settings
from sourcebook.storage.index.engines import ROUNDING_MARGIN
from sourcebook.storage.index.vector_encoding import Singles
from sourcebook.storage.postgres.database import PostgresDatabase, read_queries
from sourcebook.storage.postgres.filter_paths import compiled
from sourcebook.storage.postgres.passage_scores import best_passages
from sourcebook.testing.contract.material import SIZE, chunk

if TYPE_CHECKING:
    from sourcebook.model.documents import EmbeddedChunk
    from sourcebook.storage.database import Row

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(bool(citus_cluster.addresses()), reason="the usual texts are refused there"),
]

QUERY = np.random.default_rng(12).standard_normal(SIZE).astype(np.float32)
# Their products with the query are infinite, to either side, or no number.
HUGE = np.float32(3e38) * np.stack([np.sign(QUERY), -np.sign(QUERY), np.ones(SIZE, dtype=np.float32)])
FILTER = compiled(Equals("group", 1)).path
# Two documents as a whole, and parts of the others.
WHOLE = compiled(Or([Equals("group", 1), In("document_path", ["d1", "d2"])])).path
PASSAGES = {
    "passages_of_all": {},
    "passages_of_matching": {"filter": FILTER},
    "passages_of_named": {"filter": FILTER, "few": None},
}
GRAPHS = {
    "passages_by_graph": {"dimensions": SIZE, "limit": 40},
    "passages_by_bits": {"dimensions": SIZE, "limit": 40, "candidates": 60},
}


def parts() -> list[EmbeddedChunk]:
    """Passages with and without children, children of a child or of nothing, and vectors too large to be measured."""
    numbers = np.random.default_rng(11)
    made: list[EmbeddedChunk] = []
    for i in range(60):
        for j in range(i % 4 + 1):
            vector = numbers.standard_normal(SIZE).astype(np.float32)
            is_huge = i % 20 == 0 and j == 0
            part = chunk(
                f"k{i:02}-{j}",
                HUGE[i // 20] if is_huge else vector,
                document=f"d{i // 5}",
                metadata={"group": (i + j) % 3},
            )
            # Some are children of a child.
            parent = f"k{i:02}-{j // 3}" if i % 7 else f"gone{i}"
            inner = replace(part.chunk, level=ChunkLevel.CHILD, parent_id=parent) if j else part.chunk
            made.append(replace(part, chunk=inner))
    return made


@pytest.fixture
async def base(postgres_db: str) -> AsyncGenerator[OpenBase]:
    base = await open_base(Settings(db=postgres_db))
    yield base
    await base.close()


async def filled(
    base: OpenBase, metric: DistanceMetric, chunks: Sequence[EmbeddedChunk] | None = None
) -> dict[str, object]:
    """What every statement is told of the collection that was made."""
    store = base.stores.vectors
    await store.create_collection(Collection("c", SIZE, distance_metric=metric))
    await store.add("c", parts() if chunks is None else chunks)
    await base.stores.writer.set_active("c", "d3", active=False)
    [row] = await database(base).fetch("collection_to_search", collection_id="c")
    return {
        "collection_id": "c",
        "model_id": row["active_model_id"],
        "query": Singles(QUERY.tobytes()),
    }


def database(base: OpenBase) -> PostgresDatabase:
    return cast("PostgresDatabase", base.database)


async def by_both(base: OpenBase, name: str, parameters: dict[str, object]) -> tuple[list[Row], list[Row]]:
    here = database(base)
    usual = await here.fetch(name, **parameters)
    here.queries = read_queries(on_citus=True)
    theirs = await here.fetch(name, **parameters)
    here.queries = read_queries()
    assert usual
    # Only there two rounds can see different states. A single server has one, so everything is found again.
    assert all(row.get("is_whole", True) for row in theirs)
    plain: list[Row] = [{k: value for k, value in row.items() if k != "is_whole"} for row in theirs]
    assert set(usual[0].keys()) == set(plain[0].keys())
    return usual, plain


def families(rows: list[Row]) -> list[object]:
    """Passages and members in an order of their own: a statement promises none."""
    found: list[object] = []
    for row in rows:
        size = len(row["packed_vectors"]) // len(row["chunk_ids"])
        sent = [row["packed_vectors"][i * size : (i + 1) * size] for i in range(len(row["chunk_ids"]))]
        members = sorted(zip(row["chunk_ids"], row["starts"], row["ends"], sent, strict=True))
        found.append((row["document_id"], row["passage_id"], row["looked_at"], members))
    return sorted(found, key=repr)


@pytest.mark.parametrize("top_k", [1, 7, 1000])
@pytest.mark.parametrize("metric", list(DistanceMetric))
async def test_passages_are_the_same(base: OpenBase, metric: DistanceMetric, top_k: int) -> None:
    common = {**await filled(base, metric), "top_k": top_k, "margin": 1e-3}
    for name, more in PASSAGES.items():
        for filtered in (FILTER, WHOLE) if more else (None,):
            asked = {**more, "filter": filtered} if more else {}
            usual, theirs = await by_both(base, name, {**common, "metric": metric.value, **asked})
            assert families(usual) == families(theirs), (name, filtered)


@pytest.mark.parametrize("filtered", [None, FILTER])
@pytest.mark.parametrize("top_k", [1, 7, 1000])
async def test_passages_of_a_graph_are_the_same(base: OpenBase, top_k: int, filtered: str | None) -> None:
    common = {**await filled(base, DistanceMetric.COSINE), "top_k": top_k, "margin": 1e-3}
    for name, more in GRAPHS.items():
        usual, theirs = await by_both(base, name, {**common, "filter": filtered, **more})
        assert families(usual) == families(theirs), name


@pytest.mark.parametrize("top_k", [1, 7, 1000])
@pytest.mark.parametrize("metric", list(DistanceMetric))
async def test_of_many_children_those_are_sent_that_can_be_shown(
    base: OpenBase, metric: DistanceMetric, top_k: int
) -> None:
    """There all children of a passage are sent, here those that can be among the best: nothing is lost by that."""
    common = {**await filled(base, metric, families_of_nine()), "top_k": top_k, "margin": ROUNDING_MARGIN}
    statements = dict(PASSAGES)
    if metric is DistanceMetric.COSINE:
        statements |= {name: {**more, "filter": None} for name, more in GRAPHS.items()}
    for name, more in statements.items():
        wants_metric = {} if name in GRAPHS else {"metric": metric.value}
        usual, theirs = await by_both(base, name, {**common, **wants_metric, **more})
        here, there = (best_passages(rows, QUERY, metric, top_k) for rows in (usual, theirs))
        assert here == there, name
        sent_here, sent_there = (sum(len(row["chunk_ids"]) for row in rows) for rows in (usual, theirs))
        assert sent_here < sent_there or top_k == 1, name


def families_of_nine() -> list[EmbeddedChunk]:
    """Children far apart, nearer to each other than pgvector can tell, equal, and some too large to be measured.

    A filter by group lets through a part of each, with the passage or without it.
    """
    numbers = np.random.default_rng(13)
    towards = QUERY / np.linalg.norm(QUERY)
    made: list[EmbeddedChunk] = []
    for i in range(20):
        vectors = numbers.standard_normal((9, SIZE))
        if i % 3 == 1:
            # In all directions, and as near to the question as each other.
            vectors -= np.outer(vectors @ towards, towards)
            vectors /= np.linalg.norm(vectors, axis=1)[:, None]
            vectors += towards
        elif i % 3 == 2:
            vectors[:] = vectors[0]
        if i in (0, 3, 6):
            vectors[1:4] = HUGE[i // 3]
        for j, vector in enumerate(vectors):
            part = chunk(f"k{i:02}-{j}", vector, document=f"d{i // 5}", metadata={"group": (i + j // 5) % 2})
            inner = replace(part.chunk, level=ChunkLevel.CHILD, parent_id=f"k{i:02}-0") if j else part.chunk
            made.append(replace(part, chunk=inner))
    return made


@pytest.mark.parametrize("name", ["nearest_of_all", "nearest_of_matching", "nearest_of_named"])
@pytest.mark.parametrize("metric", list(DistanceMetric))
async def test_chunks_are_the_same(base: OpenBase, metric: DistanceMetric, name: str) -> None:
    common = {**await filled(base, metric), "metric": metric.value, "limit": 15}
    filtered: dict[str, object] = {} if name == "nearest_of_all" else {"filter": FILTER}
    if name == "nearest_of_named":
        filtered["few"] = None
    usual, theirs = await by_both(base, name, {**common, **filtered})
    assert rows_of(usual) == rows_of(theirs)


@pytest.mark.parametrize("filtered", [None, FILTER])
@pytest.mark.parametrize("name", ["nearest_by_graph", "nearest_by_bits"])
async def test_chunks_of_a_graph_are_the_same(base: OpenBase, name: str, filtered: str | None) -> None:
    common = {**await filled(base, DistanceMetric.COSINE), "dimensions": SIZE, "limit": 15}
    more = {"candidates": 25} if name == "nearest_by_bits" else {}
    usual, theirs = await by_both(base, name, {**common, **more, "filter": filtered})
    assert rows_of(usual) == rows_of(theirs)


@pytest.mark.parametrize("name", ["nearest_by_bits", "passages_by_bits", "passages_of_all"])
async def test_a_collection_without_vectors_is_whole(base: OpenBase, name: str) -> None:
    """Where nothing is found, a row says that nothing was lost. A collection that is another has none."""
    here = database(base)
    await base.stores.vectors.create_collection(Collection("c", SIZE))
    [row] = await here.fetch("collection_to_search", collection_id="c")
    here.queries = read_queries(on_citus=True)
    given: dict[str, object] = {
        "collection_id": "c",
        "query": Singles(QUERY.tobytes()),
        "metric": "cosine",
        "dimensions": SIZE,
        "filter": None,
        "candidates": 10,
        "limit": 5,
        "top_k": 5,
        "margin": 1e-3,
    }
    wanted = {key: value for key, value in given.items() if key in here.queries[name].parameters}
    [alone] = await here.fetch(name, **wanted, model_id=row["active_model_id"])
    assert alone["document_id"] is None
    assert alone["is_whole"]
    assert await here.fetch(name, **wanted, model_id=row["active_model_id"] + 1) == []


def rows_of(found: list[Row]) -> list[str]:
    return sorted(repr(sorted(row.items())) for row in found)
