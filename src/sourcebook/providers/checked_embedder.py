"""An embedder that somebody else wrote, looked at before its vectors are used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from sourcebook.errors import BadProviderAnswer
from sourcebook.model.documents import EmbeddingModel
from sourcebook.ports.providers import Closing, LoadsAhead, ModelDiscovery
from sourcebook.providers.vector_checks import checked_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.ports.providers import Embedder, TextRole


class CheckedEmbedder:
    """An embedder whose vectors are checked: one of the right size per text, all finite, or `BadProviderAnswer`."""

    def __init__(self, embedder: Embedder) -> None:
        self.inner = embedder

    @property
    def model(self) -> EmbeddingModel:
        return _model(getattr(self.inner, "model", None))

    async def discover(self) -> EmbeddingModel:
        if isinstance(self.inner, ModelDiscovery):
            return _model(await self.inner.discover())
        return self.model

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        """One row for each text, in their order, of the length that they have."""
        model = await self.discover()
        rows = await self.inner.embed(texts, role)
        if not texts:
            return np.empty((0, model.dimensions), dtype=np.float32)
        if _is_correct(rows, (len(texts), model.dimensions)):
            return np.array(rows)
        return checked_rows(rows, len(texts), model.dimensions, f"The embedder {model.name!r}").astype(
            np.float32
        )

    async def load_ahead(self) -> None:
        if isinstance(self.inner, LoadsAhead):
            await self.inner.load_ahead()

    async def close(self) -> None:
        if isinstance(self.inner, Closing):
            await self.inner.close()


def _is_correct(rows: object, shape: tuple[int, int]) -> bool:
    """Whether these are such vectors already, as most are: nothing has to be made of them."""
    if not isinstance(rows, np.ndarray):
        return False
    given = cast("NDArray[np.float32]", rows)
    return given.dtype == np.float32 and given.shape == shape and bool(np.isfinite(given).all())


def _model(said: object) -> EmbeddingModel:
    if isinstance(said, EmbeddingModel):
        return said
    raise BadProviderAnswer(
        "The embedder does not say what its model is.",
        hint="Give it a property `model` that is an `EmbeddingModel` with a name and the size of its vectors.",
    )
