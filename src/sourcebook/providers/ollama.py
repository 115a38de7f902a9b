"""Embeddings from Ollama, which runs models on a machine of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from sourcebook.errors import BadProviderAnswer, ProviderRefused
from sourcebook.providers.served_embedder import ServedEmbedder

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.ports.providers import TextRole

DEFAULT_URL = "http://127.0.0.1:11434"


class OllamaEmbedder(ServedEmbedder):
    """Vectors from Ollama's `/api/embed`."""

    kind = "ollama"
    requests_at_once = 2

    async def _encode(self, role: TextRole, texts: list[str]) -> NDArray[np.float32]:
        try:
            return await super()._encode(role, texts)
        except ProviderRefused as error:
            raise ProviderRefused(
                error.message, hint=f"If the model is not installed yet, run `ollama pull {self._name}`."
            ) from None

    def _request(self, texts: list[str]) -> tuple[str, Mapping[str, object]]:
        return "/api/embed", {"model": self._name, "input": texts, "truncate": True}

    def _vectors(self, answer: object, who: str) -> object:
        if not isinstance(answer, dict) or "embeddings" not in answer:
            raise BadProviderAnswer(f"{who} gave an answer without `embeddings`.")
        return cast("dict[str, object]", answer)["embeddings"]
