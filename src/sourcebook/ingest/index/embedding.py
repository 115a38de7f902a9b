"""Vectors for chunks, computed for many documents at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sourcebook.model.documents import Chunk, ChunkLevel, EmbeddedChunk
from sourcebook.ports.providers import TextRole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.ports.providers import Embedder

TITLE_SHARE = 0.5


class EmbeddingWork:
    """The texts of one document that are to be embedded, and the vectors that came back so far."""

    def __init__(self, chunks: Sequence[Chunk], title: str | None) -> None:
        self._chunks = chunks
        self._has_title = bool(chunks and title and title.strip())
        self._texts = [chunk.content for chunk in chunks] + ([title or ""] if self._has_title else [])
        self._vectors: NDArray[np.float32] | None = None
        self._given = 0
        self._taken = 0

    def take(self, most: int) -> tuple[int, list[str]]:
        """The next texts, at most so many, and the place of the first."""
        start = self._given
        texts = self._texts[start : start + most]
        self._given += len(texts)
        return start, texts

    def put(self, start: int, vectors: NDArray[np.float32]) -> None:
        if self._vectors is None:
            self._vectors = np.empty((len(self._texts), vectors.shape[1]), np.float32)
        self._vectors[start : start + len(vectors)] = vectors
        self._taken += len(vectors)

    def skip(self, count: int) -> None:
        """Do without the vectors of so many texts: the document failed."""
        self._taken += count

    @property
    def size(self) -> int:
        return len(self._texts)

    @property
    def is_given_out(self) -> bool:
        return self._given == len(self._texts)

    @property
    def is_complete(self) -> bool:
        return self._taken == len(self._texts)

    def embedded(self) -> list[EmbeddedChunk]:
        """The chunks with their vectors. A passage stands for itself; a child also leans towards the title."""
        vectors = self._vectors
        if vectors is None:
            return []
        if self._has_title:
            children = [i for i, chunk in enumerate(self._chunks) if chunk.level is ChunkLevel.CHILD]
            vectors[children] = leaning(vectors[children], vectors[-1])
        return [EmbeddedChunk(chunk, vector) for chunk, vector in zip(self._chunks, vectors, strict=False)]


async def embed_chunks(embedder: Embedder, chunks: Sequence[Chunk], title: str | None) -> list[EmbeddedChunk]:
    """The chunks of one document with their vectors."""
    work = EmbeddingWork(chunks, title)
    start, texts = work.take(len(chunks) + 1)
    if texts:
        work.put(start, await embedder.embed(texts, TextRole.PASSAGE))
    return work.embedded()


def leaning(children: NDArray[np.float32], title: NDArray[np.float32]) -> NDArray[np.float32]:
    """normalise(child + 0.5 × title): a sentence alone often does not name what it speaks of."""
    composed = children + np.float32(TITLE_SHARE) * title
    lengths = np.linalg.norm(composed, axis=1, keepdims=True)
    return np.divide(composed, lengths, out=children.copy(), where=lengths > 0)
