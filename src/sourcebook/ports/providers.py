"""What computes: embedders now, rerankers and chat models as the verbs come to need them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.model.documents import EmbeddingModel


class TextRole(StrEnum):
    """Some models embed a question differently from the text that answers it."""

    QUESTION = "question"
    PASSAGE = "passage"


class Embedder(Protocol):
    """Turns texts into vectors of one size."""

    @property
    def model(self) -> EmbeddingModel: ...

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        """One row for each text, in their order, of finite numbers."""
        ...
