"""Bases that are worth a bundle, and what is seen of them."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sourcebook import (
    AsyncSourcebook,
    Chunk,
    ChunkLevel,
    Collection,
    DistanceMetric,
    Document,
    EmbeddedChunk,
    Settings,
)
from sourcebook.assembly import open_base
from sourcebook.storage.maintenance.base_checksum import base_checksum
from sourcebook.testing.crash import embedding_model, prepared_document
from sourcebook.testing.fakes import FakeEmbedder

FILES = {"curated.jsonl", "documents.jsonl", "embeddings.jsonl", "manifest.json"}


@asynccontextmanager
async def opened(path: Path) -> AsyncGenerator[AsyncSourcebook]:
    async with AsyncSourcebook(path, embedder=FakeEmbedder(16), settings=Settings()) as book:
        yield book


async def digest_of(path: Path) -> str:
    base = await open_base(Settings(db=str(path)))
    try:
        return await base_checksum(base.database)
    finally:
        await base.close()


async def faults(book: AsyncSourcebook) -> list[str]:
    """What is wrong with the base. Models of the tests are on no machine, which is told and is no fault."""
    found = (await book.doctor()).findings
    return [finding.message for finding in found if finding.code != "model_missing"]


async def filled(path: Path, documents: int = 5) -> Path:
    """A base with whole documents in two languages, one of them hidden and one at two paths."""
    async with opened(path) as book:
        await book.stores.library.open_collection("default", embedding_model())
        for number in range(documents):
            await book.stores.writer.replace_document("default", prepared_document(number))
        hidden, double = prepared_document(documents - 1), prepared_document(0)
        await book.hide_document(hidden.document.id)
        assert double.document.file_hash is not None
        copy = replace(double.paths[0], path="copies/0.md", subcategory="Копии")
        await book.stores.writer.add_path("default", double.document.file_hash, copy)
    return path


async def with_everything(path: Path) -> Path:
    """The same with what a base may hold besides: other metrics, bare and tracked documents, odd chunks."""
    await filled(path)
    async with opened(path) as book:
        vectors, fts, tracker = book.stores.vectors, book.stores.fts, book.stores.tracker
        rng = np.random.default_rng(7)
        for metric in DistanceMetric:
            name = f"bare/{metric}"
            await vectors.create_collection(
                Collection(name, 3, name="Ё", description="brought along", distance_metric=metric)
            )
            chunks = [loose(f"c{n}", f"Кусты малины номер {n} обрезают осенью") for n in range(40)]
            brought = rng.standard_normal((40, 3)) * 10.0 ** rng.integers(-3, 3, (40, 1))
            await vectors.add(name, [EmbeddedChunk(c, v) for c, v in zip(chunks, brought, strict=True)])
            await fts.index(name, [*chunks[:5], loose("words-only", "found by words alone", "d-words")])
            await book.hide_document("d3", collection=name)
        await tracker.track(
            Document("d1", "a text of its own", mtime=5, metadata={"n": 1.5}), "bare/cosine", 4
        )
        await tracker.track(Document("alone", "tracked and without chunks", title="T"), "bare/dot", 0)
        await tracker.track(Document("left", "no longer tracked"), "bare/dot", 0)
        await vectors.add("bare/dot", [EmbeddedChunk(loose("of-left", "x", "left"), [1, 2, 3])])
        await tracker.untrack("left", "bare/dot")
        whole = prepared_document(0).document.id
        await vectors.add("default", [EmbeddedChunk(loose("beside", "not in its text", whole), [1.0] * 16)])
        child = next(c.chunk for c in prepared_document(3).chunks if c.chunk.level is ChunkLevel.CHILD)
        await fts.index("default", [child])
        await tracker.untrack(prepared_document(4).document.id, "default")
        await book.create_collection(Collection("empty", 7, description="nothing in it"))
    return path


def loose(id: str, content: str, document: str | None = None) -> Chunk:
    number = int(id[1:]) if id[1:].isdigit() else 0
    return Chunk(
        id,
        document or f"d{number % 7}",
        content,
        chunk_index=number,
        end_index=len(content),
        page=number or None,
        section="§ 1",
        metadata={"number": number, "tags": ["ё", None]},
    )


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def beside(folder: Path) -> list[str]:
    """What an export left in a folder under names of its own."""
    return sorted(entry.name for entry in folder.iterdir() if entry.name.startswith("."))
