"""Checks the settings of a search before anything is searched."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sourcebook.errors import UsageError
from sourcebook.model.search import (
    FusionMethod,
    OnRerankFailure,
    RerankProvider,
    RetrievalConfig,
    RetrievalMode,
    ReturnLevel,
)
from sourcebook.ports.choices import chosen
from sourcebook.retrieve.filters.filter_meaning import check
from sourcebook.text.case_and_accents import normal_form, storable

if TYPE_CHECKING:
    from sourcebook.model.search import DiversityConfig, HybridConfig


MAX_TOP_K = 10_000


def checked_config(config: RetrievalConfig) -> RetrievalConfig:
    """The configuration with its filter and its choices checked, or UsageError."""
    if not isinstance(config, RetrievalConfig):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(f"The search settings must be a RetrievalConfig, not {config!r}.")
    config = _chosen(config)
    _check_count("top_k", config.top_k)
    _check_weights(config.hybrid_config)
    if config.rerank_config is not None:
        _check_count("rerank_config.top_k", config.rerank_config.top_k)
    _check_diversity(config.diversity)
    if config.subcategory is not None:
        _check_subcategory(config.subcategory)
    return replace(config, filter=None if config.filter is None else check(config.filter))


def require_question(query: str) -> None:
    """UsageError if the question is not text."""
    if not isinstance(query, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(f"The question must be text, not {type(query).__name__}.")


def _chosen(config: RetrievalConfig) -> RetrievalConfig:
    """The configuration with enum members for choices that were written as plain text: `mode="keyword"`."""
    hybrid, rerank = config.hybrid_config, config.rerank_config
    if hybrid.fusion_method is not None:
        method = chosen("hybrid_config.fusion_method", FusionMethod, hybrid.fusion_method)
        hybrid = replace(hybrid, fusion_method=method)
    if rerank is not None:
        rerank = replace(rerank, provider=chosen("rerank_config.provider", RerankProvider, rerank.provider))
        if rerank.on_failure is not None:
            on_failure = chosen("rerank_config.on_failure", OnRerankFailure, rerank.on_failure)
            rerank = replace(rerank, on_failure=on_failure)
    return replace(
        config,
        mode=chosen("mode", RetrievalMode, config.mode),
        return_level=chosen("return_level", ReturnLevel, config.return_level),
        hybrid_config=hybrid,
        rerank_config=rerank,
    )


def named_collections(collections: str | Sequence[str]) -> list[str]:
    """The collections to search, each once, in the order in which they were named."""
    names = [collections] if isinstance(collections, str) else list(dict.fromkeys(collections))
    if not names:
        raise UsageError("No collection was named.", hint="Name at least one to search in.")
    return names


def require_top_k(top_k: int) -> None:
    """UsageError unless it is a whole number of at least 1. Python counts a bool as one; we do not."""
    _require_count("top_k", top_k)


def _check_count(name: str, count: int) -> None:
    _require_count(name, count)
    if count > MAX_TOP_K:
        raise UsageError(f"{name} must be at most {MAX_TOP_K}, not {count}.")


def _require_count(name: str, count: int) -> None:
    if isinstance(count, bool) or not isinstance(count, int):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(f"{name} must be a whole number, not {type(count).__name__}.")
    if count < 1:
        raise UsageError(f"{name} must be at least 1, not {count}.")


def _check_weights(hybrid: HybridConfig) -> None:
    given = {"semantic_weight": hybrid.semantic_weight, "keyword_weight": hybrid.keyword_weight}
    for name, weight in given.items():
        if weight is not None and not (_is_number(weight) and weight >= 0):
            raise UsageError(f"{name} must be a finite number of at least 0, not {weight}.")
    if hybrid.semantic_weight == 0 and hybrid.keyword_weight == 0:
        raise UsageError("semantic_weight and keyword_weight cannot both be 0.")


def _check_diversity(diversity: DiversityConfig) -> None:
    for name, share in (("overlap", diversity.overlap), ("novelty", diversity.novelty)):
        if not (_is_number(share) and 0 <= share <= 1):
            raise UsageError(f"diversity.{name} must be a number from 0 to 1, not {share}.")
    if diversity.max_per_document is not None:
        _require_count("diversity.max_per_document", diversity.max_per_document)


def _check_subcategory(subcategory: str) -> None:
    if not storable(subcategory) or not normal_form(subcategory):
        raise UsageError("The subcategory must be a name.", hint="Leave it out to search all of them.")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
