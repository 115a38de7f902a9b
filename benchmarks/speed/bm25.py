"""Word search by brute force: BM25 of a passage plus that of its document, the formula that the base promises."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.speed.data import Judged
from sourcebook.text.analysis import analyse_question, analyse_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.speed.engine import DocumentBlock

K1 = 0.9
B = 0.4
SAME_SCORE = 1e-6


class _Level:
    """The texts of one kind: passages, or whole documents."""

    def __init__(self) -> None:
        self._rows: dict[str, list[int]] = defaultdict(list)
        self._counts: dict[str, list[int]] = defaultdict(list)
        self._lengths: list[int] = []

    def add(self, text: str, language: str | None, wanted: frozenset[str]) -> None:
        analysed = analyse_text(text, language)
        for term, count in Counter(analysed.terms).items():
            if term in wanted:
                self._rows[term].append(len(self._lengths))
                self._counts[term].append(count)
        self._lengths.append(analysed.length)

    def scores(self, terms: Sequence[str]) -> NDArray[np.float64]:
        lengths = np.array(self._lengths, dtype=np.float64)
        scores = np.zeros(len(lengths))
        for term in terms:
            rows = np.array(self._rows.get(term, []), dtype=np.int64)
            counts = np.array(self._counts.get(term, []), dtype=np.float64)
            weight = np.log1p((len(lengths) - len(rows) + 0.5) / (len(rows) + 0.5))
            norm = K1 * (1 - B + B * lengths[rows] / lengths.mean())
            scores[rows] += weight * counts / (counts + norm)
        return scores


class ExactWords:
    """The scores of every passage for each question. An answer is right when its score is among the best k."""

    def __init__(self, documents: Iterable[DocumentBlock], questions: Sequence[str], k: int) -> None:
        blocks = list(documents)
        languages = sorted({block.language or "" for block in blocks})
        self._terms = {text: analyse_question(text, languages).terms for text in dict.fromkeys(questions)}
        self._k = k
        self._best: dict[str, tuple[int, frozenset[int]]] = {}
        self._passages, self._documents = _Level(), _Level()
        self._document_of: list[int] = []
        self._read(blocks)

    def _read(self, blocks: Sequence[DocumentBlock]) -> None:
        wanted = frozenset(term for terms in self._terms.values() for term in terms)
        for place, block in enumerate(blocks):
            for passage in block.passages:
                self._passages.add(f"{block.title}\n{passage.text}", block.language, wanted)
                self._document_of.append(place)
            whole = "\n\n".join(passage.text for passage in block.passages)
            self._documents.add(f"{block.title}\n{block.title}\n{whole}", block.language, wanted)

    def judge(self, question: str, answer: Sequence[int]) -> Judged:
        if question not in self._best:
            self._best[question] = self._best_of(question)
        expected, best = self._best[question]
        distinct = set(answer)
        right = min(len(distinct & best), expected)
        return Judged(right, expected, outside=0, short=len(distinct) < expected)

    def _best_of(self, question: str) -> tuple[int, frozenset[int]]:
        """How many passages an answer should hold, and those that may be among them: more, if scores are equal."""
        terms = self._terms[question]
        own = self._passages.scores(terms)
        scores = np.where(own > 0, own + self._documents.scores(terms)[self._document_of], 0.0)
        expected = min(self._k, int((own > 0).sum()))
        if not expected:
            return 0, frozenset()
        worst = np.partition(scores, -expected)[-expected]
        return expected, frozenset(np.flatnonzero(scores >= worst - SAME_SCORE).tolist())
