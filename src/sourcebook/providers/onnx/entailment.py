"""A judge of entailment: does a source say, contradict, or leave open what a sentence says?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import anyio.to_thread
import numpy as np

from sourcebook.errors import BadProviderAnswer
from sourcebook.ports.providers import Entailment
from sourcebook.providers.onnx.pair_model import PairFiles, PairModel

_ENTAILS, _CONTRADICTS = "entailment", "contradiction"


class OnnxJudge:
    """The contract of `ports.providers.EntailmentJudge`, for models of natural language inference."""

    def __init__(self, find: Callable[[], PairFiles]) -> None:
        self._model = PairModel(find)

    async def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """For each source and sentence how likely it is that the one says, or contradicts, the other."""
        labels = self._model.files.labels
        if not {_ENTAILS, _CONTRADICTS} <= labels.keys():
            raise BadProviderAnswer(
                "The judge's config.json does not say which of its outputs is entailment and which contradiction."
            )
        made = await anyio.to_thread.run_sync(self._model.run, pairs, abandon_on_cancel=True)
        shares = [_shares(one.outputs[0]) for one in made]
        return [Entailment(share[labels[_ENTAILS]], share[labels[_CONTRADICTS]]) for share in shares]


def _shares(logits: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> list[float]:
    numbers = logits.ravel().astype(np.float64)
    powers = np.exp(numbers - numbers.max())
    return [float(share) for share in powers / powers.sum()]
