"""Where the vectors of an import come from: those that the old base holds, or an embedder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import anyio.to_thread
import numpy as np

from sourcebook.errors import BadVector, EmbeddingSizeMismatch, UsageError
from sourcebook.ports.providers import TextRole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.documents import EmbeddingModel, Vector
    from sourcebook.ports.providers import Embedder


class VectorSource(Protocol):
    """Vectors for texts that have some already, of another model or of this one."""

    @property
    def model(self) -> EmbeddingModel: ...

    async def vectors(
        self, texts: Sequence[str], embeddings: Sequence[str], role: TextRole = TextRole.PASSAGE
    ) -> Sequence[Vector]: ...


@dataclass(frozen=True, slots=True)
class KeptVectors:
    """The vectors stay as they are, under the name of the model that made them."""

    model: EmbeddingModel

    async def vectors(
        self, texts: Sequence[str], embeddings: Sequence[str], role: TextRole = TextRole.PASSAGE
    ) -> Sequence[Vector]:
        return await anyio.to_thread.run_sync(_read, embeddings)


@dataclass(frozen=True, slots=True)
class EmbeddedVectors:
    """The texts are embedded again."""

    embedder: Embedder
    model: EmbeddingModel

    async def vectors(
        self, texts: Sequence[str], embeddings: Sequence[str], role: TextRole = TextRole.PASSAGE
    ) -> Sequence[Vector]:
        return list(await self.embedder.embed(texts, role)) if texts else []


def one_size(sizes: dict[int, int]) -> int | None:
    """The size that all vectors have; None if there are none. Vectors are neither padded nor cut."""
    if not sizes:
        return None
    if 0 in sizes:
        raise BadVector(
            f"{sizes[0]} vectors are not lists of numbers",
            hint="Leave out `--model` to embed every text again.",
        )
    if len(sizes) > 1:
        listed = ", ".join(f"{count} of {size}" for size, count in sorted(sizes.items()))
        raise EmbeddingSizeMismatch(
            f"The vectors are not all of one size: {listed} numbers",
            hint="Leave out `--model` to embed every text again.",
        )
    return next(iter(sizes))


def require_size(model: EmbeddingModel, size: int) -> None:
    if model.dimensions != size:
        raise UsageError(
            f"The vectors have {size} numbers, but those of {model.name} have {model.dimensions}",
            hint="Name the model that made them, or leave out `--model` to embed every text again.",
        )


def _read(embeddings: Sequence[str]) -> list[NDArray[np.float64]]:
    return [np.asarray(json.loads(text), np.float64) for text in embeddings]
