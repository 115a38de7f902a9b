"""`book.models`: the embedder and the reranker by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.errors import NoEmbedder, ProviderMissing, UsageError
from sourcebook.model.documents import Chunk
from sourcebook.model.search import RerankProvider, SearchResult
from sourcebook.ports.arguments import checks_arguments
from sourcebook.ports.providers import TextRole, known_model

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sourcebook.doors.connection import DoorConnection
    from sourcebook.model.documents import EmbeddingModel


@checks_arguments
class ModelsDoor:
    """The models that searching uses, by themselves: vectors of texts, and texts in the order of a question."""

    def __init__(self, connection: DoorConnection) -> None:
        self._connection = connection

    async def embedding_model(self) -> EmbeddingModel:
        """The model that `embed` uses."""
        embedder = self._connection.embedders.main
        if embedder is None:
            raise NoEmbedder("no embedder is set up")
        return await known_model(embedder)

    async def embed(self, texts: Sequence[str], *, role: TextRole = TextRole.PASSAGE) -> list[list[float]]:
        """A vector for each text. Some models embed a question differently from the text that answers it."""
        embedder = self._connection.embedders.main
        if embedder is None:
            raise NoEmbedder("no embedder is set up")
        return (await embedder.embed(list(texts), role)).tolist() if texts else []

    async def rerank(
        self, query: str, texts: Sequence[str], *, top_k: int | None = None
    ) -> list[tuple[int, float]]:
        """The place of each text in the list that was given, with its score, best first."""
        if not query.strip():
            raise UsageError("The question is empty.", hint="Ask something.")
        provider = RerankProvider(self._connection.settings.rerank_provider)
        reranker = self._connection.rerankers.choose(provider)
        if reranker is None:
            raise ProviderMissing(
                "no reranker is set up",
                hint="Set `rerank_base_url` and `rerank_model`, or `rerank_provider=local`.",
            )
        results = [
            SearchResult(Chunk(str(place), "", text, place, 0, len(text)), 0.0)
            for place, text in enumerate(texts)
        ]
        ranked = await reranker.rerank(query, results, len(results) if top_k is None else top_k)
        return [(int(result.chunk.id), result.score) for result in ranked]
