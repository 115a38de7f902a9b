"""The vectors that narrow filters let through, remembered from one question to the next.

To find them takes most of such a search: for each row the server reads three pages, of chunks, of an index and of
vectors. Those who ask with a filter mostly ask with it again, and between two questions a base seldom changes. What is
remembered names the state of the collection in which it was read, and the statement that reads the texts makes sure
that this still is its state: nothing old is ever answered.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sourcebook.model.documents import DistanceMetric
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.index.engines import ROUNDING_MARGIN
from sourcebook.storage.postgres.driver import unpacked_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sourcebook.storage.database import Row
    from sourcebook.storage.index.collections import StoredCollection

ROWS_AT_MOST = 1_500
"""Of a filter that lets more through nothing is remembered."""
_BYTES_OF_ONE = 8 * 2**20
_BYTES_OF_ALL = 64 * 2**20
# Somebody may write to the base without saying so, such as an older version of this program that is still running.
_BELIEVED_SECONDS = 10.0
_FILTERS_COUNTED = 500
# A filter is remembered when it is asked for so often; and much later, if what was remembered was of little use.
_FEWEST_QUESTIONS, _MOST_QUESTIONS = 2, 64
_WORTH_IT = 4

Key: TypeAlias = tuple[str, int, DistanceMetric, str]
"""A collection, its model and metric, and the path of a filter."""


def key_of(stored: StoredCollection, path: str) -> Key:
    return stored.collection.id, stored.model_id, stored.collection.distance_metric, path


def rows_at_most(stored: StoredCollection) -> int:
    return min(ROWS_AT_MOST, _BYTES_OF_ONE // (4 * stored.collection.embedding_dimensions))


@dataclass(frozen=True, slots=True)
class FilteredVectors:
    """All that a filter let through, and the state of the collection in which it did."""

    state: str
    document_ids: Sequence[str]
    chunk_ids: Sequence[str]
    matrix: NDArray[np.float32]

    @classmethod
    def read_from(cls, row: Row, stored: StoredCollection) -> FilteredVectors | None:
        """None if there are too many of them, or none."""
        ids = row["chunk_ids"]
        if not ids or len(ids) > rows_at_most(stored):
            return None
        collection = stored.collection
        kind = vector_encoding.stored_type(collection.distance_metric)
        matrix = unpacked_rows(row["packed_vectors"], collection.embedding_dimensions, kind)
        return cls(row["state"], row["document_ids"], ids, matrix.astype(np.float32))

    def nearest(
        self, query: NDArray[np.float32], metric: DistanceMetric, top_k: int
    ) -> list[tuple[int, float]]:
        """The places of the nearest with their exact scores, best first; of equal ones that whose id comes first."""
        places = self._promising(query, metric, top_k)
        scores = vector_encoding.scores(self.matrix[places], query, metric).tolist()
        found = zip(places.tolist(), scores, strict=True)
        return sorted(found, key=lambda pair: (-pair[1], self.chunk_ids[pair[0]]))[:top_k]

    def _promising(self, query: NDArray[np.float32], metric: DistanceMetric, top_k: int) -> NDArray[np.intp]:
        """Those that can be among the nearest. Rough scores tell of vectors of length one, and of no others."""
        if metric is not DistanceMetric.COSINE or len(self.matrix) <= 2 * top_k:
            return np.arange(len(self.matrix))
        rough = self.matrix @ query
        last = np.partition(rough, -top_k)[-top_k]
        return np.flatnonzero(rough >= last - ROUNDING_MARGIN)


@dataclass(slots=True)
class _Asked:
    """What is known of a filter that was asked for."""

    since: int = 0
    """So many questions since it was last forgotten."""
    needed: int = _FEWEST_QUESTIONS
    uses: int = 0
    vectors: FilteredVectors | None = None
    until: float = 0.0


@dataclass(slots=True)
class FilterMemory:
    """What one process remembers, of all its collections. Those that were asked for longest ago are forgotten first."""

    _asked: OrderedDict[Key, _Asked] = field(default_factory=OrderedDict[Key, _Asked])
    _bytes: int = 0

    def recall(self, key: Key) -> FilteredVectors | None:
        known = self._asked.get(key)
        if known is None or known.vectors is None:
            return None
        if known.until < time.monotonic():
            self._drop(known)
            return None
        self._asked.move_to_end(key)
        known.uses += 1
        return known.vectors

    def is_worth_reading(self, key: Key) -> bool:
        """Whether the filter has been asked for often enough, this question included."""
        known = self._asked.setdefault(key, _Asked())
        self._asked.move_to_end(key)
        self._forget_oldest()
        known.since += 1
        return known.since >= known.needed

    def keep(self, key: Key, vectors: FilteredVectors | None) -> None:
        """Remember them. None says that there is nothing to remember, and that it is not to be tried again soon."""
        known = self._asked.setdefault(key, _Asked())
        self._drop(known)
        if vectors is None:
            known.since, known.needed = 0, _MOST_QUESTIONS
            return
        known.vectors, known.uses = vectors, 0
        known.until = time.monotonic() + _BELIEVED_SECONDS
        self._bytes += vectors.matrix.nbytes
        self._forget_oldest()

    def no_longer_holds(self, key: Key) -> None:
        """The collection was changed. Where that is so every time, remembering would only cost."""
        known = self._asked.get(key)
        if known is None:
            return
        self._drop(known)
        known.since = 0
        known.needed = _FEWEST_QUESTIONS if known.uses > _WORTH_IT else min(2 * known.needed, _MOST_QUESTIONS)

    def _forget_oldest(self) -> None:
        while self._bytes > _BYTES_OF_ALL or len(self._asked) > _FILTERS_COUNTED:
            _, oldest = self._asked.popitem(last=False)
            self._drop(oldest)

    def _drop(self, known: _Asked) -> None:
        if known.vectors is not None:
            self._bytes -= known.vectors.matrix.nbytes
            known.vectors = None
