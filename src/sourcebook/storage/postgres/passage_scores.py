"""The scores of passages, from the vectors of their members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.model.search import Match
from sourcebook.storage.index import vector_encoding
from sourcebook.storage.index.engines import MATCHES_SHOWN, Scored
from sourcebook.storage.postgres import driver

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.model.documents import DistanceMetric
    from sourcebook.storage.database import Row


@dataclass(frozen=True, slots=True)
class _Family:
    """A passage and its children that have vectors, with the score of each."""

    row: Row
    scores: Sequence[float]

    @property
    def passage_id(self) -> str:
        return self.row["passage_id"]

    def score(self) -> float:
        """The mean of the passage and its best child, or the one of the two that there is."""
        members = list(zip(self.row["chunk_ids"], self.scores, strict=True))
        own = [score for name, score in members if name == self.passage_id]
        children = [score for name, score in members if name != self.passage_id]
        known = [*own, *([max(children)] if children else [])]
        return sum(known) / len(known)

    def matches(self) -> tuple[Match, ...]:
        """The best children, of equal ones those whose ids come first."""
        row = self.row
        members = zip(row["chunk_ids"], row["starts"], row["ends"], self.scores, strict=True)
        found = [Match(*member) for member in members if member[0] != self.passage_id]
        return tuple(sorted(found, key=lambda m: (-m.score, m.chunk_id))[:MATCHES_SHOWN])


def best_passages(
    rows: Sequence[Row], query: NDArray[np.float32], metric: DistanceMetric, top_k: int
) -> list[Scored]:
    """The best of the passages that a search by passages gives, with their exact scores."""
    scored = [(family.score(), family) for family in _families(rows, query, metric)]
    scored.sort(key=lambda pair: (-pair[0], pair[1].passage_id))
    return [Scored(family.passage_id, score, family.matches()) for score, family in scored[:top_k]]


def _families(rows: Sequence[Row], query: NDArray[np.float32], metric: DistanceMetric) -> Iterator[_Family]:
    if not rows:
        return
    sent = b"".join(row["packed_vectors"] for row in rows)
    matrix = driver.unpacked_rows(sent, len(query), vector_encoding.stored_type(metric))
    scores = vector_encoding.scores(matrix, query, metric).tolist()
    start = 0
    for row in rows:
        end = start + len(row["chunk_ids"])
        yield _Family(row, scores[start:end])
        start = end
