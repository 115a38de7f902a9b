"""A reranker behind an address: Jina, Cohere, vLLM, LiteLLM and others answer `POST {base_url}/rerank` alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from sourcebook.errors import BadProviderAnswer, ProviderError
from sourcebook.providers.model_server_address import Address
from sourcebook.providers.remote_model import RemoteModel
from sourcebook.providers.retries import Patience
from sourcebook.retrieve.fusion import put_behind

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult

_ATTEMPTS = 2
"""Somebody waits for the results."""
_SECONDS = 10.0


class ApiReranker:
    """A reranker on a server. Invalid answers are rejected.

    The server is asked with `{model, query, documents, top_n}` and answers `{results: [{index, relevance_score}]}`.
    """

    def __init__(
        self, base_url: str, model: str, *, api_key: str | None = None, patience: Patience | None = None
    ) -> None:
        self._server = RemoteModel(Address(base_url, api_key), patience or Patience(_SECONDS))
        self._model = model

    async def rerank(self, query: str, results: Sequence[SearchResult], top_k: int) -> list[SearchResult]:
        """The best `top_k` as the server judges them; those that it leaves out follow in their old order."""
        if not results:
            return []
        body = {
            "model": self._model,
            "query": query,
            "documents": [result.chunk.content for result in results],
            "top_n": min(top_k, len(results)),
        }
        try:
            judged = _judgements(await self._server.post("/rerank", body, attempts=_ATTEMPTS), len(results))
        except ProviderError as error:
            raise type(error)(
                f"The reranker failed: {error.message}",
                hint="Check `rerank_base_url`, `rerank_model` and `rerank_api_key`, or set `rerank_on_failure`"
                " to `fused` to go on without it.",
            ) from None
        order = sorted(judged, key=lambda index: (-judged[index], index))
        first = [_scored(results[index], judged[index]) for index in order]
        rest = [result for index, result in enumerate(results) if index not in judged]
        return put_behind(first, rest)[:top_k]

    async def close(self) -> None:
        """Close the connections to the server. They open again when they are needed."""
        await self._server.close()


def _scored(result: SearchResult, score: float) -> SearchResult:
    return result.with_score(score, replace(result.score_breakdown, rerank_score=score))


def _judgements(answer: object, count: int) -> dict[int, float]:
    """The score of each result that was judged, by its index, or an error if the answer cannot be right."""
    entries = cast("dict[str, object]", answer).get("results") if isinstance(answer, dict) else None
    if not isinstance(entries, list):
        raise BadProviderAnswer("Its answer has no list of `results`.")
    pairs = [_judgement(entry, count) for entry in cast("list[object]", entries)]
    judged = dict(pairs)
    if len(judged) != len(pairs):
        raise BadProviderAnswer("Its answer ranks a result twice.")
    return judged


def _judgement(entry: object, count: int) -> tuple[int, float]:
    match entry:
        case {"index": int() as index, "relevance_score": int() | float() as score}:
            pass
        case _:
            raise BadProviderAnswer("Its answer has a result without `index` or `relevance_score`.")
    if isinstance(index, bool) or not 0 <= index < count:
        raise BadProviderAnswer(f"Its answer ranks result {index}, but there are only {count}.")
    if isinstance(score, bool) or not math.isfinite(score):
        raise BadProviderAnswer("Its answer contains a score that is not a number.")
    return index, float(score)
