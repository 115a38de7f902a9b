"""How many candidates a search looks at before it returns its best."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.model.search import RetrievalMode
from sourcebook.retrieve.rerank.rerank_stage import candidates_wanted

if TYPE_CHECKING:
    from sourcebook.model.search import RetrievalConfig

MIN_CANDIDATES = 200
"""Each arm of a hybrid search is asked for at least so many, so that fusion knows the spread of its scores."""
MOST_FOR_VARIETY = 1_000
"""The most candidates that are searched for passages of other documents."""
POOL_FOR_NOVELTY = 4
"""With novelty, results are chosen from so many times as many candidates."""


def passages_to_read(config: RetrievalConfig) -> int:
    """How many passages are read, to be returned, reranked or chosen from."""
    wide = POOL_FOR_NOVELTY * config.top_k if config.diversity.novelty > 0 else config.top_k
    return max(candidates_wanted(config), wide)


def candidates_of_an_arm(config: RetrievalConfig) -> int:
    """How many candidates each arm is asked for: more than are read, because some overlap."""
    pool = passages_to_read(config)
    wanted = pool + pool // 4 + 5
    if config.diversity.max_per_document is not None:
        wanted = max(wanted, min(10 * pool, MOST_FOR_VARIETY))
    return max(MIN_CANDIDATES, wanted) if config.mode is RetrievalMode.HYBRID else wanted
