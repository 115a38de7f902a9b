"""Sentence models in the ONNX format, run on the cores of this machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, cast

import anyio.to_thread
import numpy as np

from sourcebook.errors import BadProviderAnswer
from sourcebook.ports.providers import TextRole
from sourcebook.providers.embedding_batches import by_length, cores, embed_in_batches
from sourcebook.providers.onnx.session import is_on_graphics_card, open_session
from sourcebook.providers.running_calls import RUNNING_CALLS
from sourcebook.providers.served_model_prefixes import Prefixes
from sourcebook.providers.vector_checks import checked_vectors, readable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from sourcebook.model.documents import EmbeddingModel

_TEXTS_AT_A_TIME = 16
_READY_MADE = "sentence_embedding"


class Pooling(StrEnum):
    """How the vectors of a text's tokens become one."""

    MEAN = "mean"
    CLS = "cls"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class OnnxModel:
    """Everything that is needed to run a model, except that nothing of it is loaded yet."""

    model: EmbeddingModel
    weights: Path
    make_tokenizer: Callable[[], Any]
    max_tokens: int
    pooling: Pooling = Pooling.MEAN
    prefixes: Prefixes = field(default_factory=Prefixes)


class OnnxEmbedder:
    """Unit vectors from an ONNX model, loaded when first used.

    Texts go through the model one by one, on as many threads as there are cores. Batches were measured to be no
    faster here, for the shorter texts of a batch are padded; and alone, a text has the same vector whatever texts
    come with it, which models that quantise what they compute do not promise otherwise.
    """

    def __init__(self, find: Callable[[], OnnxModel]) -> None:
        self._find = find
        self._lock = Lock()
        self._found: OnnxModel | None = None
        self._loaded: _Loaded | None = None

    @property
    def model(self) -> EmbeddingModel:
        return self._about.model

    @property
    def _about(self) -> OnnxModel:
        """Looked for when it is needed: who searches by words alone does not miss a model that is not there."""
        if self._found is None:
            self._found = self._find()
        return self._found

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        """One unit vector for each text, in their order."""
        return await embed_in_batches(
            texts,
            by_length(texts, _TEXTS_AT_A_TIME),
            partial(self._encode_aside, role),
            dimensions=self.model.dimensions,
            at_once=cores(),
            in_turn=role is not TextRole.QUESTION,
        )

    async def _encode_aside(self, role: TextRole, texts: list[str]) -> NDArray[np.float32]:
        ready = [self._about.prefixes.on(readable(text), role) for text in texts]
        # A caller that gives up need not wait for the batch that is being computed: its result is dropped.
        return await anyio.to_thread.run_sync(self._encode, ready, abandon_on_cancel=True)

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        with RUNNING_CALLS.one():
            with self._lock:
                if self._loaded is None:
                    self._loaded = _Loaded.of(self._about)
            rows = self._loaded.vectors(texts)
        return checked_vectors(
            rows, len(texts), self.model.dimensions, f"The model in {self._about.weights.name}"
        )


class _Loaded:
    """A model in memory. Several threads may use it at once."""

    def __init__(
        self, session: Any, tokenizer: Any, pooling: Pooling, *, at_once: bool | None = None
    ) -> None:
        self._at_once = is_on_graphics_card(session) if at_once is None else at_once
        self._session = session
        self._tokenizer = tokenizer
        self._pooling = pooling
        self._inputs = {given.name for given in session.get_inputs()}
        names = [made.name for made in session.get_outputs()]
        self._output = _READY_MADE if _READY_MADE in names else names[0]

    @classmethod
    def of(cls, about: OnnxModel) -> _Loaded:
        tokenizer = about.make_tokenizer()
        tokenizer.no_padding()
        tokenizer.enable_truncation(about.max_tokens)
        return cls(open_session(about.weights), tokenizer, about.pooling)

    def vectors(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """One by one, except on a graphics card, which is made for many at once."""
        batches = [texts] if self._at_once else [[text] for text in texts]
        return [vector for batch in batches for vector in self._batch(batch)]

    def _batch(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        read = [self._tokenizer.encode(text) for text in texts]
        longest = max(len(one.ids) for one in read)
        known = {
            "input_ids": [_filled(one.ids, longest) for one in read],
            "attention_mask": [_filled(one.attention_mask, longest) for one in read],
            "token_type_ids": [_filled(one.type_ids, longest) for one in read],
        }
        unknown = self._inputs - known.keys()
        if unknown:
            raise BadProviderAnswer(
                f"The model needs the input {min(unknown)!r}, which a text cannot provide.",
                hint="Export it as a sentence model, with tokens as its only input.",
            )
        feed = {name: np.array(known[name], dtype=np.int64) for name in self._inputs}
        made = cast("NDArray[np.float32]", self._session.run([self._output], feed)[0])
        return [
            _pooled(row if row.ndim == 1 else row[: len(one.ids)], self._pooling)
            for row, one in zip(made, read, strict=True)
        ]


def _filled(numbers: Sequence[int], length: int) -> list[int]:
    return [*numbers, *[0] * (length - len(numbers))]


def _pooled(made: NDArray[np.float32], pooling: Pooling) -> NDArray[np.float32]:
    """One vector of what the model made for one text: a vector already, or one for each token."""
    if made.ndim == 1:
        return made
    match pooling:
        case Pooling.MEAN:
            return made.mean(axis=0)
        case Pooling.CLS:
            return made[0]
        case Pooling.LAST:
            return made[-1]


def dimensions_of_weights(weights: Path) -> int | None:
    """The size of the vectors as the model itself declares it. The model is loaded for that."""
    outputs = open_session(weights).get_outputs()
    made = next((output for output in outputs if output.name == _READY_MADE), outputs[0])
    size = made.shape[-1] if made.shape else None
    return size if isinstance(size, int) and size > 0 else None
