"""A segment to which documents are appended in place, in the order in which they come."""

from __future__ import annotations

import numpy as np

from sourcebook.storage.sqlite.engine.growing_arrays import GrowingArray, GrowingStrings
from sourcebook.storage.sqlite.engine.packed_strings import PackedStrings
from sourcebook.storage.sqlite.engine.segment import DocumentTable, Segment


class GrowingSegment:
    """A document that changes comes again behind the others. Segments that were handed out never change."""

    def __init__(self) -> None:
        # How many have been taken. What failed half-way is taken too, so that nothing is appended to it.
        self.rows = 0
        self.documents = 0
        self._table = DocumentTable()
        self._names = GrowingStrings()
        self._chunk_ids = GrowingStrings()
        self._starts = GrowingArray(np.empty(0, dtype=np.int64))
        self._document_of = GrowingArray(np.empty(0, dtype=np.int32))

    def append(self, added: Segment) -> Segment:
        """Everything until now and these documents."""
        rows, documents = self.rows, self.documents
        self.rows += len(added)
        self.documents += len(added.documents)
        for number, document_id in enumerate(added.documents, documents):
            self._table.add(document_id, number)
        return Segment(
            self._names.put(documents, PackedStrings.of(added.documents)),
            # The end of what was there is the beginning of what comes.
            self._starts.put(documents, added.starts + rows),
            self._chunk_ids.put(rows, added.chunk_ids),
            self._table,
            self._document_of.put(rows, added.document_of + np.int32(documents)),
        )
