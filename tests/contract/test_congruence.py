"""The same calls on both databases: the same results, in the same order, with the same scores to the last bit."""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from tests import citus_cluster

from sourcebook.assembly import OpenBase, open_base
from sourcebook.model.documents import ChunkLevel, Collection, DistanceMetric
from sourcebook.model.search import And, Between, Equals, GreaterThan, In, LessThan, Not, Or
from sourcebook.settings import Settings
from sourcebook.storage.maintenance.base_checksum import base_checksum
from sourcebook.storage.postgres.database import PostgresExecutor
from sourcebook.testing.contract.material import MODEL, SIZE, chunk, prepared
from sourcebook.testing.fakes import FixedClock

if TYPE_CHECKING:
    from sourcebook.model.documents import EmbeddedChunk, PreparedDocument
    from sourcebook.model.search import MetadataFilter
    from sourcebook.ports.storage import PassageRanking, PassageSearch
    from sourcebook.storage.database import Row

pytestmark = pytest.mark.anyio

WORDS = {
    "ru": [
        "малина",
        "обрезка",
        "осенью",
        "побеги",
        "полив",
        "смородина",
        "тёплая",
        "почва",
        "удобрение",
        "ягода",
        "урожай",
        "сорт",
    ],
    "en": [
        "raspberry",
        "pruning",
        "autumn",
        "canes",
        "water",
        "berry",
        "soil",
        "harvest",
        "mulch",
        "variety",
        "frost",
        "root",
    ],
    "pt": [
        "framboesa",
        "poda",
        "outono",
        "ramos",
        "água",
        "solo",
        "colheita",
        "variedade",
        "geada",
        "raiz",
        "morango",
        "folha",
    ],
}
QUESTIONS = [
    "обрезка малины осенью",
    "pruning canes in autumn",
    "poda de framboesa",
    "berr*",
    "soil почва solo",
    "ябло*",
]
FILTERS: list[MetadataFilter | None] = [
    None,
    Equals("group", 1),
    In("group", [0, 2]),
    Not(Equals("group", 1)),
    And([GreaterThan("year", 2020), LessThan("year", 2024)]),
    Between("year", 2019.5, 2021),
    Or([Equals("language", "ru"), Equals("category", "Ягоды ")]),
    Equals("tags", "красная"),
    Equals("author.name", "Анна"),
    GreaterThan("title", "m"),
    Equals("document.group", 1),
    Not(GreaterThan("chunk.page", 1)),
]


def documents(count: int, seed: int) -> list[PreparedDocument]:
    """Documents as they come, some of them in the same words."""
    chance = random.Random(seed)
    numbers = np.random.default_rng(seed)
    made: list[PreparedDocument] = []
    for number in range(count):
        language = chance.choice(list(WORDS))
        passages = [
            ". ".join(
                " ".join(chance.choices(WORDS[language], k=chance.randint(2, 9)))
                for _ in range(chance.randint(1, 4))
            )
            for _ in range(chance.randint(1, 4))
        ]
        passages = [
            f"{text} {number} {i}" if chance.random() < 0.8 else text for i, text in enumerate(passages)
        ]
        document = prepared(
            f"d{number}",
            passages,
            vectors=[numbers.standard_normal(SIZE).astype(np.float32) for _ in passages],
            language=language,
            title=" ".join(chance.choices(WORDS[language], k=2)),
            metadata={
                "group": number % 3,
                "year": chance.choice([2019, 2020.5, 2021, 2023, "2023", None]),
                "tags": chance.sample(["красная", "белая", 5, True], k=2),
                "author": {"name": chance.choice(["Анна", "Ana", "Ann"])},
            },
            subcategory=chance.choice([None, "Малина Летняя", "малина_общая"]),
        )
        document = replace(
            document, document=replace(document.document, category=chance.choice([None, "ягоды"]))
        )
        made.append(_with_near_children(document, numbers))
    return made


def _with_near_children(document: PreparedDocument, numbers: np.random.Generator) -> PreparedDocument:
    """Every chunk with a vector of its own, near that of its passage."""
    chunks = [
        replace(
            c,
            embedding=cast("np.ndarray", c.embedding)
            + 0.3 * numbers.standard_normal(SIZE).astype(np.float32),
        )
        for c in document.chunks
    ]
    return replace(document, chunks=chunks)


