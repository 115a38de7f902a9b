"""Embeddings from OpenAI, or from any server that speaks its `/v1/embeddings`: vLLM, LM Studio, llama.cpp, …"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sourcebook.errors import BadProviderAnswer
from sourcebook.providers.served_embedder import ServedEmbedder
from sourcebook.providers.served_model_prefixes import can_be_cut

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT_URL = "https://api.openai.com/v1"


class OpenAIEmbedder(ServedEmbedder):
    """Vectors from an OpenAI-compatible server."""

    kind = "openai"
    requests_at_once = 4

    def _request(self, texts: list[str]) -> tuple[str, Mapping[str, object]]:
        body: dict[str, object] = {"model": self._name, "input": texts, "encoding_format": "float"}
        if self._asked_for is not None and can_be_cut(self._name):
            body["dimensions"] = self._asked_for
        return "/embeddings", body

    def _vectors(self, answer: object, who: str) -> object:
        found = cast("dict[str, object]", answer).get("data") if isinstance(answer, dict) else None
        if not isinstance(found, list):
            raise BadProviderAnswer(f"{who} gave an answer without `data`.")
        entries = cast("list[Any]", found)
        try:
            places = [entry.get("index", position) for position, entry in enumerate(entries)]
            vectors = [entry["embedding"] for entry in entries]
        except (AttributeError, KeyError, TypeError):
            raise BadProviderAnswer(f"{who} gave an answer without `embedding`.") from None
        if places == list(range(len(entries))):
            return vectors
        if sorted(places, key=str) != sorted(range(len(entries)), key=str):
            raise BadProviderAnswer(f"{who} gave vectors that do not say which text they belong to.")
        return [vector for _, vector in sorted(zip(places, vectors, strict=True), key=lambda pair: pair[0])]
