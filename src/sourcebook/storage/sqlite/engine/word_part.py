"""Words of one segment, turned around: from a term to the texts that hold it."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sourcebook.storage.index import bm25
from sourcebook.storage.sqlite.engine.segment import SegmentBuilder, join_segments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.storage.sqlite.engine.growing_words import GrowingWords, GrownPostings
    from sourcebook.storage.sqlite.engine.segment import Segment

    # The texts that hold a term, in their order, and how often each does.
    TermTexts: TypeAlias = tuple[NDArray[np.integer[Any]], NDArray[np.integer[Any]]]
    # The term and the text of each posting, and how often it is there.
    Triples: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.integer[Any]], NDArray[np.uint16]]

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


class KeptNorms:
    """What the lengths of some texts mean to BM25: the same until somebody writes."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: Norms | None = None

    def of(self, lengths: NDArray[np.int32], average_length: float) -> Norms:
        known = self._known
        if known is None or known.average_length != average_length:
            known = self._known = Norms.of(lengths, average_length)
        return known


@dataclass(frozen=True)
class Postings:
    """The texts that hold each term: those of `terms[i]` stand between `starts[i]` and `starts[i + 1]`."""

    terms: NDArray[np.uint32]
    starts: NDArray[np.int64]
    texts: NDArray[np.int32]
    frequencies: NDArray[np.uint16]
    lengths: NDArray[np.int32]
    _norms: KeptNorms = field(default_factory=KeptNorms, compare=False, repr=False)

    @classmethod
    def joined(
        cls, old: Sequence[tuple[Postings | GrownPostings, NDArray[np.int64]]], count: int
    ) -> Postings:
        """The postings of several that go together to `count` texts, each with where its texts went (-1: nowhere)."""
        lengths = np.zeros(count, dtype=np.int32)
        ids: list[NDArray[np.uint32]] = []
        texts: list[NDArray[np.int64]] = []
        frequencies: list[NDArray[np.uint16]] = []
        for postings, where in old:
            own_ids, own_texts, own_frequencies = postings.triples()
            there = where[own_texts]
            kept = there >= 0
            ids.append(own_ids[kept])
            texts.append(there[kept])
            frequencies.append(own_frequencies[kept])
            lengths[where[where >= 0]] = postings.lengths[where >= 0]
        all_ids, all_texts = np.concatenate(ids), np.concatenate(texts)
        # What comes from one part is in order already, and a stable sort finds such runs.
        order = np.argsort((all_ids.astype(np.int64) << 32) | all_texts, kind="stable")
        sorted_ids = all_ids[order]
        first = np.flatnonzero(np.diff(sorted_ids.astype(np.int64), prepend=-1))
        starts = np.append(first, len(all_ids)).astype(np.int64)
        texts_of = all_texts[order].astype(np.int32)
        return cls(sorted_ids[first], starts, texts_of, np.concatenate(frequencies)[order], lengths)

    def __len__(self) -> int:
        return len(self.texts)

    def norms(self, average_length: float) -> Norms:
        return self._norms.of(self.lengths, average_length)

    def of_terms(self, term_ids: Sequence[int]) -> list[TermTexts]:
        """The texts of each of these terms; none for a term that does not occur."""
        if not len(self.terms):
            return [(self.texts, self.frequencies)] * len(term_ids)
        wanted = np.array(term_ids, dtype=np.int64)
        places = np.searchsorted(self.terms, wanted).clip(max=len(self.terms) - 1)
        held = self.terms[places] == wanted
        starts, ends = self.starts[places], np.where(held, self.starts[places + 1], self.starts[places])
        return [
            (self.texts[start:end], self.frequencies[start:end])
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]

    def triples(self) -> Triples:
        return np.repeat(self.terms, np.diff(self.starts)), self.texts, self.frequencies

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
    chunks: Postings | GrownPostings
    documents: Postings | GrownPostings
    growth: GrowingWords | None = None

    def holding(self, term_ids: Sequence[int]) -> NDArray[np.bool_]:
        """Which of the chunks hold at least one of these terms."""
        held = np.zeros(len(self.segment), dtype=np.bool_)
        for texts, _ in self.chunks.of_terms(term_ids):
            held[texts] = True
        return held


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
