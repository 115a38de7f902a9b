"""What one question knows: the collections that it is asked of, as they were when it began, and its vectors.

A context lives as long as its question. Nothing that must follow the base outlives it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import anyio

from sourcebook.errors import CollectionNotFound, NoEmbedder
from sourcebook.model.answer_thresholds import ModelFacts, facts_for
from sourcebook.model.documents import EmbeddingModel
from sourcebook.ports.providers import TextRole
from sourcebook.retrieve.question_for_embedding import question_for_embedding

if TYPE_CHECKING:
    from sourcebook.model.asked_collection import AskedCollection
    from sourcebook.model.documents import Collection, Document, Vector
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.storage import Library, VectorStore

EmbedderChoice: TypeAlias = "Callable[[EmbeddingModel], Awaitable[Embedder | None]]"
"""The embedder for a collection's model, or None if there is none here."""


class QuestionContext:
    """Made once for each question, and handed to all that work on it."""

    def __init__(self, embedder_for: EmbedderChoice, asked: Iterable[AskedCollection] = ()) -> None:
        self._embedder_for = embedder_for
        self._asked = {known.collection.id: known for known in asked}
        self._vectors: dict[tuple[EmbeddingModel, str], Vector] = {}
        self._locks: dict[tuple[EmbeddingModel, str], anyio.Lock] = {}
        self.documents: dict[tuple[str, str], Document] = {}
        """The documents that were read for this question, by collection and id."""

    @classmethod
    async def read(
        cls, library: Library, embedder_for: EmbedderChoice, collections: Sequence[str]
    ) -> QuestionContext:
        """What is known of these collections now. Those that do not exist are left out."""
        found = [await library.asked_collection(name) for name in dict.fromkeys(collections)]
        return cls(embedder_for, [asked for asked in found if asked is not None])

    async def collection(self, collection_id: str, store: VectorStore) -> Collection:
        """The collection, looked up in the store if the question did not begin with it."""
        known = self._asked.get(collection_id)
        found = known.collection if known else await store.get_collection(collection_id)
        if found is None:
            raise CollectionNotFound.named(collection_id)
        return found

    def languages(self, collection_id: str) -> Sequence[str] | None:
        """The languages that the collection holds; None if nobody has looked."""
        known = self._asked.get(collection_id)
        return None if known is None else known.languages

    def all_languages(self) -> list[str]:
        """Every language that is asked, in order, '' for an unknown one."""
        return list(dict.fromkeys(name for known in self._asked.values() for name in known.languages))

    def has_curated(self, collection_id: str) -> bool:
        """Whether the collection may hold approved answers."""
        known = self._asked.get(collection_id)
        return known is not None and known.has_curated

    def has_rejected(self, collection_id: str) -> bool:
        """Whether an expert may have rejected an answer from the collection's documents."""
        known = self._asked.get(collection_id)
        return known is not None and known.has_rejected

    def facts(self, collection_id: str) -> ModelFacts:
        """What was measured for the collection's model, with the thresholds that it was calibrated to."""
        known = self._asked.get(collection_id)
        model = known.collection.model if known else None
        return facts_for(model.name if model else "", known.settings if known else {})

    async def vector(self, collection: Collection, text: str) -> Vector:
        """The text as the collection's model sees it, made once however many ask for it."""
        model = collection.model or EmbeddingModel.of_caller(collection.embedding_dimensions)
        text = question_for_embedding(text)
        key = (model, text)
        async with self._locks.setdefault(key, anyio.Lock(fast_acquire=True)):
            if key not in self._vectors:
                embedder = await self._embedder_for(model)
                if embedder is None:
                    raise NoEmbedder(_without_embedder(collection.id, model))
                self._vectors[key] = (await embedder.embed([text], TextRole.QUESTION))[0]
            return self._vectors[key]

    async def vector_for(self, collection_id: str, text: str) -> Vector | None:
        """The text as the model of this collection sees it; None without an embedder, or without the collection."""
        known = self._asked.get(collection_id)
        if known is None or known.collection.model is None:
            return None
        if await self._embedder_for(known.collection.model) is None:
            return None
        return await self.vector(known.collection, text)


def _without_embedder(collection_id: str, model: EmbeddingModel) -> str:
    if model.is_callers:
        return f"The vectors of {collection_id!r} were brought by a caller, whose embedder is not here."
    return f"The vectors of {collection_id!r} come from {model.name}, and there is no embedder for it here."
