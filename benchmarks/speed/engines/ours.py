"""Sourcebook itself, through its public library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.speed.engine import DocumentBlock, Equal, Passage, Question, Range, VectorBlock, Where
from sourcebook import (
    And,
    AsyncSourcebook,
    Between,
    Chunk,
    Collection,
    EmbeddedChunk,
    Equals,
    RetrievalConfig,
    RetrievalMode,
)
from sourcebook.model.documents import ChunkLevel, Document, EmbeddingModel, PreparedDocument
from sourcebook.ports.storage import BulkWriter, Preparing
from sourcebook.settings import Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.search import MetadataFilter
    from sourcebook.ports.providers import TextRole

COLLECTION = "bench"
_CHUNKS_PER_DOCUMENT = 100
_DOCUMENTS_AT_ONCE = 20


class PreparedEmbedder:
    """Gives the vector that it was handed, so that a search costs everything but the embedding."""

    def __init__(self, dimensions: int) -> None:
        self.model = EmbeddingModel(name="prepared", dimensions=dimensions, version="1")
        self.vector: NDArray[np.float32] = np.zeros(dimensions, np.float32)

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        return self.vector.reshape(1, -1)


class _Base:
    """A base in the folder, open from `open` to `close`."""

    def __init__(self, dimensions: int = 1) -> None:
        self._embedder = PreparedEmbedder(dimensions)
        self._book: AsyncSourcebook | None = None

    async def open(self, folder: Path) -> None:
        settings = Settings(db=str(folder / "base.db"), collection=COLLECTION)
        self._book = await AsyncSourcebook(settings=settings, embedder=self._embedder).open()

    async def close(self) -> None:
        if self._book is not None:
            await self._book.close()
            self._book = None

    async def ready(self) -> None:
        """What `AsyncSourcebook.add` does when it has written much."""
        vectors = self.book.stores.vectors
        if isinstance(vectors, Preparing):
            await vectors.prepare(COLLECTION)

    @property
    def book(self) -> AsyncSourcebook:
        if self._book is None:
            raise RuntimeError("the base is not open")
        return self._book


class SourcebookVectors(_Base):
    async def build(self, folder: Path, blocks: Iterable[VectorBlock]) -> None:
        await self.open(folder)
        for block in blocks:
            if block.first == 0:
                dimensions = block.vectors.shape[1]
                await self.book.create_collection(Collection(COLLECTION, embedding_dimensions=dimensions))
            await self.book.stores.vectors.add(COLLECTION, list(_chunks(block)))
        await self.ready()
        await self.close()

    async def search(self, question: Question, k: int) -> list[int]:
        found = await self.book.stores.vectors.search_semantic(
            COLLECTION, question.point, k, _filter(question.where)
        )
        return [int(result.chunk.id) for result in found]


class SourcebookWords(_Base):
    async def build(self, folder: Path, blocks: Iterable[DocumentBlock]) -> None:
        await self.open(folder)
        model = self._embedder.model
        await self.book.stores.library.open_collection(COLLECTION, model)
        writer = self.book.stores.writer
        if not isinstance(writer, BulkWriter):
            raise TypeError("this writer takes documents one by one")
        remaining = iter(blocks)
        while some := list(islice(remaining, _DOCUMENTS_AT_ONCE)):
            await writer.replace_documents(COLLECTION, [_prepared(block, model) for block in some])
        await self.ready()
        await self.close()

    async def add(self, block: DocumentBlock) -> None:
        prepared = _prepared(block, self._embedder.model)
        await self.book.stores.writer.replace_document(COLLECTION, prepared)

    async def search(self, question: Question, k: int) -> list[int]:
        found = await self.book.stores.fts.search(COLLECTION, question.text, k)
        return [int(hit.chunk_id) for hit in found]


class SourcebookHybrid(SourcebookWords):
    async def search(self, question: Question, k: int) -> list[int]:
        self._embedder.vector = question.point
        config = RetrievalConfig(top_k=k, mode=RetrievalMode.HYBRID)
        found = await self.book.search(question.text, config, collection=COLLECTION)
        return [int(result.chunk.id) for result in found]


def _chunks(block: VectorBlock) -> Iterator[EmbeddedChunk]:
    for place, number in enumerate(block.numbers):
        chunk = Chunk(
            id=str(number),
            document_id=f"document {number // _CHUNKS_PER_DOCUMENT}",
            content=f"entry {number}",
            metadata={"tag": block.tags[place], "year": block.years[place], "lang": block.langs[place]},
        )
        yield EmbeddedChunk(chunk, block.vectors[place])


def _filter(where: Where) -> MetadataFilter | None:
    parts: list[MetadataFilter] = []
    for condition in where:
        match condition:
            case Equal(field, value):
                parts.append(Equals(field, value))
            case Range(field, low, high):
                parts.append(Between(field, low, high))
    return And(parts) if len(parts) > 1 else parts[0] if parts else None


def _prepared(block: DocumentBlock, model: EmbeddingModel) -> PreparedDocument:
    content = "\n\n".join(passage.text for passage in block.passages)
    document = Document(
        id=f"document {block.number}",
        content=content,
        title=block.title,
        file_path=f"{block.number}.txt",
        language=block.language,
    )
    chunks: list[EmbeddedChunk] = []
    start = 0
    for passage in block.passages:
        chunks.extend(_family(document.id, passage, start, len(chunks)))
        start += len(passage.text) + 2
    return PreparedDocument(document, chunks, model)


def _family(document_id: str, passage: Passage, start: int, index: int) -> Iterator[EmbeddedChunk]:
    """A passage and, if it has any, its children: equal pieces of its text."""
    own = Chunk(
        id=str(passage.number),
        document_id=document_id,
        content=passage.text,
        chunk_index=index,
        start_index=start,
        end_index=start + len(passage.text),
    )
    yield EmbeddedChunk(own, passage.vector)
    children = passage.children if passage.children is not None else ()
    for place, vector in enumerate(children):
        low, high = (len(passage.text) * edge // len(children) for edge in (place, place + 1))
        child = Chunk(
            id=f"{passage.number}.{place}",
            document_id=document_id,
            content=passage.text[low:high],
            chunk_index=index + 1 + place,
            start_index=start + low,
            end_index=start + high,
            level=ChunkLevel.CHILD,
            parent_id=own.id,
        )
        yield EmbeddedChunk(child, vector)
