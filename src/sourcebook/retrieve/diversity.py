"""Moves repetitions down a list of results. Plain functions over results whose chunks are complete.

Passages overlap by design, and one document may fill a whole list. Overlapping ones go to the end and are not dropped,
so that a search still returns as many results as there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sourcebook.model.explanation import Demotion
from sourcebook.retrieve.explain.trace import key_of
from sourcebook.text.analysis import words

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk
    from sourcebook.model.search import DiversityConfig, SearchResult
    from sourcebook.retrieve.explain.trace import Key

OVERLAPS = "overlaps"
SAME_DOCUMENT = "same_document"


@dataclass(slots=True)
class Sieve:
    """Takes results, best first, and sorts out repetitions.

    One that overlaps with a kept result goes to `behind`; one too many of its document is dropped.
    """

    config: DiversityConfig
    kept: list[SearchResult] = field(default_factory=list["SearchResult"])
    behind: list[SearchResult] = field(default_factory=list["SearchResult"])
    demotions: list[Demotion] = field(default_factory=list[Demotion])
    _seen: set[Key] = field(default_factory=set["Key"])
    _by_document: dict[tuple[str, str], list[SearchResult]] = field(
        default_factory=dict[tuple[str, str], "list[SearchResult]"]
    )

    def take(self, results: Iterable[SearchResult]) -> None:
        for result in results:
            self._take(result)

    def _take(self, result: SearchResult) -> None:
        if key_of(result) in self._seen:
            return
        self._seen.add(key_of(result))
        siblings = self._by_document.setdefault((result.collection_id, result.chunk.document_id), [])
        other = self._overlapped(result, siblings)
        if other is not None:
            self.behind.append(result)
            self.demotions.append(Demotion(result.chunk.id, OVERLAPS, other.chunk.id))
        elif self.config.max_per_document is not None and len(siblings) >= self.config.max_per_document:
            self.demotions.append(Demotion(result.chunk.id, SAME_DOCUMENT, siblings[-1].chunk.id))
        else:
            siblings.append(result)
            self.kept.append(result)

    def _overlapped(self, result: SearchResult, siblings: Sequence[SearchResult]) -> SearchResult | None:
        if self.config.overlap >= 1 or self.config.max_per_document == 1:
            return None
        return next((s for s in siblings if shared(s.chunk, result.chunk) > self.config.overlap), None)


def shared(one: Chunk, other: Chunk) -> float:
    """The overlap of two spans of one text, as a share of the shorter one."""
    common = min(one.end_index, other.end_index) - max(one.start_index, other.start_index)
    shorter = min(one.end_index - one.start_index, other.end_index - other.start_index)
    return common / shorter if common > 0 and shorter > 0 else 0.0


def by_novelty(results: Sequence[SearchResult], novelty: float, count: int) -> list[SearchResult]:
    """The `count` results that are good and unlike each other, the best first (maximal marginal relevance).

    The new score is the old one between 0 and 1, less what the result shares with the most similar one before it,
    weighted by `novelty`. It never rises from one result to the next.
    """
    relevance = _between_0_and_1([result.score for result in results])
    texts = [frozenset(words(result.chunk.content)) for result in results]
    likeness = [0.0] * len(results)
    waiting = set(range(len(results)))
    chosen: list[SearchResult] = []
    while waiting and len(chosen) < count:
        value = {i: (1 - novelty) * relevance[i] - novelty * likeness[i] for i in waiting}
        best = max(waiting, key=lambda i: (value[i], -i))
        waiting.remove(best)
        chosen.append(results[best].with_score(value[best], results[best].score_breakdown))
        for i in waiting:
            likeness[i] = max(likeness[i], _alike(texts[best], texts[i]))
    return chosen


def _between_0_and_1(scores: Sequence[float]) -> list[float]:
    if not scores or max(scores) == min(scores):
        return [1.0] * len(scores)
    low, high = min(scores), max(scores)
    return [(score - low) / (high - low) for score in scores]


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of words that two texts have in common."""
    together = len(one | other)
    return len(one & other) / together if together else 0.0
