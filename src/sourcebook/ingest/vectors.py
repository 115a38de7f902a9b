"""Vectors for chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sourcebook.model.documents import Chunk, ChunkLevel, EmbeddedChunk
from sourcebook.ports.providers import TextRole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sourcebook.ports.providers import Embedder

TITLE_SHARE = 0.5


async def embed_chunks(embedder: Embedder, chunks: Sequence[Chunk], title: str | None) -> list[EmbeddedChunk]:
    """The chunks with their vectors. A passage stands for itself; a child also leans towards the title."""
    if not chunks:
        return []
    texts = [chunk.content for chunk in chunks]
    has_title = bool(title and title.strip())
    vectors = await embedder.embed([*texts, title or ""] if has_title else texts, TextRole.PASSAGE)
    if has_title:
        children = [index for index, chunk in enumerate(chunks) if chunk.level is ChunkLevel.CHILD]
        vectors[children] = leaning(vectors[children], vectors[-1])
    return [EmbeddedChunk(chunk, vector) for chunk, vector in zip(chunks, vectors, strict=False)]


def leaning(children: NDArray[np.float32], title: NDArray[np.float32]) -> NDArray[np.float32]:
    """normalise(child + 0.5 × title): a sentence alone often does not name what it speaks of."""
    composed = children + np.float32(TITLE_SHARE) * title
    lengths = np.linalg.norm(composed, axis=1, keepdims=True)
    return np.divide(composed, lengths, out=children.copy(), where=lengths > 0)