@pytest.fixture
async def both(tmp_path: Path, postgres_db: str) -> AsyncGenerator[tuple[OpenBase, OpenBase]]:
    first = await open_base(Settings(db=str(tmp_path / "base.db")), FixedClock())
    second = await open_base(Settings(db=postgres_db), FixedClock())
    yield first, second
    await first.close()
    await second.close()


async def answers(base: OpenBase, top_k: int = 7) -> dict[str, list[tuple[object, ...]]]:
    """What every way of searching finds, with scores to the last bit."""
    store, passages = base.stores.vectors, cast("PassageSearch", base.stores.vectors)
    numbers = np.random.default_rng(99)
    found: dict[str, list[tuple[object, ...]]] = {}
    for place, tree in enumerate(FILTERS):
        query = numbers.standard_normal(SIZE)
        near = await store.search_semantic("c", query, top_k, tree)
        found[f"chunks {place}"] = [(r.chunk.id, r.score.hex(), r.document_path) for r in near]
        near = await passages.search_passages("c", query, top_k, tree)
        found[f"passages {place}"] = [
            (r.chunk.id, r.score.hex(), [(m.chunk_id, m.score.hex(), m.start_index) for m in r.matched])
            for r in near
        ]
        for question in QUESTIONS:
            said = await base.stores.fts.search("c", question, top_k, tree)
            found[f"words {place} {question}"] = [(r.chunk_id, r.score.hex(), *r.highlights) for r in said]
    return found


async def test_documents_are_found_alike(both: tuple[OpenBase, OpenBase]) -> None:
    made = documents(40, seed=1)
    for base in both:
        await base.stores.vectors.create_collection(Collection("c", SIZE, model=MODEL))
        for document in made:
            await base.stores.writer.replace_document("c", document)
    one, other = [await answers(base) for base in both]
    assert one == other
    assert sum(bool(found) for found in one.values()) > len(one) / 2
    assert await base_checksum(both[0].database) == await base_checksum(both[1].database)
    for base in both:
        await base.stores.writer.set_active("c", "d3", active=False)
        for gone in ("d5", "d6"):
            await base.stores.writer.remove_document("c", gone)
    assert await answers(both[0]) == await answers(both[1])
    assert await base_checksum(both[0].database) == await base_checksum(both[1].database)


@pytest.mark.parametrize("metric", list(DistanceMetric))
async def test_chunks_of_every_metric_are_found_alike(
    both: tuple[OpenBase, OpenBase], metric: DistanceMetric
) -> None:
    numbers = np.random.default_rng(7)
    vectors = numbers.standard_normal((300, SIZE)) * numbers.choice([0.0, 1e-3, 1.0, 50.0], size=(300, 1))
    # Equal vectors, so that ids decide.
    vectors[100:140] = vectors[100]
    chunks = [
        chunk(
            f"k{i}", vectors[i], document=f"d{i // 20}", content=f"berry {i % 5}", metadata={"group": i % 3}
        )
        for i in range(300)
    ]
    for base in both:
        await base.stores.vectors.create_collection(Collection("c", SIZE, distance_metric=metric))
        await base.stores.vectors.add("c", chunks)
        await base.stores.fts.index("c", [c.chunk for c in chunks[::2]])
    assert await answers(both[0], 25) == await answers(both[1], 25)
    assert await base_checksum(both[0].database) == await base_checksum(both[1].database)


