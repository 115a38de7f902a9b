"""BM25 over the postings of a few terms, computed here: the server only has to read them.

The arithmetic is that of SQLite's engine, in the same order, so that scores are equal to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sourcebook.storage.index import bm25

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.storage.database import Row

# An array as the server sends it: how it is made, one dimension if it is not empty, and the size of each number.
_HEAD, _DIMENSION, _SIZE, _NUMBER = 12, 8, 4, 8


@dataclass(frozen=True, slots=True)
class TermWeights:
    """What the terms of a question weigh in chunks and in documents, and how long those are on average."""

    of_chunks: Sequence[float]
    of_documents: Sequence[float]
    chunk_length: float
    document_length: float


@dataclass(frozen=True, slots=True)
class Bm25Ranking:
    """Chunks that hold a term, best first: the document of each, by its number in `documents`, and its place there."""

    documents: Sequence[str]
    owners: NDArray[np.int64]
    places: NDArray[np.int64]
    scores: NDArray[np.float64]

    def batch_end(self, start: int, size: int) -> int:
        """Where a batch of at least so many ends, that takes in all of the same score."""
        end = min(start + size, len(self.scores))
        while end < len(self.scores) and self.scores[end] == self.scores[end - 1]:
            end += 1
        return end


@dataclass(frozen=True, slots=True)
class _Held:
    """The postings of one term: its documents, and its entries with the document of each."""

    codes: NDArray[np.int64]
    frequencies: NDArray[np.float64]
    lengths: NDArray[np.float64]
    entries: NDArray[np.int64]
    owners: NDArray[np.int64]


def ranked(rows: Sequence[Row], weights: TermWeights) -> Bm25Ranking:
    """Rank the chunks of the postings that `held_words` gives, a row for each term."""
    numbers: dict[str, int] = {}
    held = [(int(row["position"]) - 1, _held(row, numbers)) for row in rows]
    highest = np.zeros(len(numbers), np.int64)
    for _, term in held:
        np.maximum.at(highest, term.owners, term.entries >> 40)
    first = np.cumsum(highest + 1) - (highest + 1)
    of_documents = np.zeros(len(numbers))
    of_chunks = np.zeros(int((highest + 1).sum()))
    is_held = np.zeros(len(of_chunks), bool)
    for position, term in held:
        said = term.frequencies > 0
        of_documents[term.codes[said]] += weights.of_documents[position] * bm25.saturation(
            term.frequencies[said], term.lengths[said], weights.document_length
        )
        places = first[term.owners] + (term.entries >> 40)
        of_chunks[places] += weights.of_chunks[position] * bm25.saturation(
            (term.entries >> 24 & 65535).astype(np.float64),
            (term.entries & 16777215).astype(np.float64),
            weights.chunk_length,
        )
        is_held[places] = True
    found = np.flatnonzero(is_held)
    owners = np.repeat(np.arange(len(numbers)), highest + 1)[found]
    scores = of_chunks[found] + of_documents[owners]
    order = np.argsort(-scores, kind="stable")
    places = (found - first[owners])[order]
    return Bm25Ranking(list(numbers), owners[order], places, scores[order])


def _held(row: Row, numbers: dict[str, int]) -> _Held:
    documents = row["documents"]
    codes = np.fromiter((numbers.setdefault(d, len(numbers)) for d in documents), np.int64, len(documents))
    counts = np.frombuffer(row["counts"], ">i4").astype(np.int64)
    return _Held(
        codes,
        np.frombuffer(row["document_frequencies"], ">i4").astype(np.float64),
        np.frombuffer(row["document_lengths"], ">i4").astype(np.float64),
        _numbers(row["entries"], counts),
        np.repeat(codes, counts),
    )


def _numbers(sent: bytes, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers of many arrays that were sent one behind the other, each with its head."""
    sizes = np.where(counts > 0, _HEAD + _DIMENSION + (_SIZE + _NUMBER) * counts, _HEAD)
    starts = np.cumsum(sizes) - sizes + _HEAD + _DIMENSION + _SIZE
    within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    at = np.repeat(starts, counts) + (_SIZE + _NUMBER) * within
    numbers = np.frombuffer(sent, np.uint8)[at[:, None] + np.arange(_NUMBER)]
    return np.ascontiguousarray(numbers).view(">i8").ravel().astype(np.int64)
