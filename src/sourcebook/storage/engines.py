"""What a database brings to a search; how it finds is its own affair, what it finds is not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.model.search import Match, MetadataFilter
    from sourcebook.storage.database import Executor
    from sourcebook.storage.repositories.collections import StoredCollection
    from sourcebook.text.analysis import QuestionWords


@dataclass(frozen=True, slots=True)
class Scored:
    """A chunk that was found, and for a passage the children that matched in it, best first."""

    chunk_id: str
    score: float
    matched: tuple[Match, ...] = ()


class VectorEngine(Protocol):
    """Finds the nearest vectors of one snapshot: complete under every filter, best first, ties by chunk id."""

    async def nearest(
        self,
        reader: Executor,
        stored: StoredCollection,
        query: NDArray[np.float32],
        top_k: int,
        filter: MetadataFilter | None,
    ) -> list[Scored]: ...

    async def nearest_passages(
        self,
        reader: Executor,
        stored: StoredCollection,
        query: NDArray[np.float32],
        top_k: int,
        filter: MetadataFilter | None,
    ) -> list[Scored]: ...


class WordEngine(Protocol):
    """Finds chunks by words: the chunk's BM25 plus its document's, best first, ties by chunk id."""

    async def best(
        self,
        reader: Executor,
        stored: StoredCollection,
        question: QuestionWords,
        top_k: int,
        filter: MetadataFilter | None,
    ) -> list[Scored]: ...
