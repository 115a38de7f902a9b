"""Vectors of one segment: codes to find candidates by, and the stored numbers to score them with."""

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
from sourcebook.storage.sqlite.engine.spooled_bytes import SpooledBytes
from sourcebook.storage.sqlite.engine.vector_codes import Codes, Quantiser, gathered, put_rows

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from sourcebook.model.documents import Collection
    from sourcebook.storage.sqlite.engine.growing_vectors import GrowingVectors

_BYTES_AT_ONCE = 1_000_000


@dataclass(frozen=True)
class VectorPart:
    """`matrix` holds the vectors as stored (zeros where a chunk has none), `passage` the row of each row's passage.

    `rowids` is where the base keeps each chunk, as long as it does: whoever reads there looks at the id as well. Only a
    part that every process shares has a `quantiser`.
    """

    segment: Segment
    matrix: NDArray[np.floating[Any]]
    has_vector: NDArray[np.bool_]
    passage: NDArray[np.int32]
    spans: NDArray[np.int32]
    rowids: NDArray[np.int64]
    metric: DistanceMetric
    quantiser: Quantiser | None = None
    known_codes: Codes | None = None
    known_by_passage: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
    growth: GrowingVectors | None = None

    def __len__(self) -> int:
        return len(self.segment)

    @cached_property
    def by_passage(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows in the order of their passages, and where each passage's rows begin among them."""
        if self.known_by_passage is not None:
            return self.known_by_passage
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

    def codes(self, quantiser: Quantiser) -> Codes:
        """The codes of all rows. Every process has the same quantiser, so they are computed once."""
        if self.known_codes is None:
            self.remember_codes(quantiser.codes(self.matrix))
        assert self.known_codes is not None  # noqa: S101
        return self.known_codes

    def remember_codes(self, codes: Codes) -> None:
        object.__setattr__(self, "known_codes", codes)

    def rough_scores(self, rows: NDArray[np.int64], query: NDArray[np.float32]) -> NDArray[np.float64]:
        """Scores of some rows that are right to about three digits.

        A product too large for single precision is infinite, whatever its sign: its exact score decides.
        """
        return self.rough_scores_of(gathered(self.matrix, rows), query)

    def rough_scores_of(
        self, matrix: NDArray[np.floating[Any]], query: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """The same for vectors as stored."""
        if not len(matrix):
            return np.empty(0)
        kind = "sqeuclidean" if self.metric is DistanceMetric.EUCLIDEAN else "dot"
        wanted = np.ascontiguousarray(query.astype(matrix.dtype)).reshape(1, -1)
        measured = simsimd.cdist(wanted, np.ascontiguousarray(matrix), kind)
        found = np.asarray(measured, dtype=np.float64).ravel()
        if self.metric is DistanceMetric.EUCLIDEAN:
            # No number is a distance that could not be measured; the exact one decides. An infinite one is long.
            known = np.where(np.isnan(found), 0.0, found) if np.isnan(found).any() else found
            return 1.0 / (1.0 + np.sqrt(np.maximum(known, 0.0)))
        return found if np.isfinite(found).all() else np.where(np.isfinite(found), found, np.inf)

    def exact_scores(self, rows: NDArray[np.int64], wanted: NDArray[np.float64]) -> NDArray[np.float64]:
        """The scores of some rows, for a query that is ready for them."""
        return vector_encoding.scores_for(gathered(self.matrix, rows), wanted, self.metric)


def read_part(
    rows: Iterator[tuple[Any, ...]], collection: Collection, folder: Path | None = None
) -> VectorPart:
    """From rows of `all_vector_rows` or `some_vector_rows`. Very many vectors go to a file of the folder."""
    kind = vector_encoding.stored_type(collection.distance_metric)
    nothing = bytes(collection.embedding_dimensions * kind.itemsize)
    segment = SegmentBuilder()
    # Plain bytes that grow in place: as Python objects, a million rows would need several times the memory.
    numbers, has_vector = bytearray(), bytearray()
    all_numbers = SpooledBytes(folder)
    passage, spans, rowids = array("i"), array("i"), array("q")
    for document_id, group in groupby(rows, key=itemgetter(0)):
        first = len(segment)
        parents: list[str | None] = []
        number_of: dict[str, int] = {}
        for number, (_, chunk_id, level, parent_id, start, end, rowid, vector) in enumerate(group, first):
            segment.add(document_id, chunk_id)
            number_of[chunk_id] = number
            parents.append(parent_id if level == ChunkLevel.CHILD else None)
            spans.append(start)
            spans.append(end)
            rowids.append(rowid)
            has_vector.append(vector is not None)
            numbers += nothing if vector is None else vector
            if len(numbers) >= _BYTES_AT_ONCE:
                all_numbers.append(numbers)
                numbers.clear()
        # A child may come before its passage, so only now is it known where that is.
        passage.extend(
            number if parent_id is None else number_of.get(parent_id, number)
            for number, parent_id in enumerate(parents, first)
        )
    all_numbers.append(numbers)
    return VectorPart(
        segment.built(),
        all_numbers.array(kind).reshape(len(segment), collection.embedding_dimensions),
        np.frombuffer(has_vector, dtype=np.bool_),
        np.frombuffer(passage, dtype=np.int32),
        np.frombuffer(spans, dtype=np.int32).reshape(len(segment), 2),
        np.frombuffer(rowids, dtype=np.int64),
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
        np.empty(len(segment), dtype=np.int64),
        first.metric,
    )
    for (part, _), where in zip(old, moved, strict=True):
        kept = np.flatnonzero(where.rows >= 0)
        there = where.rows[kept]
        put_rows(joined.matrix, there, part.matrix, kept)
        joined.has_vector[there] = part.has_vector[kept]
        joined.spans[there] = part.spans[kept]
        joined.rowids[there] = part.rowids[kept]
        joined.passage[there] = where.rows[part.passage[kept]]
    _keep_codes(joined, [(part, where.rows) for (part, _), where in zip(old, moved, strict=True)])
    return joined


def _keep_codes(joined: VectorPart, old: Sequence[tuple[VectorPart, NDArray[np.int64]]]) -> None:
    """Take over the codes that are known, unless a shared part goes in: then there will be another quantiser."""
    known = [part.known_codes.by for part, _ in old if part.known_codes is not None]
    if not known or any(part.quantiser is not None for part, _ in old):
        return
    dimensions = joined.matrix.shape[1]
    signs = np.empty((len(joined), (dimensions + 7) // 8), dtype=np.uint8)
    numbers = np.empty((len(joined), dimensions), dtype=np.int8)
    codes = [part.codes(known[0]) for part, _ in old]
    words = 0 if codes[0].leading is None else len(codes[0].leading)
    leading = np.empty((words, len(joined)), dtype=np.uint64)
    for own, (_, where) in zip(codes, old, strict=True):
        kept = np.flatnonzero(where >= 0)
        put_rows(signs, where[kept], own.signs, kept)
        put_rows(numbers, where[kept], own.numbers, kept)
        if own.leading is not None:
            leading[:, where[kept]] = own.leading[:, kept]
    joined.remember_codes(Codes(signs, numbers, known[0], leading if words else None))
