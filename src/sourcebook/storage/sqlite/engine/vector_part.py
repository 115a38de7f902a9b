"""Vectors of one segment: signs to find candidates by, and the stored numbers to score them with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
import simsimd

from sourcebook.model.documents import ChunkLevel, DistanceMetric
from sourcebook.storage import vectors
from sourcebook.storage.sqlite.engine.segment import Segment, join_segments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.documents import Collection


@dataclass(frozen=True)
class VectorPart:
    """`matrix` holds the vectors as stored (zeros where a chunk has none), `passage` the row of each row's passage.

    Only a part that every process shares has a `centre`, so that all of them find the same by it.
    """

    segment: Segment
    matrix: NDArray[np.floating[Any]]
    has_vector: NDArray[np.bool_]
    passage: NDArray[np.int32]
    spans: NDArray[np.int32]
    metric: DistanceMetric
    centre: NDArray[np.float32] | None = None
    known_signs: NDArray[np.uint8] | None = None

    def __len__(self) -> int:
        return len(self.segment)

    @cached_property
    def by_passage(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows in the order of their passages, and where each passage's rows begin among them."""
        order = np.argsort(self.passage, kind="stable")
        return order, np.searchsorted(self.passage[order], np.arange(len(self) + 1))

    def families(
        self, passages: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """The rows of these passages, the place of each row's passage in the list, and which rows are passages."""
        order, starts = self.by_passage
        first, counts = starts[passages], starts[passages + 1] - starts[passages]
        owner = np.repeat(np.arange(len(passages)), counts)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        members = order[first[owner] + within]
        return members, owner, members == passages[owner]

    def signs(self, centre: NDArray[np.float32]) -> NDArray[np.uint8]:
        """The signs of all rows. Every process has the same centre, so they are computed once."""
        if self.known_signs is None:
            object.__setattr__(self, "known_signs", signs_of(self.matrix, centre))
        assert self.known_signs is not None  # noqa: S101
        return self.known_signs

    def rough_scores(self, rows: NDArray[np.int64] | None, query: NDArray[np.float32]) -> NDArray[np.float64]:
        """Scores of some rows (of all: None) that are right to about three digits."""
        matrix = self.matrix if rows is None else self.matrix[rows]
        if not len(matrix):
            return np.empty(0)
        kind = "sqeuclidean" if self.metric is DistanceMetric.EUCLIDEAN else "dot"
        wanted = np.ascontiguousarray(query.astype(matrix.dtype)).reshape(1, -1)
        measured = simsimd.cdist(wanted, np.ascontiguousarray(matrix), kind)
        # Numbers so large that single precision overflows: the exact score decides about them.
        beyond = 0.0 if self.metric is DistanceMetric.EUCLIDEAN else np.inf
        scores = np.asarray(measured, dtype=np.float64).ravel()
        found = np.nan_to_num(scores, nan=beyond, posinf=np.inf, neginf=-np.inf)
        if self.metric is DistanceMetric.EUCLIDEAN:
            return 1.0 / (1.0 + np.sqrt(np.maximum(found, 0.0)))
        return found

    def exact_scores(self, rows: NDArray[np.int64], query: NDArray[np.float32]) -> NDArray[np.float64]:
        return vectors.scores(self.matrix[rows], query, self.metric)


def signs_of(matrix: NDArray[np.floating[Any]], centre: NDArray[np.float32]) -> NDArray[np.uint8]:
    """One bit for each number: whether it lies above the centre."""
    blocks = [np.packbits(matrix[i : i + 8192] > centre, axis=1) for i in range(0, len(matrix), 8192)]
    return np.concatenate(blocks) if blocks else np.empty((0, (len(centre) + 7) // 8), dtype=np.uint8)


def differences(signs: NDArray[np.uint8], wanted: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """In how many signs each row differs from the wanted one."""
    if not len(signs):
        return np.empty(0, dtype=np.uint16)
    found = simsimd.cdist(wanted.reshape(1, -1), np.ascontiguousarray(signs), "hamming", dtype="bin8")
    return np.asarray(found).ravel().astype(np.uint16)


def read_part(rows: Iterator[tuple[Any, ...]], collection: Collection) -> VectorPart:
    """From rows of `all_vector_rows` or `some_vector_rows`."""
    places: list[tuple[str, str]] = []
    passage: list[int] = []
    spans: list[tuple[int, int]] = []
    blobs: list[bytes] = []
    has_vector: list[bool] = []
    nothing = bytes(
        collection.embedding_dimensions * vectors.stored_type(collection.distance_metric).itemsize
    )
    for document_id, group in groupby(rows, key=lambda row: row[0]):
        first = len(places)
        own = list(group)
        number_of = {row[1]: first + i for i, row in enumerate(own)}
        for number, (_, chunk_id, level, parent_id, start, end, vector) in enumerate(own, start=first):
            places.append((document_id, chunk_id))
            parent = number_of.get(parent_id) if level == ChunkLevel.CHILD else None
            passage.append(number if parent is None else parent)
            spans.append((start, end))
            has_vector.append(vector is not None)
            blobs.append(nothing if vector is None else vector)
    matrix = np.frombuffer(b"".join(blobs), dtype=vectors.stored_type(collection.distance_metric))
    return VectorPart(
        Segment.of(places),
        matrix.reshape(len(places), collection.embedding_dimensions),
        np.array(has_vector, dtype=np.bool_),
        np.array(passage, dtype=np.int32),
        np.array(spans, dtype=np.int32).reshape(len(places), 2),
        collection.distance_metric,
    )


def join_parts(old: Sequence[tuple[VectorPart, NDArray[np.bool_]]]) -> VectorPart:
    """One part of what lives in several."""
    segment, moved = join_segments([(part.segment, alive) for part, alive in old])
    first, _ = old[0]
    joined = VectorPart(
        segment,
        np.empty((len(segment), first.matrix.shape[1]), dtype=first.matrix.dtype),
        np.empty(len(segment), dtype=np.bool_),
        np.empty(len(segment), dtype=np.int32),
        np.empty((len(segment), 2), dtype=np.int32),
        first.metric,
    )
    for (part, _), where in zip(old, moved, strict=True):
        kept = np.flatnonzero(where.rows >= 0)
        there = where.rows[kept]
        joined.matrix[there] = part.matrix[kept]
        joined.has_vector[there] = part.has_vector[kept]
        joined.spans[there] = part.spans[kept]
        joined.passage[there] = where.rows[part.passage[kept]]
    return joined
