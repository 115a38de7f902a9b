"""What is known about the collections that are asked: how far their vectors are trusted, and a question's vector."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from sourcebook.model.model_facts import ModelFacts, facts_for
from sourcebook.ports.providers import TextRole

if TYPE_CHECKING:
    from sourcebook.model.documents import EmbeddingModel, Vector
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.storage import Library, VectorStore


class Grounds:
    """Looks up for one question, or a few, and remembers what it found meanwhile."""

    def __init__(
        self,
        vectors: VectorStore,
        library: Library,
        embedder_of: Callable[[EmbeddingModel], Awaitable[Embedder | None]],
    ) -> None:
        self._vectors = vectors
        self._library = library
        self._embedder_of = embedder_of
        self._facts: dict[str, ModelFacts] = {}
        self._languages: dict[str, Sequence[str]] = {}
        self._made: dict[tuple[EmbeddingModel, str], Vector] = {}

    async def facts(self, collection_id: str) -> ModelFacts:
        """What was measured for the collection's model, with the thresholds that it was calibrated to."""
        if collection_id not in self._facts:
            model = await self._model(collection_id)
            settings = await self._library.collection_settings(collection_id)
            self._facts[collection_id] = facts_for(model.name if model else "", settings)
        return self._facts[collection_id]

    async def languages(self, collection_id: str) -> Sequence[str]:
        """The languages that the collection holds: a short question is rarely long enough to tell its own."""
        if collection_id not in self._languages:
            self._languages[collection_id] = await self._library.languages(collection_id)
        return self._languages[collection_id]

    async def vector(self, collection_id: str, text: str) -> Vector | None:
        """The question as the collection's model sees it; None without an embedder. Made once for each model."""
        model = await self._model(collection_id)
        embedder = None if model is None else await self._embedder_of(model)
        if model is None or embedder is None:
            return None
        if (model, text) not in self._made:
            self._made[model, text] = (await embedder.embed([text], TextRole.QUESTION))[0]
        return self._made[model, text]

    async def _model(self, collection_id: str) -> EmbeddingModel | None:
        collection = await self._vectors.get_collection(collection_id)
        return None if collection is None else collection.model
