"""An embedder that does not embed twice what it embedded before."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from sourcebook.ports.providers import Closing, LoadsAhead, ModelDiscovery, TextRole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.documents import EmbeddingModel
    from sourcebook.ports.providers import Embedder, EmbeddingCache

QUESTIONS_KEPT = 1_000
_TEXTS_BETWEEN_SAVES = 256


class CachedEmbedder:
    """An embedder that remembers: recent questions in memory, texts of documents in a cache if there is one.

    With a cache, vectors have half precision, which is what a base stores: the same text has the same vector, whether
    it comes from the cache or was just computed.
    """

    def __init__(
        self, embedder: Embedder, cache: EmbeddingCache | None = None, *, questions_kept: int = QUESTIONS_KEPT
    ) -> None:
        self._embedder = embedder
        self._cache = cache
        self._questions_kept = questions_kept
        self._questions: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    @property
    def model(self) -> EmbeddingModel:
        return self._embedder.model

    async def discover(self) -> EmbeddingModel:
        """The model, after its server was asked if need be."""
        if isinstance(self._embedder, ModelDiscovery):
            return await self._embedder.discover()
        return self._embedder.model

    async def load_ahead(self) -> None:
        if isinstance(self._embedder, LoadsAhead):
            await self._embedder.load_ahead()

    async def close(self) -> None:
        if isinstance(self._embedder, Closing):
            await self._embedder.close()

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        """One row for each text, in their order. A text that comes several times is embedded once."""
        different = list(dict.fromkeys(texts))
        if role is TextRole.QUESTION:
            known = await self._of_questions(different)
        elif self._cache is None:
            known = await self._made(different, role)
        else:
            known = await self._of_passages(different, self._cache)
        if not texts:
            return np.empty((0, self.model.dimensions), dtype=np.float32)
        return np.stack([known[text] for text in texts])

    async def _of_questions(self, questions: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        known = {
            question: vector for question in questions if (vector := self._recalled(question)) is not None
        }
        made = await self._made(
            [question for question in questions if question not in known], TextRole.QUESTION
        )
        for question, vector in made.items():
            self._questions[question] = vector
        while len(self._questions) > self._questions_kept:
            self._questions.popitem(last=False)
        return known | made

    def _recalled(self, question: str) -> NDArray[np.float32] | None:
        if question in self._questions:
            self._questions.move_to_end(question)
        return self._questions.get(question)

    async def _of_passages(
        self, texts: Sequence[str], cache: EmbeddingCache
    ) -> dict[str, NDArray[np.float32]]:
        model = await self.discover()
        keys = {text: _key(model, text) for text in texts}
        held = await cache.get(list(keys.values())) if keys else {}
        known = {
            text: held[key] for text, key in keys.items() if key in held and _is_vector(held[key], model)
        }
        for some in _slices([text for text in texts if text not in known], _TEXTS_BETWEEN_SAVES):
            # Saved as they come: if the server fails later, what it was paid for is not lost.
            made = {
                text: vector.astype(np.float16).astype(np.float32)
                for text, vector in (await self._made(some, TextRole.PASSAGE)).items()
            }
            await cache.put({keys[text]: vector for text, vector in made.items()})
            known |= made
        return known

    async def _made(self, texts: Sequence[str], role: TextRole) -> dict[str, NDArray[np.float32]]:
        if not texts:
            return {}
        vectors = await self._embedder.embed(texts, role)
        return dict(zip(texts, vectors, strict=True))


def _is_vector(held: NDArray[np.float32], model: EmbeddingModel) -> bool:
    """What a file gives back may be damaged."""
    return held.shape == (model.dimensions,) and bool(np.isfinite(held).all())


def _key(model: EmbeddingModel, text: str) -> bytes:
    digest = blake2b(repr(astuple(model)).encode(), digest_size=16)
    digest.update(text.encode(errors="surrogatepass"))
    return digest.digest()


def _slices(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (texts[start : start + size] for start in range(0, len(texts), size))