@pytest.mark.parametrize("metric", list(DistanceMetric))
async def test_passages_that_are_nearly_equal_are_ranked_alike_and_measured_once(
    both: tuple[OpenBase, OpenBase], metric: DistanceMetric, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = np.random.default_rng(5)
    common = numbers.standard_normal(SIZE)
    parts: list[EmbeddedChunk] = []
    for i in range(120):
        for j in range(4):
            vector = (common + 1e-4 * numbers.standard_normal(SIZE)).astype(np.float32)
            made = chunk(f"k{i:03}-{j}", vector, document=f"d{i // 10}")
            if j:
                inner = replace(made.chunk, level=ChunkLevel.CHILD, parent_id=f"k{i:03}-0")
                made = replace(made, chunk=inner)
            parts.append(made)
    for base in both:
        await base.stores.vectors.create_collection(Collection("c", SIZE, distance_metric=metric))
        await base.stores.vectors.add("c", parts)
    assert await answers(both[0], 25) == await answers(both[1], 25)
    asked: list[str] = []
    fetch = PostgresExecutor.fetch

    async def noted(self: PostgresExecutor, name: str, /, **parameters: object) -> list[Row]:
        asked.append(name)
        return await fetch(self, name, **parameters)

    monkeypatch.setattr(PostgresExecutor, "fetch", noted)
    ranking = cast("PassageRanking", both[1].stores.vectors)
    assert len(await ranking.rank_passages("c", common, 25)) == 25
    # Several servers do not take up another model all at once, so there the collection is looked at again afterwards.
    looked_again = ["collection_by_id"] if citus_cluster.addresses() else []
    # How long ago the collection was looked up, and so whether that is believed, depends on the machine.
    searched = [name for name in asked if name != "collection_to_search"]
    assert searched == ["passages_of_all", *looked_again]


@pytest.mark.parametrize("metric", list(DistanceMetric))
async def test_of_many_children_the_same_few_are_shown(
    both: tuple[OpenBase, OpenBase], metric: DistanceMetric
) -> None:
    """Whether they are far apart, nearer to each other than the arithmetic of a server can tell, or equal."""
    numbers = np.random.default_rng(17)
    parts: list[EmbeddedChunk] = []
    for i in range(60):
        own = numbers.standard_normal(SIZE)
        children = own + np.array([1.0, 1e-3, 0.0])[i % 3] * numbers.standard_normal((9, SIZE))
        for j, vector in enumerate([own, *children]):
            made = chunk(
                f"k{i:02}-{j}", vector.astype(np.float32), document=f"d{i // 10}", metadata={"group": i % 2}
            )
            if j:
                inner = replace(made.chunk, level=ChunkLevel.CHILD, parent_id=f"k{i:02}-0")
                made = replace(made, chunk=inner)
            parts.append(made)
    for base in both:
        await base.stores.vectors.create_collection(Collection("c", SIZE, distance_metric=metric))
        await base.stores.vectors.add("c", parts)
    for top_k in (5, 60):
        assert await answers(both[0], top_k) == await answers(both[1], top_k)


@pytest.mark.parametrize("metric", list(DistanceMetric))
async def test_vectors_too_large_to_be_measured_in_single_precision_are_found_alike(
    both: tuple[OpenBase, OpenBase], metric: DistanceMetric
) -> None:
    """Also where more of them than are wanted are the farthest of all, or share a passage with others."""
    numbers = np.random.default_rng(23)
    parts: list[EmbeddedChunk] = []
    for i in range(90):
        for j in range(i % 4 + 1):
            vector = numbers.standard_normal(SIZE)
            if (i + j) % 6 == 0:
                vector = 3e38 * np.sign(vector)
            made = chunk(
                f"k{i:02}-{j}", vector.astype(np.float32), document=f"d{i // 9}", metadata={"group": i % 3}
            )
            inner = replace(made.chunk, level=ChunkLevel.CHILD, parent_id=f"k{i:02}-0") if j else made.chunk
            parts.append(replace(made, chunk=inner))
    for base in both:
        await base.stores.vectors.create_collection(Collection("c", SIZE, distance_metric=metric))
        await base.stores.vectors.add("c", parts)
    for top_k in (1, 3, 25, 90):
        assert await answers(both[0], top_k) == await answers(both[1], top_k)
    passages = cast("PassageSearch", both[0].stores.vectors)
    for _ in range(20):
        query = numbers.standard_normal(SIZE)
        near = await both[0].stores.vectors.search_semantic("c", query, len(parts))
        score = {r.chunk.id: r.score for r in near}
        means = {
            own: (
                score[own]
                + max([score[i] for i in score if i[:3] == own[:3] and i != own], default=score[own])
            )
            / 2
            for own in (i for i in score if i.endswith("-0"))
        }
        best = sorted(means, key=lambda own: (-means[own], own))[:5]
        found = await passages.search_passages("c", query, 5)
        assert [(r.chunk.id, r.score) for r in found] == [(own, means[own]) for own in best]
