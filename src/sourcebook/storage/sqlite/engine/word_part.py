"""Words of one segment, turned around: from a term to the texts that hold it."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from sourcebook.storage.index import bm25
from sourcebook.storage.sqlite.engine.segment import SegmentBuilder, join_segments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.storage.sqlite.engine.segment import Segment


_STORED = ("terms", "starts", "texts", "frequencies", "lengths")


@dataclass(frozen=True, slots=True, eq=False)
class Norms:
    """How often a term must occur in each text to count half, given how long the texts are on average."""

    average_length: float
    of_texts: NDArray[np.float64]
    least: float

    @classmethod
    def of(cls, lengths: NDArray[np.int32], average_length: float) -> Norms:
        found = bm25.norms(lengths.astype(np.float64), average_length)
        return cls(average_length, found, float(found.min()) if len(found) else 1.0)


@dataclass(frozen=True)
class Postings:
    """The texts that hold each term: those of `terms[i]` stand between `starts[i]` and `starts[i + 1]`."""

    terms: NDArray[np.uint32]
    starts: NDArray[np.int64]
    texts: NDArray[np.int32]
    frequencies: NDArray[np.uint16]
    lengths: NDArray[np.int32]
    _known_norms: list[Norms] = field(default_factory=list["Norms"], compare=False, repr=False)

    @classmethod
    def joined(cls, old: Sequence[tuple[Postings, NDArray[np.int64]]], count: int) -> Postings:
        """The postings of several that go together to `count` texts, each with where its texts went (-1: nowhere)."""
        lengths = np.zeros(count, dtype=np.int32)
        ids: list[NDArray[np.uint32]] = []
        texts: list[NDArray[np.int64]] = []
        frequencies: list[NDArray[np.uint16]] = []
        for postings, where in old:
            there = where[postings.texts]
            kept = there >= 0
            ids.append(np.repeat(postings.terms, np.diff(postings.starts))[kept])
            texts.append(there[kept])
            frequencies.append(postings.frequencies[kept])
            lengths[where[where >= 0]] = postings.lengths[where >= 0]
        all_ids, all_texts = np.concatenate(ids), np.concatenate(texts)
        # What comes from one part is in order already, and a stable sort finds such runs.
        order = np.argsort((all_ids.astype(np.int64) << 32) | all_texts, kind="stable")
        sorted_ids = all_ids[order]
        first = np.flatnonzero(np.diff(sorted_ids.astype(np.int64), prepend=-1))
        starts = np.append(first, len(all_ids)).astype(np.int64)
        texts_of = all_texts[order].astype(np.int32)
        return cls(sorted_ids[first], starts, texts_of, np.concatenate(frequencies)[order], lengths)

    def norms(self, average_length: float) -> Norms:
        """What the lengths of the texts mean to BM25. Kept: they are the same until somebody writes."""
        known = self._known_norms[0] if self._known_norms else None
        if known is None or known.average_length != average_length:
            known = Norms.of(self.lengths, average_length)
            self._known_norms[:] = [known]
        return known

    def spans(self, term_ids: Sequence[int]) -> list[slice]:
        """Where the texts of each of these terms stand; nowhere for a term that does not occur."""
        if not len(self.terms):
            return [slice(0, 0)] * len(term_ids)
        wanted = np.array(term_ids, dtype=np.int64)
        places = np.searchsorted(self.terms, wanted).clip(max=len(self.terms) - 1)
        held = self.terms[places] == wanted
        bounds = zip(self.starts[places].tolist(), self.starts[places + 1].tolist(), strict=True)
        return [
            slice(start, end) if is_held else slice(0, 0)
            for is_held, (start, end) in zip(held.tolist(), bounds, strict=True)
        ]

    def holding(self, term_ids: Sequence[int]) -> NDArray[np.bool_]:
        """Which of the texts hold at least one of these terms."""
        held = np.zeros(len(self.lengths), dtype=np.bool_)
        for place in np.flatnonzero(np.isin(self.terms, np.array(term_ids, dtype=np.uint32))):
            held[self.texts[self.starts[place] : self.starts[place + 1]]] = True
        return held

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        return {f"{prefix}_{name}": getattr(self, name) for name in _STORED}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Postings:
        terms, starts, texts, frequencies, lengths = (arrays[f"{prefix}_{name}"] for name in _STORED)
        return cls(terms, starts, texts, frequencies, lengths)


@dataclass(frozen=True)
class WordPart:
    """Chunks that words find, and the documents of the segment in its own order."""

    segment: Segment
    chunks: Postings
    documents: Postings


def read_part(chunk_rows: Iterator[tuple[Any, ...]], document_rows: Iterator[tuple[Any, ...]]) -> WordPart:
    """From rows of `all_word_rows` and `all_document_word_rows`, or of `some_…`: both in the order of their ids."""
    segment, chunks = SegmentBuilder(), _Texts()
    for document_id, chunk_id, length, ids, frequencies in chunk_rows:
        segment.add(document_id, chunk_id)
        chunks.add(length, ids, frequencies)
    built = segment.built()
    return WordPart(built, chunks.postings(), _document_texts(built, document_rows).postings())


def _document_texts(segment: Segment, rows: Iterator[tuple[Any, ...]]) -> _Texts:
    """The words of the segment's documents; nothing for one that has none."""
    texts = _Texts()
    known = next(rows, None)
    for document_id in segment.documents:
        while known is not None and known[0] < document_id:
            known = next(rows, None)
        if known is not None and known[0] == document_id:
            texts.add(*known[1:])
        else:
            texts.add(0, b"", b"")
    return texts


class _Texts:
    """Collects the words of texts in turn."""

    def __init__(self) -> None:
        # Plain bytes that grow in place: as Python objects they would need several times the memory.
        self._lengths, self._counts = array("i"), array("i")
        self._ids, self._frequencies = bytearray(), bytearray()

    def add(self, length: int, ids: bytes, frequencies: bytes) -> None:
        self._lengths.append(length)
        self._counts.append(len(ids) // 4)
        self._ids += ids
        self._frequencies += frequencies

    def postings(self) -> Postings:
        """The texts turned around."""
        ids = bm25.decode_ids(self._ids)
        numbers = np.arange(len(self._counts), dtype=np.int32)
        texts = np.repeat(numbers, np.frombuffer(self._counts, dtype=np.int32))
        order = np.argsort(ids, kind="stable")
        terms, first = np.unique(ids[order], return_index=True)
        return Postings(
            terms,
            np.append(first, len(ids)).astype(np.int64),
            texts[order],
            bm25.decode_frequencies(self._frequencies)[order],
            np.frombuffer(self._lengths, dtype=np.int32),
        )


def join_parts(old: Sequence[tuple[WordPart, NDArray[np.bool_]]]) -> WordPart:
    """One part of what lives in several."""
    segment, moved = join_segments([(part.segment, alive) for part, alive in old])
    pairs = list(zip((part for part, _ in old), moved, strict=True))
    return WordPart(
        segment,
        Postings.joined([(part.chunks, where.rows) for part, where in pairs], len(segment)),
        Postings.joined([(part.documents, where.documents) for part, where in pairs], len(segment.documents)),
    )
