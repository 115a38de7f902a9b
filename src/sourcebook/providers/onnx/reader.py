"""An extractive reader: marks the words of a passage that answer a question, or says that none do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import anyio.to_thread
import numpy as np

from sourcebook.errors import BadProviderAnswer
from sourcebook.ports.providers import ReadAnswer
from sourcebook.providers.onnx.pair_model import PairFiles, PairModel, PairOutput

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LONGEST_ANSWER = 60
"""In tokens."""


class OnnxReader:
    """The contract of `ports.providers.Reader`, for models that were trained on questions with and without answers."""

    def __init__(self, find: Callable[[], PairFiles]) -> None:
        self._model = PairModel(find)

    async def read(self, question: str, passages: Sequence[str]) -> list[ReadAnswer]:
        """The best span of each passage, and how much surer it is than that there is none."""
        made = await anyio.to_thread.run_sync(
            self._model.run, [(question, passage) for passage in passages], abandon_on_cancel=True
        )
        return [best_span(one) for one in made]


def best_span(made: PairOutput) -> ReadAnswer:
    """The span of the second text whose start and end are likeliest together, held against the first token."""
    if len(made.outputs) < 2:
        raise BadProviderAnswer("The reader has not two outputs, the starts and the ends of answers.")
    starts, ends = (np.asarray(one, dtype=np.float64)[: len(made.offsets)] for one in made.outputs[:2])
    own = np.array([sequence == 1 for sequence in made.sequence_ids])
    sums = _sums(starts, ends, own)
    if not np.isfinite(sums).any():
        return ReadAnswer(0, 0, -np.inf)
    first, last = np.unravel_index(int(np.argmax(sums)), sums.shape)
    nothing = starts[0] + ends[0]
    return ReadAnswer(
        made.offsets[int(first)][0], made.offsets[int(last)][1], float(sums[first, last] - nothing)
    )


def _sums(
    starts: NDArray[np.float64], ends: NDArray[np.float64], own: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """For every start and end what they make together; minus infinity for what is no span of the passage."""
    places = np.arange(len(starts))
    length = places[None, :] - places[:, None]
    allowed = own[:, None] & own[None, :] & (length >= 0) & (length < _LONGEST_ANSWER)
    return np.where(allowed, starts[:, None] + ends[None, :], -np.inf)
