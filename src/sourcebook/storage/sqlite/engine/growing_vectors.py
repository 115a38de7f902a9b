"""Vectors that are appended in place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.storage.sqlite.engine.growing_arrays import GrowingArray
from sourcebook.storage.sqlite.engine.growing_segment import GrowingSegment
from sourcebook.storage.sqlite.engine.vector_codes import Codes
from sourcebook.storage.sqlite.engine.vector_part import VectorPart

if TYPE_CHECKING:
    from sourcebook.storage.sqlite.engine.vector_codes import Quantiser


class GrowingVectors:
    """Parts that were handed out never change. Codes are made as rows come, if there is a quantiser."""

    def __init__(self, like: VectorPart, quantiser: Quantiser | None) -> None:
        self._segment = GrowingSegment()
        self._matrix = GrowingArray(like.matrix)
        self._has_vector = GrowingArray(like.has_vector)
        self._passage = GrowingArray(like.passage)
        self._spans = GrowingArray(like.spans)
        self._rowids = GrowingArray(like.rowids)
        order, starts = like.by_passage
        self._order, self._starts = GrowingArray(order), GrowingArray(starts)
        self._codes = None if quantiser is None else _GrowingCodes(like, quantiser)

    @property
    def rows(self) -> int:
        return self._segment.rows

    def has_room(self, rows: int) -> bool:
        """Whether so many can be appended without moving the others."""
        return self._matrix.has_room(self.rows + rows)

    def append(self, added: VectorPart) -> VectorPart:
        """Everything until now and these rows."""
        rows = self.rows
        order, starts = added.by_passage
        return VectorPart(
            self._segment.append(added.segment),
            self._matrix.put(rows, added.matrix),
            self._has_vector.put(rows, added.has_vector),
            self._passage.put(rows, added.passage + added.passage.dtype.type(rows)),
            self._spans.put(rows, added.spans),
            self._rowids.put(rows, added.rowids),
            added.metric,
            known_codes=None if self._codes is None else self._codes.append(rows, added),
            # Passages are of the same document, so the families of what comes are behind those of what was there.
            known_by_passage=(self._order.put(rows, order + rows), self._starts.put(rows, starts + rows)),
            growth=self,
        )


class _GrowingCodes:
    def __init__(self, like: VectorPart, quantiser: Quantiser) -> None:
        codes = quantiser.codes(like.matrix[:0])
        self._quantiser = quantiser
        self._signs, self._numbers = GrowingArray(codes.signs), GrowingArray(codes.numbers)
        self._leading = None if codes.leading is None else GrowingArray(codes.leading, axis=1)

    def append(self, rows: int, added: VectorPart) -> Codes:
        codes = self._quantiser.codes(added.matrix)
        leading = None
        if self._leading is not None and codes.leading is not None:
            leading = self._leading.put(rows, codes.leading)
        return Codes(
            self._signs.put(rows, codes.signs),
            self._numbers.put(rows, codes.numbers),
            self._quantiser,
            leading,
        )
