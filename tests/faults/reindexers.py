"""Bases that are reindexed, and the processes that do it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import numpy as np
from tests.faults.bases import COLLECTION, Base, digest_of, id_of, opened, wrapped

from sourcebook.ingest.index.reindex import Reindex
from sourcebook.model.documents import EmbeddingModel
from sourcebook.ports.providers import TextRole
from sourcebook.storage.maintenance.doctor import examine
from sourcebook.storage.sqlite.database import SqliteDatabase
from sourcebook.testing.crash import arm, prepared_document, vector_of
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tests.faults.processes import Line

    from sourcebook.assembly import OpenBase
    from sourcebook.model.reindexing import ReindexProgress, ReindexReport
    from sourcebook.ports.providers import Embedder
    from sourcebook.storage.crash_points import CrashPoint

AT_ONCE = 5
OLD, NEW = 16, 24


@asynccontextmanager
async def opened_as_it_is(path: Path) -> AsyncGenerator[Base]:
    """The base, whatever the model of its collection."""
    database = await SqliteDatabase.open(path)
    try:
        yield wrapped(database)
    finally:
        await database.close()


async def filled(path: Path, numbers: Sequence[int]) -> None:
    """A base with these documents and some curated answers, all of the old model."""
    await digest_of(path, dict.fromkeys(numbers, 0))
    async with opened(path) as base:
        await add_curated(base)


class CrashEmbedder:
    """Makes the vectors that the prepared documents have: by text alone, though, and not leaning to a title."""

    @property
    def model(self) -> EmbeddingModel:
        return EmbeddingModel(name="crash", dimensions=OLD, version="1")

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        return np.stack([vector_of(text, OLD) for text in texts])


def new_embedder() -> FakeEmbedder:
    return FakeEmbedder(NEW, "new")


def work_on(base: Base | OpenBase, embedder: Embedder | None) -> Reindex:
    """Reindexing in small steps; without an embedder, with the collection's own."""

    async def own(model: EmbeddingModel) -> Embedder | None:
        return new_embedder() if model.dimensions == NEW else CrashEmbedder()

    return Reindex(
        store=base.stores.reindexing,
        vector_store=base.stores.vectors,
        embedder=embedder,
        embedder_of=own,
        texts_at_once=AT_ONCE,
    )


async def reindexed(
    base: Base | OpenBase,
    embedder: Embedder | None,
    on_progress: Callable[[ReindexProgress], None] | None = None,
) -> ReindexReport:
    return await work_on(base, embedder).run([COLLECTION], on_progress)


async def add_curated(base: Base | OpenBase) -> None:
    for number in range(3):
        await base.stores.curated.kb_insert(
            collection_id=COLLECTION,
            category="berries",
            question=f"question {number}",
            answer=f"answer {number}",
            embedding=vector_of(f"question {number}", OLD),
        )


async def dimensions(base: Base | OpenBase) -> int:
    """The size of the vectors that the collection is searched by."""
    collection = await base.stores.vectors.get_collection(COLLECTION)
    assert collection is not None
    assert collection.model is not None
    assert collection.model.dimensions == collection.embedding_dimensions
    return collection.embedding_dimensions


async def require_serving(base: Base | OpenBase, numbers: Sequence[int]) -> int:
    """The base answers by words and by vectors of one model, all of them there. The size of its vectors."""
    # That a set of vectors is not complete is worth a note, and no fault.
    assert (await examine(base.database, {})).faults == []
    size = await dimensions(base)
    for number in numbers:
        held = await base.stores.vectors.get_by_document(COLLECTION, id_of(number))
        assert len(held) == len(prepared_document(number).chunks)
        for chunk in held:
            assert chunk.embedding is not None
            found = await base.stores.vectors.search_semantic(COLLECTION, chunk.embedding, 1)
            assert found[0].score > 0.999
        assert await base.stores.fts.search(COLLECTION, f"note{number}x", 5)
    question = vector_of("question 1", OLD)
    if size == NEW:
        [question] = await new_embedder().embed(["question 1"], TextRole.QUESTION)
    [found] = await base.stores.curated.kb_search(
        None, question, collection_id=COLLECTION, distance_threshold=0.01
    )
    assert found.entry.question == "question 1"
    return size


def reindex(line: Line, path: Path, model: str) -> None:
    """Change the model, or rebuild, telling after each step how far it is."""

    async def work() -> None:
        async with opened_as_it_is(path) as base:
            line.send("ready")
            embedder = new_embedder() if model == "new" else None
            await reindexed(base, embedder, lambda progress: line.send(progress.done))
        line.send("done")

    anyio.run(work)


def stop_reindex_at(step: CrashPoint, nth: int, path: Path, model: str) -> None:
    """The same up to a step."""

    async def work() -> None:
        async with opened_as_it_is(path) as base:
            arm(step, nth)
            await reindexed(base, new_embedder() if model == "new" else None)

    anyio.run(work)


def search_when_told(line: Line, path: Path) -> None:
    """Keep a base open, and search it with whatever vector comes, until the line is closed."""

    async def work() -> None:
        async with opened_as_it_is(path) as base:
            while (question := line.recv()) is not None:
                found = await base.stores.vectors.search_semantic(COLLECTION, question, 3)
                line.send([(result.chunk.content, result.score) for result in found])

    anyio.run(work)
