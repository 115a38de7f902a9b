"""The best passages by BM25 of the passage plus its document, exact to the last bit without looking at every posting.

Terms are added from the rarest to the most frequent. As soon as what is left cannot bring a passage that holds none of
the terms so far among the best, unless its document is rich in them, the frequent terms are looked up for the passages
that still can be, instead of being read whole. What remains is scored again in the order of the terms' texts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from sourcebook.storage.index import bm25

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.storage.sqlite.engine.growing_words import GrownPostings
    from sourcebook.storage.sqlite.engine.word_part import Postings, WordPart

# Sums of the same numbers in another order differ by less.
_SLACK = 1e-9
# Below so many postings reading them is faster than thinking about it.
_WORTH_PRUNING = 300_000
# Looking up one row takes as long as reading so many postings.
_READ_WHILE_LOOKING_UP = 32
# Of many scores the best are sought among the best of each block of so many.
_BLOCK = 16


@dataclass(frozen=True, slots=True)
class Weights:
    """What each term of a question is worth, by its id in the order of the terms' texts, and the average length."""

    idf: Mapping[int, float]
    average_length: float


@dataclass(frozen=True, slots=True)
class IndexedTerm:
    """A term in one of the two indexes: the texts that hold it, how often, and what it is worth."""

    texts: NDArray[np.integer[Any]]
    frequencies: NDArray[np.integer[Any]]
    weight: float

    @property
    def count(self) -> int:
        return len(self.texts)


class Arm:
    """The terms of a question in the postings of passages, or in those of documents."""

    def __init__(self, postings: Postings | GrownPostings, weights: Weights) -> None:
        self._norms = postings.norms(weights.average_length)
        held = postings.of_terms(list(weights.idf))
        self.terms = [
            IndexedTerm(*texts, weight) for texts, weight in zip(held, weights.idf.values(), strict=True)
        ]

    def add(self, scores: NDArray[np.float64], term: IndexedTerm) -> None:
        """Add the term to every text that holds it."""
        # In place, and with numbers of texts as numpy wants them: half the time of the plain formula, to the same bits.
        texts = term.texts.astype(np.intp)
        often = term.frequencies.astype(np.float64)
        half = self._norms.of_texts.take(texts)
        half += often
        often /= half
        often *= term.weight
        often += scores.take(texts)
        scores[texts] = often

    def read(self, texts: int) -> NDArray[np.float64]:
        """The scores of all texts by all terms, added in the order of the terms' texts."""
        scores = np.zeros(texts)
        for term in self.terms:
            if term.count:
                self.add(scores, term)
        return scores

    def look_up(
        self, scores: NDArray[np.float64], texts: NDArray[np.integer[Any]], term: IndexedTerm
    ) -> None:
        """Add the term to the scores of these texts, in their order, where they hold it."""
        if not term.count or not len(texts):
            return
        own = term.texts
        places = np.searchsorted(own, texts)
        places[places == len(own)] = 0
        held = np.flatnonzero(own[places] == texts)
        often = term.frequencies[places[held]].astype(np.float64)
        scores[held] += term.weight * bm25.saturated(often, self._norms.of_texts[texts[held]])

    def most(self, term: IndexedTerm) -> float:
        """What the term brings at most to any text."""
        if not term.count:
            return 0.0
        often = float(term.frequencies.max())
        return term.weight * often / (often + self._norms.least)


