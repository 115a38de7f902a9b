"""Vectors of one segment: signs to find candidates by, and the stored numbers to score them with."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import simsimd

from sourcebook.model.documents import ChunkLevel, DistanceMetric
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.sqlite.engine.segment import Segment, SegmentBuilder, join_segments

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
    signs_by: NDArray[np.float32] | None = None

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
            self.remember_signs(signs_of(self.matrix, centre), centre)
        assert self.known_signs is not None  # noqa: S101
        return self.known_signs

    def remember_signs(self, signs: NDArray[np.uint8], centre: NDArray[np.float32]) -> None:
        object.__setattr__(self, "known_signs", signs)
        object.__setattr__(self, "signs_by", centre)

    def rough_scores(self, rows: NDArray[np.int64] | None, query: NDArray[np.float32]) -> NDArray[np.float64]:
        """Scores of some rows (of all: None) that are right to about three digits."""
        matrix = self.matrix if rows is None else gathered(self.matrix, rows)
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
        return vector_encoding.scores(gathered(self.matrix, rows), query, self.metric)


def gathered(matrix: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
    """`matrix[rows]`, several times as fast: each row is copied as one value, not number by number."""
    width = matrix.shape[1] * matrix.itemsize
    if not width or not matrix.flags.c_contiguous:
        return matrix[rows]
    whole: NDArray[Any] = matrix.view(np.dtype((np.void, width))).ravel()
    return whole.take(rows).view(matrix.dtype).reshape(-1, matrix.shape[1])


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
    kind = vector_encoding.stored_type(collection.distance_metric)
    nothing = bytes(collection.embedding_dimensions * kind.itemsize)
    segment = SegmentBuilder()
    # Plain bytes that grow in place: as Python objects, a million rows would need several times the memory.
    numbers, has_vector = bytearray(), bytearray()
    passage, spans = array("i"), array("i")
    for document_id, group in groupby(rows, key=itemgetter(0)):
        own = list(group)
        number_of = {row[1]: number for number, row in enumerate(own, start=len(segment))}
        for number, (_, chunk_id, level, parent_id, start, end, vector) in enumerate(own, start=len(segment)):
            segment.add(document_id, chunk_id)
            passage.append(number_of.get(parent_id, number) if level == ChunkLevel.CHILD else number)
            spans.append(start)
            spans.append(end)
            has_vector.append(vector is not None)
            numbers += nothing if vector is None else vector
    return VectorPart(
        segment.built(),
        np.frombuffer(numbers, dtype=kind).reshape(len(segment), collection.embedding_dimensions),
        np.frombuffer(has_vector, dtype=np.bool_),
        np.frombuffer(passage, dtype=np.int32),
        np.frombuffer(spans, dtype=np.int32).reshape(len(segment), 2),
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
    _keep_signs(joined, [(part, where.rows) for (part, _), where in zip(old, moved, strict=True)])
    return joined


def _keep_signs(joined: VectorPart, old: Sequence[tuple[VectorPart, NDArray[np.int64]]]) -> None:
    """Take over the signs that are known, unless a shared part goes in: then there will be another centre."""
    centres = [part.signs_by for part, _ in old if part.signs_by is not None]
    if not centres or any(part.centre is not None for part, _ in old):
        return
    signs = np.empty((len(joined), (joined.matrix.shape[1] + 7) // 8), dtype=np.uint8)
    for part, where in old:
        kept = np.flatnonzero(where >= 0)
        signs[where[kept]] = part.signs(centres[0])[kept]
    joined.remember_signs(signs, centres[0])
