"""Reads the texts of the results that are returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from sourcebook.model.search import SearchResult
from sourcebook.ports.storage import ResultLookup
from sourcebook.retrieve.concurrency import together
from sourcebook.retrieve.diversity import Sieve
from sourcebook.retrieve.explain.trace import key_of
from sourcebook.retrieve.fusion import put_behind
from sourcebook.retrieve.passages.parent_passages import as_passages, missing_passages

if TYPE_CHECKING:
    from sourcebook.model.explanation import Demotion
    from sourcebook.model.search import DiversityConfig
    from sourcebook.ports.storage import VectorStore
    from sourcebook.retrieve.explain.trace import Key


@dataclass(frozen=True, slots=True)
class ReadPassages:
    """Passages with their texts. `is_whole`: whether all that were ranked still existed."""

    passages: list[SearchResult]
    is_whole: bool
    demotions: list[Demotion] = field(default_factory=list["Demotion"])


class ChunkReader:
    """Reads chunks by their ids, from a store of any kind."""

    def __init__(self, vectors: VectorStore) -> None:
        self._vectors = vectors
        # Checked once: comparing a store with a protocol takes as long as reading a few chunks.
        self._lookup = vectors if isinstance(vectors, ResultLookup) else None

    async def look_up(self, keys: Sequence[Key]) -> dict[Key, SearchResult]:
        """The chunks that exist, without a score."""
        by_collection: dict[str, list[str]] = {}
        for collection_id, chunk_id in keys:
            by_collection.setdefault(collection_id, []).append(chunk_id)
        if not by_collection:
            return {}
        read = await together([partial(self._look_up, *wanted) for wanted in by_collection.items()])
        return {
            (name, result.chunk.id): result
            for name, results in zip(by_collection, read, strict=True)
            for result in results
        }

    async def passages(self, ranked: Sequence[SearchResult]) -> list[SearchResult]:
        """The results with their chunks, children replaced by passages. What was removed meanwhile is left out."""
        return (await self._read(ranked)).passages

    async def _read(self, ranked: Sequence[SearchResult]) -> ReadPassages:
        stored = await self.look_up([key_of(result) for result in ranked if result.chunk.is_outline])
        completed = [_completed(result, stored) for result in ranked]
        whole = [result for result in completed if result is not None]
        missing = missing_passages(whole)
        passages = as_passages(whole, await self.look_up(missing)) if missing else whole
        return ReadPassages(passages, is_whole=len(whole) == len(completed))

    async def best(
        self, ranked: Sequence[SearchResult], count: int, diversity: DiversityConfig
    ) -> ReadPassages:
        """The first `count` passages that do not overlap, followed by overlapping ones if there are too few."""
        sieve = Sieve(diversity)
        seen, is_whole = 0, True
        while seen < len(ranked) and len(sieve.kept) < count:
            batch = ranked[seen : seen + _batch(count - len(sieve.kept), diversity)]
            read = await self._read(batch)
            sieve.take(read.passages)
            is_whole = is_whole and read.is_whole
            seen += len(batch)
        return ReadPassages(put_behind(sieve.kept, sieve.behind)[:count], is_whole, sieve.demotions)

    async def _look_up(self, collection_id: str, chunk_ids: Sequence[str]) -> list[SearchResult]:
        if self._lookup is not None:
            return await self._lookup.look_up(collection_id, chunk_ids)
        get = self._vectors.get
        stored = await together([partial(get, collection_id, chunk_id) for chunk_id in chunk_ids])
        return [SearchResult(embedded.chunk, 0.0) for embedded in stored if embedded]


def _batch(missing: int, diversity: DiversityConfig) -> int:
    """How many to read at once: a few more than missing, because some may overlap."""
    everything_stays = diversity.overlap >= 1 and diversity.max_per_document is None
    return missing if everything_stays else missing + missing // 10 + 1


def _completed(result: SearchResult, stored: dict[Key, SearchResult]) -> SearchResult | None:
    whole = stored.get(key_of(result)) if result.chunk.is_outline else result
    if whole is None:
        return None
    return SearchResult(
        whole.chunk,
        result.score,
        result.score_breakdown,
        whole.document_path,
        whole.document_title,
        tuple(result.matched),
        result.collection_id,
        whole.parent_context,
    )
