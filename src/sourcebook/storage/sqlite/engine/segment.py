"""Rows of an index that belong together, grouped by document."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sourcebook.storage.sqlite.engine.packed_strings import PackedStrings

if TYPE_CHECKING:
    from numpy.typing import NDArray


class DocumentTable:
    """The numbers of documents that are not in the order of their ids. One that comes again has a higher number."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}
        self._before: dict[int, int] = {}

    def add(self, document_id: str, number: int) -> None:
        if document_id in self._last:
            self._before[number] = self._last[document_id]
        self._last[document_id] = number

    def last_until(self, document_id: str, end: int) -> int | None:
        """The last number below `end` that the document has."""
        number = self._last.get(document_id)
        while number is not None and number >= end:
            number = self._before.get(number)
        return number


@dataclass(frozen=True)
class Segment:
    """Chunks in the order of (document id, chunk id). Never changed: a document that changes dies here.

    `starts[i]` is the first row of document number i, and `starts[-1]` the number of rows. With a `table`, documents
    are in the order in which they came, and one that came again is dead but for the last time.
    """

    documents: Sequence[str]
    starts: NDArray[np.int64]
    chunk_ids: PackedStrings
    table: DocumentTable | None = None
    known_document_of: NDArray[np.int32] | None = None

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Segment:
        return cls(
            PackedStrings(arrays["documents"], arrays["document_offsets"]),
            arrays["starts"],
            PackedStrings(arrays["chunk_ids"], arrays["chunk_offsets"]),
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        documents = PackedStrings.of(self.documents)
        return {
            "documents": documents.data,
            "document_offsets": documents.offsets,
            "starts": self.starts,
            "chunk_ids": self.chunk_ids.data,
            "chunk_offsets": self.chunk_ids.offsets,
        }

    def __len__(self) -> int:
        return len(self.chunk_ids)

    @cached_property
    def document_of(self) -> NDArray[np.int32]:
        """The number of each row's document."""
        if self.known_document_of is not None:
            return self.known_document_of
        return np.repeat(np.arange(len(self.documents), dtype=np.int32), np.diff(self.starts))

    def stretch(self, first: int, end: int) -> Segment:
        """A copy of the documents between these two numbers."""
        documents, table = self.documents[first:end], DocumentTable()
        for number, document_id in enumerate(documents):
            table.add(document_id, number)
        rows = np.arange(int(self.starts[first]), int(self.starts[end]))
        return Segment(
            documents, self.starts[first : end + 1] - self.starts[first], self.chunk_ids.taken(rows), table
        )

    def number_of(self, document_id: str) -> int | None:
        if self.table is not None:
            return self.table.last_until(document_id, len(self.documents))
        position = bisect_left(self.documents, document_id)
        found = position < len(self.documents) and self.documents[position] == document_id
        return position if found else None

    def rows_of(self, document_id: str) -> range:
        number = self.number_of(document_id)
        return range(0) if number is None else range(int(self.starts[number]), int(self.starts[number + 1]))

    def without(self, alive: NDArray[np.bool_], document_ids: Iterable[str]) -> NDArray[np.bool_]:
        """Which rows are left when these documents are gone."""
        left = alive
        for document_id in document_ids:
            rows = self.rows_of(document_id)
            if rows:
                left = left.copy() if left is alive else left
                left[rows.start : rows.stop] = False
        return left


class SegmentBuilder:
    """Collects rows in the order of (document id, chunk id)."""

    def __init__(self) -> None:
        self._documents: list[str] = []
        self._starts = array("q")
        self._ids = bytearray()
        self._offsets = array("q", [0])

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def add(self, document_id: str, chunk_id: str) -> None:
        if not self._documents or self._documents[-1] != document_id:
            self._documents.append(document_id)
            self._starts.append(len(self))
        self._ids += chunk_id.encode()
        self._offsets.append(len(self._ids))

    def built(self) -> Segment:
        return Segment(
            self._documents,
            np.array([*self._starts, len(self)], dtype=np.int64),
            PackedStrings(
                np.frombuffer(self._ids, dtype=np.uint8), np.frombuffer(self._offsets, dtype=np.int64)
            ),
        )


@dataclass(frozen=True, slots=True)
class Moved:
    """Where the rows and documents of an old segment are in a new one; -1 for those that were left behind."""

    rows: NDArray[np.int64]
    documents: NDArray[np.int64]


def join_segments(old: Sequence[tuple[Segment, NDArray[np.bool_]]]) -> tuple[Segment, list[Moved]]:
    """One segment of the living documents of several, and where everything went. No document lives in two."""
    living = sorted(
        (segment.documents[document], part, document)
        for part, (segment, alive) in enumerate(old)
        for document in np.flatnonzero(alive[segment.starts[:-1]]).tolist()
    )
    counts = [int(old[part][0].starts[d + 1] - old[part][0].starts[d]) for _, part, d in living]
    starts = np.zeros(len(living) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    places = np.array([(part, document) for _, part, document in living], dtype=np.int64).reshape(-1, 2)
    moved = [_moved(segment, places, starts, part) for part, (segment, _) in enumerate(old)]
    origin = np.empty(int(starts[-1]), dtype=np.int64)
    first = 0
    for (segment, _), where in zip(old, moved, strict=True):
        kept = np.flatnonzero(where.rows >= 0)
        origin[where.rows[kept]] = first + kept
        first += len(segment)
    chunk_ids = PackedStrings.joined([segment.chunk_ids for segment, _ in old]).taken(origin)
    return Segment([document_id for document_id, _, _ in living], starts, chunk_ids), moved


def _moved(segment: Segment, places: NDArray[np.int64], starts: NDArray[np.int64], part: int) -> Moved:
    """Where a segment went that is number `part` of those joined: `places` has (part, document) of each new one."""
    numbers = np.flatnonzero(places[:, 0] == part)
    own = places[numbers, 1]
    documents = np.full(len(segment.documents), -1)
    documents[own] = numbers
    shift = np.zeros(len(segment.documents), dtype=np.int64)
    shift[own] = starts[numbers] - segment.starts[own]
    rows = np.arange(len(segment)) + shift[segment.document_of]
    return Moved(np.where(documents[segment.document_of] >= 0, rows, -1), documents)
