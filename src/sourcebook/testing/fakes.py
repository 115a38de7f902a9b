"""Stand-ins for what a test cannot have: a clock that stands still, an embedder without a model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sourcebook.model.documents import EmbeddingModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.ports.providers import TextRole


class FixedClock:
    """Shows the time that it is told. `wait` moves it."""

    def __init__(self, now: int = 1_800_000_000) -> None:
        self._now = now

    def now(self) -> int:
        return self._now

    def wait(self, seconds: int) -> None:
        self._now += seconds


class FakeEmbedder:
    """The same text always has the same vector; texts that share words have similar ones. Counts what it embeds."""

    def __init__(self, dimensions: int = 64, name: str = "fake") -> None:
        self._model = EmbeddingModel(name=name, dimensions=dimensions, version="1")
        self.embedded = 0

    @property
    def model(self) -> EmbeddingModel:
        return self._model

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        self.embedded += len(texts)
        return (
            np.stack([self._vector(text) for text in texts])
            if texts
            else np.empty((0, self._model.dimensions), "f4")
        )

    def _vector(self, text: str) -> NDArray[np.float32]:
        total = np.zeros(self._model.dimensions)
        for word in text.casefold().split() or [""]:
            seed = int.from_bytes(
                hashlib.blake2b(word.encode(errors="replace"), digest_size=8).digest(), "big"
            )
            total += np.random.default_rng(seed).standard_normal(self._model.dimensions)
        return (total / np.linalg.norm(total)).astype(np.float32)
