"""Words of one segment, turned around: from a term to the texts that hold it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sourcebook.storage import words
from sourcebook.storage.sqlite.engine.segment import Segment, join_segments

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Postings:
    """The texts that hold each term: those of `terms[i]` stand between `starts[i]` and `starts[i + 1]`."""

    terms: NDArray[np.uint32]
    starts: NDArray[np.int64]
    texts: NDArray[np.int32]
    frequencies: NDArray[np.uint16]
    lengths: NDArray[np.int32]

    @classmethod
    def of(cls, rows: Sequence[tuple[int, bytes, bytes]]) -> Postings:
        """From the length, term ids and frequencies of each text in turn."""
        ids = words.decode_ids(b"".join(row[1] for row in rows))
        frequencies = words.decode_frequencies(b"".join(row[2] for row in rows))
        texts = np.repeat(np.arange(len(rows), dtype=np.int32), [len(row[1]) // 4 for row in rows])
        order = np.argsort(ids, kind="stable")
        terms, first = np.unique(ids[order], return_index=True)
        return cls(
            terms,
            np.append(first, len(ids)).astype(np.int64),
            texts[order],
            frequencies[order],
            np.array([row[0] for row in rows], dtype=np.int32),
        )

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
        order = np.lexsort((all_texts, all_ids))
        terms, first = np.unique(all_ids[order], return_index=True)
        starts = np.append(first, len(all_ids)).astype(np.int64)
        return cls(
            terms, starts, all_texts[order].astype(np.int32), np.concatenate(frequencies)[order], lengths
        )

    def add_scores(
        self, scores: NDArray[np.float64], weights: Mapping[int, float], average_length: float
    ) -> None:
        """Add the BM25 of these terms (id → idf), in their order, to the score of every text that holds them."""
        for term_id, weight in weights.items():
            place = int(np.searchsorted(self.terms, term_id))
            if place == len(self.terms) or self.terms[place] != term_id:
                continue
            span = slice(int(self.starts[place]), int(self.starts[place + 1]))
            texts = self.texts[span]
            often = self.frequencies[span].astype(np.float64)
            scores[texts] += weight * words.saturation(
                often, self.lengths[texts].astype(np.float64), average_length
            )

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        return {f"{prefix}_{name}": getattr(self, name) for name in Postings.__dataclass_fields__}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Postings:
        return cls(**{name: arrays[f"{prefix}_{name}"] for name in Postings.__dataclass_fields__})


@dataclass(frozen=True)
class WordPart:
    """Chunks that words find, and the documents of the segment in its own order."""

    segment: Segment
    chunks: Postings
    documents: Postings


def read_part(chunk_rows: Iterator[tuple[Any, ...]], document_rows: Iterator[tuple[Any, ...]]) -> WordPart:
    """From rows of `all_word_rows` and `all_document_word_rows`, or of `some_…`."""
    rows = list(chunk_rows)
    segment = Segment.of([(row[0], row[1]) for row in rows])
    known = {row[0]: row[1:] for row in document_rows}
    nothing = (0, b"", b"")
    return WordPart(
        segment,
        Postings.of([row[2:] for row in rows]),
        Postings.of([known.get(document_id, nothing) for document_id in segment.documents]),
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
