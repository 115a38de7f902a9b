"""How many candidates a search looks at before it returns its best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.model.search import RetrievalMode
from sourcebook.retrieve.rerank.rerank_stage import candidates_wanted

if TYPE_CHECKING:
    from sourcebook.model.search import RetrievalConfig

MIN_CANDIDATES = 200
"""Each arm of a hybrid search brings at least so many, for the fusion to know how its scores lie."""
MOST_FOR_VARIETY = 1_000
"""How many candidates are looked through, at most, for passages of other documents."""
POOL_FOR_NOVELTY = 4
"""Among how many times as many results as are wanted unlike ones are sought."""


def passages_to_read(config: RetrievalConfig) -> int:
    """How many passages are read: as many as are returned, reranked or chosen from."""
    wide = POOL_FOR_NOVELTY * config.top_k if config.diversity.novelty > 0 else config.top_k
    return max(candidates_wanted(config), wide)


def candidates_of_an_arm(config: RetrievalConfig) -> int:
    """How many each arm is asked for: some of them may overlap, or be of a document that has enough."""
    pool = passages_to_read(config)
    wanted = pool + pool // 4 + 5
    if config.diversity.max_per_document is not None:
        wanted = max(wanted, min(10 * pool, MOST_FOR_VARIETY))
    return max(MIN_CANDIDATES, wanted) if config.mode is RetrievalMode.HYBRID else wanted
