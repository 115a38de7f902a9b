"""The best passages by words are those of the plain sum over all postings, to the last bit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from sourcebook.storage.index import bm25
from sourcebook.storage.sqlite.engine import word_ranking
from sourcebook.storage.sqlite.engine.packed_strings import PackedStrings
from sourcebook.storage.sqlite.engine.segment import Segment
from sourcebook.storage.sqlite.engine.word_part import Postings, WordPart
from sourcebook.storage.sqlite.engine.word_ranking import Weights, best_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

TERMS = 60


def postings_of(words: NDArray[np.int64], texts: NDArray[np.int64], count: int) -> Postings:
    keys, often = np.unique(words * count + texts, return_counts=True)
    ids = keys // count
    terms, first = np.unique(ids, return_index=True)
    return Postings(
        terms.astype(np.uint32),
        np.append(first, len(ids)).astype(np.int64),
        (keys % count).astype(np.int32),
        often.astype(np.uint16),
        np.bincount(texts, minlength=count).astype(np.int32),
    )


def made_part(chance: np.random.Generator) -> WordPart:
    """Passages of words that are as unlike in frequency as in texts, some of them alone in their document."""
    passages = int(chance.integers(1, 400))
    lengths = chance.integers(0, 30, passages)
    texts = np.repeat(np.arange(passages), lengths)
    words = (TERMS * chance.random(len(texts)) ** chance.choice([1.0, 3.0, 6.0])).astype(np.int64)
    document_of = np.cumsum(chance.random(passages) < chance.choice([0.05, 0.4, 1.0]))
    document_of -= document_of[0]
    documents = int(document_of[-1]) + 1
    starts = np.append(np.flatnonzero(np.diff(document_of, prepend=-1)), passages)
    segment = Segment(
        [f"d{i:04}" for i in range(documents)], starts, PackedStrings.of(f"{i:04}" for i in range(passages))
    )
    whole = postings_of(words, document_of[texts], documents)
    return WordPart(segment, postings_of(words, texts, passages), whole)


def plain_sum(
    part: WordPart, allowed: NDArray[np.bool_], chunks: Weights, documents: Weights
) -> dict[int, float]:
    """The score of every allowed row that holds a term, one posting after the other."""
    sums: list[NDArray[np.float64]] = []
    for postings, weights in ((part.chunks, chunks), (part.documents, documents)):
        assert isinstance(postings, Postings)
        scores = np.zeros(len(postings.lengths))
        for term, weight in weights.idf.items():
            place = int(np.searchsorted(postings.terms, term))
            if place == len(postings.terms) or postings.terms[place] != term:
                continue
            for at in range(int(postings.starts[place]), int(postings.starts[place + 1])):
                text = postings.texts[at]
                often, length = (
                    np.array([float(postings.frequencies[at])]),
                    np.array([float(postings.lengths[text])]),
                )
                scores[text] += weight * bm25.saturation(often, length, weights.average_length)[0]
        sums.append(scores)
    own, above = sums
    rows = np.flatnonzero((own > 0) & allowed)
    return {int(row): float(own[row] + above[part.segment.document_of[row]]) for row in rows}


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("worth_pruning", [0, 10**9])
def test_the_best_rows_are_those_of_the_plain_sum(
    seed: int, worth_pruning: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_ranking, "_WORTH_PRUNING", worth_pruning)
    chance = np.random.default_rng(seed)
    part = made_part(chance)
    allowed = chance.random(len(part.segment)) < chance.choice([0.1, 0.7, 1.0])
    for _ in range(6):
        asked = chance.choice(TERMS + 5, int(chance.integers(1, 9)), replace=False).tolist()
        chunks = Weights(
            {t: float(w) for t, w in zip(asked, chance.random(len(asked)) + 0.01, strict=True)}, 12.0
        )
        documents = Weights(
            {t: float(w) for t, w in zip(asked, chance.random(len(asked)), strict=True)}, 40.0
        )
        top_k = int(chance.integers(1, 30))
        exact = plain_sum(part, allowed, chunks, documents)
        rows, totals = best_rows(part, allowed, chunks, documents, top_k)
        found = dict(zip(rows.tolist(), totals.tolist(), strict=True))
        last = sorted(exact.values(), reverse=True)[:top_k][-1] if exact else 0.0
        assert found == {row: score for row, score in exact.items() if score >= last}


def test_frequent_terms_are_looked_up_and_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_ranking, "_WORTH_PRUNING", 0)
    passages = 5_000
    texts = np.concatenate([np.arange(passages), np.arange(50)])
    words = np.concatenate([np.zeros(passages), np.ones(50)]).astype(np.int64)
    segment = Segment(
        [f"d{i:04}" for i in range(passages)],
        np.arange(passages + 1),
        PackedStrings.of(f"{i:04}" for i in range(passages)),
    )
    part = WordPart(segment, postings_of(words, texts, passages), postings_of(words, texts, passages))
    read: list[int] = []
    add = word_ranking.Arm.add

    def counted(self: word_ranking.Arm, scores: NDArray[np.float64], term: word_ranking.IndexedTerm) -> None:
        read.append(term.count)
        add(self, scores, term)

    monkeypatch.setattr(word_ranking.Arm, "add", counted)
    weights = Weights({0: 0.01, 1: 4.0}, 1.0)
    rows, _ = best_rows(part, np.ones(passages, np.bool_), weights, weights, 10)
    assert rows.tolist() == list(range(50))
    assert read == [50, 50]
