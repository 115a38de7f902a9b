"""Rows of an index that belong together, grouped by document."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from sourcebook.storage.sqlite.engine.packed import PackedStrings

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Segment:
    """Chunks in the order of (document id, chunk id). Never changed: a document that changes dies here.

    `starts[i]` is the first row of document number i, and `starts[-1]` the number of rows.
    """

    documents: Sequence[str]
    starts: NDArray[np.int64]
    chunk_ids: PackedStrings

    @classmethod
    def of(cls, rows: Sequence[tuple[str, str]]) -> Segment:
        """From (document id, chunk id) in their order."""
        documents: list[str] = []
        starts: list[int] = []
        for number, (document_id, _) in enumerate(rows):
            if not documents or documents[-1] != document_id:
                documents.append(document_id)
                starts.append(number)
        return cls(
            documents,
            np.array([*starts, len(rows)], dtype=np.int64),
            PackedStrings.of(chunk for _, chunk in rows),
        )

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
        return np.repeat(np.arange(len(self.documents), dtype=np.int32), np.diff(self.starts))

    def number_of(self, document_id: str) -> int | None:
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
        for document in range(len(segment.documents))
        if alive[segment.starts[document]]
    )
    moved = [Moved(np.full(len(s), -1), np.full(len(s.documents), -1)) for s, _ in old]
    places: list[tuple[str, str]] = []
    for number, (document_id, part, document) in enumerate(living):
        segment = old[part][0]
        rows = range(int(segment.starts[document]), int(segment.starts[document + 1]))
        moved[part].documents[document] = number
        moved[part].rows[rows.start : rows.stop] = np.arange(len(places), len(places) + len(rows))
        places.extend((document_id, chunk_id) for chunk_id in segment.chunk_ids[rows.start : rows.stop])
    return Segment.of(places), moved
