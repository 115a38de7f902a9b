"""Vectors for chunks, computed for many documents at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from sourcebook.model.documents import Chunk, ChunkLevel, EmbeddedChunk
from sourcebook.ports.providers import TextRole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.ports.providers import Embedder

TITLE_SHARE = 0.5
_ROWS_AT_ONCE = 1024


class EmbeddingWork:
    """The texts of one document that are to be embedded, and the vectors that came back so far.

    Texts may be added before all of the document is read. Nothing is embedded twice, however often it is said.
    """

    def __init__(self) -> None:
        self._chunks: Sequence[Chunk] = ()
        self._title = ""
        self._rows: dict[str, int] = {}
        self._texts: list[str] = []
        self._vectors: NDArray[np.float32] | None = None
        self._given = self._taken = self._told = 0
        self._is_whole = False
        self._embedded: list[EmbeddedChunk] | None = None

    @classmethod
    def of(cls, chunks: Sequence[Chunk], title: str | None) -> EmbeddingWork:
        work = cls()
        work.complete(chunks, title)
        return work

    def add(self, texts: Iterable[str]) -> None:
        """Texts that the document will hold, as far as it is read. If it does not, their vectors are of no use."""
        for text in texts:
            if text not in self._rows:
                self._rows[text] = len(self._texts)
                self._texts.append(text)

    def complete(self, chunks: Sequence[Chunk], title: str | None) -> None:
        """Now the document is read: these are its chunks, and there will be no other texts."""
        self._chunks = chunks
        self._title = title if chunks and title and title.strip() else ""
        self.add(chunk.content for chunk in chunks)
        if self._title:
            self.add([self._title])
        self._is_whole = True

    def give_up(self) -> None:
        """There will be no document: embed nothing of it any more."""
        self._given = len(self._texts)

    def take(self, most: int) -> tuple[int, list[str]]:
        """The next texts, at most so many, and the place of the first."""
        start = self._given
        texts = self._texts[start : start + most]
        self._given += len(texts)
        return start, texts

    def put(self, start: int, vectors: NDArray[np.float32]) -> None:
        self._room(vectors.shape[1])[start : start + len(vectors)] = vectors
        self._taken += len(vectors)

    def skip(self, count: int) -> None:
        """Do without the vectors of so many texts: the document failed."""
        self._taken += count

    def _room(self, dimensions: int) -> NDArray[np.float32]:
        held = self._vectors
        if held is None or len(held) < len(self._texts):
            self._vectors = np.zeros((len(self._texts), dimensions), np.float32)
            if held is not None:
                self._vectors[: len(held)] = held
        assert self._vectors is not None  # noqa: S101 - it was made above
        return self._vectors

    def share_to_tell(self) -> float:
        """Which part of the document was embedded since this was asked last. Of a part nobody knows the share."""
        if not self._is_whole or not self._texts:
            return 0.0
        new, self._told = self._taken - self._told, self._taken
        return new / len(self._texts)

    @property
    def size(self) -> int:
        return len(self._texts)

    @property
    def is_given_out(self) -> bool:
        return self._given == len(self._texts)

    @property
    def is_complete(self) -> bool:
        return self._is_whole and self._taken == len(self._texts)

    def embedded(self) -> list[EmbeddedChunk]:
        """The chunks with their vectors. A passage stands for itself; a child also leans towards the title.

        Nothing may be added afterwards: the vectors of children take the place of those that were put in, so that
        a document with very many chunks is not held twice.
        """
        if self._vectors is None:
            return []
        if self._embedded is None:
            self._embedded = self._with_vectors(self._vectors)
        return self._embedded

    def _with_vectors(self, vectors: NDArray[np.float32]) -> list[EmbeddedChunk]:
        said_by = [self._rows[chunk.content] for chunk in self._chunks]
        found = [vectors[row] for row in said_by]
        if self._title:
            title = vectors[self._rows[self._title]].copy()
            children = [i for i, chunk in enumerate(self._chunks) if chunk.level is ChunkLevel.CHILD]
            # Where a passage says the same as a child, only the child leans.
            kept = {
                row
                for chunk, row in zip(self._chunks, said_by, strict=True)
                if chunk.level is not ChunkLevel.CHILD
            }
            leant: dict[int, NDArray[np.float32]] = {}
            rows = list(dict.fromkeys(said_by[i] for i in children))
            for start in range(0, len(rows), _ROWS_AT_ONCE):
                some = rows[start : start + _ROWS_AT_ONCE]
                for row, vector in zip(some, leaning(vectors[some], title), strict=True):
                    if row in kept:
                        leant[row] = vector.copy()
                    else:
                        vectors[row] = vector
            for i in children:
                found[i] = leant.get(said_by[i], found[i])
        return [EmbeddedChunk(chunk, vector) for chunk, vector in zip(self._chunks, found, strict=True)]


async def embed_chunks(embedder: Embedder, chunks: Sequence[Chunk], title: str | None) -> list[EmbeddedChunk]:
    """The chunks of one document with their vectors."""
    work = EmbeddingWork.of(chunks, title)
    start, texts = work.take(len(chunks) + 1)
    if texts:
        work.put(start, await embedder.embed(texts, TextRole.PASSAGE))
    return work.embedded()


def leaning(children: NDArray[np.float32], title: NDArray[np.float32]) -> NDArray[np.float32]:
    """normalise(child + 0.5 × title): a sentence alone often does not name what it speaks of."""
    composed = children + np.float32(TITLE_SHARE) * title
    lengths = np.linalg.norm(composed, axis=1, keepdims=True)
    return np.divide(composed, lengths, out=children.copy(), where=lengths > 0)
