"""Words that are appended in place.

Postings lie in the order of their texts, not of their terms, in buckets of those terms that have the same remainder.
So nothing has to be moved when texts come, and for a term one bucket is looked through.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from sourcebook.storage.sqlite.engine.growing_arrays import GrowingArray
from sourcebook.storage.sqlite.engine.growing_segment import GrowingSegment
from sourcebook.storage.sqlite.engine.word_part import KeptNorms, WordPart

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.storage.sqlite.engine.word_part import Norms, Postings, TermTexts, Triples

# With more of them, a term is found faster and appending takes longer.
_BUCKETS = 16


class GrowingWords:
    """Parts that were handed out never change."""

    def __init__(self) -> None:
        self._segment = GrowingSegment()
        self._chunks = _GrowingPostings()
        self._documents = _GrowingPostings()

    @property
    def rows(self) -> int:
        return self._segment.rows

    def append(self, added: WordPart) -> WordPart:
        """Everything until now and these rows."""
        rows, documents = self._segment.rows, self._segment.documents
        return WordPart(
            self._segment.append(added.segment),
            self._chunks.append(rows, added.chunks),
            self._documents.append(documents, added.documents),
            self,
        )


class _GrowingPostings:
    def __init__(self) -> None:
        # Ids of terms, numbers of texts, frequencies.
        self._buckets = [_Bucket() for _ in range(_BUCKETS)]
        self._lengths = GrowingArray(np.empty(0, dtype=np.int32))

    def append(self, count: int, added: Postings | GrownPostings) -> GrownPostings:
        """Place these texts behind the first `count`."""
        ids, texts, frequencies = added.triples()
        every = np.stack([ids, texts.astype(np.uint32) + np.uint32(count), frequencies.astype(np.uint32)])
        buckets = (ids % _BUCKETS).astype(np.uint8)
        every = every[:, np.argsort(buckets, kind="stable")]
        start = 0
        for bucket, own in zip(self._buckets, np.bincount(buckets, minlength=_BUCKETS).tolist(), strict=True):
            if own:
                bucket.append(every[:, start : start + own])
                start += own
        return GrownPostings(self._buckets, self._lengths.put(count, added.lengths))


class _Bucket:
    __slots__ = ("_rows", "_used")

    def __init__(self) -> None:
        self._rows = GrowingArray(np.empty((3, 0), dtype=np.uint32), axis=1)
        self._used = 0

    def append(self, every: NDArray[np.uint32]) -> None:
        self._rows.put(self._used, every)
        self._used += every.shape[1]

    @property
    def every(self) -> NDArray[np.uint32]:
        return self._rows.until(self._used)


@dataclass(frozen=True, slots=True)
class GrownPostings:
    """The texts of each term, as far as there are lengths: what comes later is in the same buckets behind them."""

    _buckets: Sequence[_Bucket]
    lengths: NDArray[np.int32]
    _norms: KeptNorms = field(default_factory=KeptNorms, compare=False, repr=False)

    def __len__(self) -> int:
        return sum(bucket.every.shape[1] for bucket in self._buckets)

    def norms(self, average_length: float) -> Norms:
        return self._norms.of(self.lengths, average_length)

    def of_terms(self, term_ids: Sequence[int]) -> list[TermTexts]:
        return [self._of_term(term_id) for term_id in term_ids]

    def _of_term(self, term_id: int) -> TermTexts:
        ids, texts, frequencies = self._buckets[term_id % _BUCKETS].every
        places = np.flatnonzero(ids == term_id)
        texts, frequencies = texts.take(places), frequencies.take(places)
        own = int(np.searchsorted(texts, len(self.lengths)))
        return texts[:own], frequencies[:own]

    def triples(self) -> Triples:
        every = np.concatenate([bucket.every for bucket in self._buckets], axis=1)
        ids, texts, frequencies = every[:, every[1] < len(self.lengths)]
        return ids, texts, frequencies.astype(np.uint16)