def best_rows(
    part: WordPart, allowed: NDArray[np.bool_], chunks: Weights, documents: Weights, top_k: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The best of the allowed rows that hold a term, with all that score like the last of them, and their scores."""
    ranking = _Ranking(part, allowed, Arm(part.chunks, chunks), Arm(part.documents, documents), top_k)
    return ranking.best()


@dataclass(frozen=True, slots=True)
class _Ranking:
    part: WordPart
    allowed: NDArray[np.bool_]
    chunks: Arm
    documents: Arm
    top_k: int

    def best(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        pairs = list(zip(self.chunks.terms, self.documents.terms, strict=True))
        if sum(_cost(pair) for pair in pairs) < _WORTH_PRUNING:
            return self._by_reading()
        return self._by_pruning(sorted(pairs, key=_cost))

    def _by_reading(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        own = self.chunks.read(len(self.part.segment))
        above = self.documents.read(len(self.part.segment.documents))
        hits = np.flatnonzero((own > 0) & self.allowed)
        return self._cut(hits, own.take(hits) + above.take(self.part.segment.document_of.take(hits)))

    def _by_pruning(
        self, pairs: Sequence[tuple[IndexedTerm, IndexedTerm]]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        own = np.zeros(len(self.part.segment))
        above = np.zeros(len(self.part.segment.documents))
        bounds = [self.chunks.most(c) + self.documents.most(d) for c, d in pairs]
        for place, pair in enumerate(pairs):
            if place and sum(map(_cost, pairs[place:])) >= _WORTH_PRUNING:
                rows = self._still_possible(own, above, sum(bounds[place:]), sum(map(_cost, pairs[place:])))
                if rows is not None:
                    return self._looked_up(rows, own[rows], above, pairs[place:])
            self.chunks.add(own, pair[0])
            self.documents.add(above, pair[1])
        rows = np.flatnonzero((own > 0) & self.allowed)
        return self._exact(rows, own[rows] + above[self.part.segment.document_of[rows]])

    def _still_possible(
        self, own: NDArray[np.float64], above: NDArray[np.float64], left: float, cost: int
    ) -> NDArray[np.int64] | None:
        """The rows that can be among the best when terms worth `left` are still to come; None if they are too many."""
        segment = self.part.segment
        seen = np.flatnonzero((own > 0) & self.allowed)
        if len(seen) < self.top_k:
            return None
        totals = own[seen] + above[segment.document_of[seen]]
        limit = last_score(totals, self.top_k) - left - _SLACK
        rich = np.flatnonzero(above >= limit)
        near = seen[totals >= limit]
        counts = segment.starts[rich + 1] - segment.starts[rich]
        if _READ_WHILE_LOOKING_UP * (len(near) + int(counts.sum())) > cost:
            return None
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        of_rich = np.repeat(segment.starts[rich], counts) + within
        return np.union1d(near, of_rich[self.allowed[of_rich]])

    def _looked_up(
        self,
        rows: NDArray[np.int64],
        own: NDArray[np.float64],
        above: NDArray[np.float64],
        pairs: Sequence[tuple[IndexedTerm, IndexedTerm]],
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        documents, owner = np.unique(self.part.segment.document_of[rows], return_inverse=True)
        of_documents = above[documents]
        for in_chunks, in_documents in pairs:
            self.chunks.look_up(own, rows, in_chunks)
            self.documents.look_up(of_documents, documents, in_documents)
        held = np.flatnonzero(own > 0)
        return self._exact(rows[held], own[held] + of_documents[owner[held]])

    def _exact(
        self, rows: NDArray[np.int64], rough: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Of these rows the best, scored in the order of the terms' texts: sums have the same bits everywhere."""
        if len(rows) > self.top_k:
            rows = rows[rough >= last_score(rough, self.top_k) - _SLACK]
        own = np.zeros(len(rows))
        documents, owner = np.unique(self.part.segment.document_of[rows], return_inverse=True)
        above = np.zeros(len(documents))
        for in_chunks, in_documents in zip(self.chunks.terms, self.documents.terms, strict=True):
            self.chunks.look_up(own, rows, in_chunks)
            self.documents.look_up(above, documents, in_documents)
        return self._cut(rows, own + above[owner])

    def _cut(
        self, rows: NDArray[np.int64], totals: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        if len(rows) <= self.top_k:
            return rows, totals
        kept = totals >= last_score(totals, self.top_k)
        return rows[kept], totals[kept]


def _cost(pair: tuple[IndexedTerm, IndexedTerm]) -> int:
    return pair[0].count + pair[1].count


def last_score(scores: NDArray[np.float64], count: int) -> float:
    """The score of the last one of so many best; what no score is below if there are fewer."""
    if len(scores) < count:
        return -np.inf
    blocks = len(scores) // _BLOCK
    if blocks > 2 * count:
        # So many blocks have a score that is as good, and so no worse one can be the last.
        best = scores[: blocks * _BLOCK].reshape(_BLOCK, blocks).max(axis=0)
        scores = scores[scores >= _smallest_of_largest(best, count)]
    return _smallest_of_largest(scores, count)


def _smallest_of_largest(scores: NDArray[np.float64], count: int) -> float:
    return float(np.partition(scores, len(scores) - count)[len(scores) - count])
