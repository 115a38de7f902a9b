"""Vector search by looking at every vector that the filter lets through."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

import anyio.to_thread
import numpy as np

from sourcebook.model.search import Match
from sourcebook.storage import vectors
from sourcebook.storage.engines import Scored
from sourcebook.storage.sqlite.filters import compile_filter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.documents import Collection
    from sourcebook.model.search import MetadataFilter
    from sourcebook.storage.database import Executor, Row
    from sourcebook.storage.repositories.collections import StoredCollection

_MATCHES_SHOWN = 3
_ROWS_AT_ONCE = 4096


class VectorScan:
    """Exact, and complete under every filter, because it leaves nothing out."""

    async def nearest(
        self,
        reader: Executor,
        stored: StoredCollection,
        query: NDArray[np.float32],
        top_k: int,
        filter: MetadataFilter | None,
    ) -> list[Scored]:
        rows = await reader.fetch(
            "scan_vectors",
            compile_filter(filter),
            collection_id=stored.collection.id,
            model_id=stored.model_id,
        )
        return await anyio.to_thread.run_sync(_best_chunks, rows, stored.collection, query, top_k)

    async def nearest_passages(
        self,
        reader: Executor,
        stored: StoredCollection,
        query: NDArray[np.float32],
        top_k: int,
        filter: MetadataFilter | None,
    ) -> list[Scored]:
        rows = await reader.fetch(
            "scan_passage_vectors",
            compile_filter(filter),
            collection_id=stored.collection.id,
            model_id=stored.model_id,
        )
        return await anyio.to_thread.run_sync(_best_passages, rows, stored.collection, query, top_k)


def _scores(rows: Sequence[Row], collection: Collection, query: NDArray[np.float32]) -> NDArray[np.float64]:
    parts = [
        vectors.scores(
            vectors.decode_all([r["vector"] for r in rows[start : start + _ROWS_AT_ONCE]], collection),
            query,
            collection.distance_metric,
        )
        for start in range(0, len(rows), _ROWS_AT_ONCE)
    ]
    return np.concatenate(parts) if parts else np.empty(0)


def _best_chunks(
    rows: Sequence[Row], collection: Collection, query: NDArray[np.float32], top_k: int
) -> list[Scored]:
    scores = _scores(rows, collection, query).tolist()
    found = [Scored(row["chunk_id"], score) for row, score in zip(rows, scores, strict=True)]
    return best_first(found)[:top_k]


def _best_passages(
    rows: Sequence[Row], collection: Collection, query: NDArray[np.float32], top_k: int
) -> list[Scored]:
    own: dict[str, float] = {}
    children: defaultdict[str, list[Match]] = defaultdict(list)
    for row, score in zip(rows, _scores(rows, collection, query).tolist(), strict=True):
        if row["chunk_id"] == row["passage_id"]:
            own[row["passage_id"]] = score
        else:
            children[row["passage_id"]].append(
                Match(row["chunk_id"], row["start_index"], row["end_index"], score)
            )
    found = [_passage(passage_id, own.get(passage_id), children[passage_id]) for passage_id in own | children]
    return best_first(found)[:top_k]


def _passage(passage_id: str, own: float | None, children: Sequence[Match]) -> Scored:
    """The mean of the passage and its best child, or the one of the two that there is."""
    matched = sorted(children, key=lambda m: (-m.score, m.chunk_id))
    known = [score for score in (own, matched[0].score if matched else None) if score is not None]
    return Scored(passage_id, sum(known) / len(known), tuple(matched[:_MATCHES_SHOWN]))


def best_first(found: Sequence[Scored]) -> list[Scored]:
    return sorted(found, key=lambda s: (-s.score, s.chunk_id))
