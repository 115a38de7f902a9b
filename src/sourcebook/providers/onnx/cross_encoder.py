"""A cross-encoder: reads the question and a passage together and says how well the one answers the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio.to_thread
import numpy as np

from sourcebook.errors import BadProviderAnswer, ProviderTimeout
from sourcebook.providers.onnx.pair_model import PairFiles, PairModel
from sourcebook.retrieve.fusion import put_behind

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult

MOST_PASSAGES = 50


class CrossEncoder:
    """Judges the first passages, best first, until the time is up; what it did not come to follows in its old order.

    Scores are from 0 to 1.
    """

    def __init__(
        self, find: Callable[[], PairFiles], *, seconds: float = 10.0, most_passages: int = MOST_PASSAGES
    ) -> None:
        self._model = PairModel(find)
        self._seconds = seconds
        self._most = most_passages

    async def rerank(self, query: str, results: Sequence[SearchResult], top_k: int) -> list[SearchResult]:
        """The best `top_k` as the model judges them."""
        read = results[: self._most]
        if not read:
            return []
        judged = await anyio.to_thread.run_sync(self.judge, query, read, abandon_on_cancel=True)
        if not judged:
            raise ProviderTimeout(
                f"The reranker judged nothing within {self._seconds:g} s.",
                hint="Raise `rerank_timeout`, use a smaller model, or set `rerank_on_failure` to `fused`.",
            )
        scored = [
            result.with_score(score, replace(result.score_breakdown, rerank_score=score))
            for result, score in zip(read, judged, strict=False)
        ]
        first = sorted(scored, key=lambda result: -result.score)
        return put_behind(first, list(results[len(judged) :]))[:top_k]

    def judge(self, query: str, results: Sequence[SearchResult]) -> list[float]:
        """The score of each result, in their order, as many as there is time for."""
        self._model.warm()
        until = time.monotonic() + self._seconds
        pairs = [(query, _text(result)) for result in results]
        made = self._model.run(pairs, lambda: time.monotonic() >= until)
        return [_score(one.outputs[0]) for one in made]


def _text(result: SearchResult) -> str:
    title = result.document_title
    return f"{title}\n{result.chunk.content}" if title else result.chunk.content


def _score(logits: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> float:
    """One number for a passage: of a single output its height, of two how much the second is above the first."""
    numbers = logits.ravel().astype(np.float64)
    if len(numbers) not in (1, 2) or not np.isfinite(numbers).all():
        raise BadProviderAnswer(
            f"The reranker gave {len(numbers)} numbers for a passage, or one that is none.",
            hint="It must be a cross-encoder with one output, such as those of `sourcebook models list`.",
        )
    height = numbers[0] if len(numbers) == 1 else numbers[1] - numbers[0]
    return float(1.0 / (1.0 + np.exp(-np.clip(height, -60, 60))))
