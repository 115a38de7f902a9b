"""What the contract's tests are made of."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sourcebook.model.documents import (
    Chunk,
    ChunkLevel,
    Collection,
    Document,
    DocumentPath,
    EmbeddedChunk,
    EmbeddingModel,
    PreparedDocument,
)
from sourcebook.storage.maintenance.base_checksum import base_checksum
from sourcebook.storage.maintenance.doctor import examine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.assembly import OpenBase
    from sourcebook.model.documents import Metadata

SIZE = 8
MODEL = EmbeddingModel(name="contract", dimensions=SIZE, version="1")


def unit(position: int, size: int = SIZE) -> NDArray[np.float32]:
    """A vector along one axis."""
    return np.eye(size, dtype=np.float32)[position]


def between(one: int, other: int, share: float) -> NDArray[np.float32]:
    """A vector on the way from one axis to another."""
    return ((1 - share) * unit(one) + share * unit(other)).astype(np.float32)


def chunk(
    id: str,
    embedding: NDArray[np.float32] | Sequence[float] | None = None,
    *,
    document: str = "d1",
    content: str = "some text",
    metadata: Metadata | None = None,
    index: int = 0,
) -> EmbeddedChunk:
    return EmbeddedChunk(
        Chunk(
            id=id,
            document_id=document,
            content=content,
            chunk_index=index,
            end_index=len(content),
            metadata=metadata or {},
        ),
        unit(0) if embedding is None else embedding,
    )


async def make_collection(
    base: OpenBase, id: str = "c", *, model: EmbeddingModel | None = None
) -> Collection:
    return await base.stores.vectors.create_collection(Collection(id, SIZE, model=model))


def prepared(
    id: str,
    passages: Sequence[str],
    *,
    vectors: Sequence[NDArray[np.float32]] | None = None,
    expected: str | None = None,
    title: str | None = None,
    language: str | None = "en",
    metadata: Metadata | None = None,
    path: str | None = None,
    subcategory: str | None = None,
) -> PreparedDocument:
    """A document of the given passages, each of which is also cut into its sentences."""
    content = "\n\n".join(passages)
    chunks: list[EmbeddedChunk] = []
    start = 0
    for number, text in enumerate(passages):
        vector = unit(number % SIZE) if vectors is None else vectors[number]
        passage = _part(id, content, start, start + len(text), len(chunks), ChunkLevel.PARENT, None)
        chunks.append(EmbeddedChunk(passage, vector))
        for begin, end in _sentences(text, start):
            child = _part(id, content, begin, end, len(chunks), ChunkLevel.CHILD, passage.id)
            chunks.append(EmbeddedChunk(child, vector))
        start += len(text) + 2
    place = path or f"{id}.txt"
    document = Document(
        id=id,
        content=content,
        title=title,
        file_path=place,
        file_hash=hash_of(passages),
        language=language,
        metadata=metadata or {},
        subcategory=subcategory,
    )
    return PreparedDocument(
        document, chunks, MODEL, (DocumentPath("source", place, subcategory),), expected_hash=expected
    )


def hash_of(passages: Sequence[str]) -> str:
    return hashlib.sha256("\n\n".join(passages).encode()).hexdigest()


def _part(
    document: str, content: str, start: int, end: int, index: int, level: ChunkLevel, parent: str | None
) -> Chunk:
    return Chunk(
        id=f"{document}:{level.value[0]}{start}-{end}",
        document_id=document,
        content=content[start:end],
        chunk_index=index,
        start_index=start,
        end_index=end,
        level=level,
        parent_id=parent,
    )


def _sentences(text: str, offset: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    position = 0
    for sentence in text.split(". "):
        spans.append((offset + position, offset + position + len(sentence)))
        position += len(sentence) + 2
    return spans


async def require_sound(base: OpenBase) -> None:
    """Every invariant of the base holds."""
    report = await examine(base.database, {})
    assert report.ok, report.findings


async def state(base: OpenBase) -> str:
    return await base_checksum(base.database)
