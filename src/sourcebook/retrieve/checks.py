"""Whether a search makes sense, before anything is searched."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from sourcebook.errors import UsageError
from sourcebook.retrieve.filters import check

if TYPE_CHECKING:
    from sourcebook.model.search import HybridConfig, RetrievalConfig

MAX_TOP_K = 10_000


def checked_config(config: RetrievalConfig) -> RetrievalConfig:
    """The configuration with its filter checked, or UsageError that names what is wrong."""
    require_top_k(config.top_k)
    if config.top_k > MAX_TOP_K:
        raise UsageError(f"top_k must be at most {MAX_TOP_K}, not {config.top_k}.")
    _check_weights(config.hybrid_config)
    return replace(config, filter=None if config.filter is None else check(config.filter))


def require_top_k(top_k: int) -> None:
    """Refuse what is no whole number from 1 up. A bool is one only to Python."""
    if isinstance(top_k, bool) or not isinstance(top_k, int):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(f"top_k must be a whole number, not {type(top_k).__name__}.")
    if top_k < 1:
        raise UsageError(f"top_k must be at least 1, not {top_k}.")


def _check_weights(hybrid: HybridConfig) -> None:
    given = {"semantic_weight": hybrid.semantic_weight, "keyword_weight": hybrid.keyword_weight}
    for name, weight in given.items():
        if weight is not None and not (math.isfinite(weight) and weight >= 0):
            raise UsageError(f"{name} must be a finite number of at least 0, not {weight}.")
    if hybrid.semantic_weight == 0 and hybrid.keyword_weight == 0:
        raise UsageError("semantic_weight and keyword_weight cannot both be 0.")
