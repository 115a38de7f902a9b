"""What is known while one question is answered: the state of its collections when it began, and its vectors.

A context is never used for a second question, because the base may have changed.
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
    """Made once for each question, and passed to everything that works on it."""

    def __init__(self, embedder_for: EmbedderChoice, asked: Iterable[AskedCollection] = ()) -> None:
        self._embedder_for = embedder_for
        self._asked = {known.collection.id: known for known in asked}
        self._vectors: dict[tuple[EmbeddingModel, str], Vector] = {}
        self._locks: dict[tuple[EmbeddingModel, str], anyio.Lock] = {}
        self.documents: dict[tuple[str, str], Document] = {}
        """The documents read so far, by collection and id."""

    @classmethod
    async def read(
        cls, library: Library, embedder_for: EmbedderChoice, collections: Sequence[str]
    ) -> QuestionContext:
        """A context for these collections as they are now. Those that do not exist are left out."""
        found = [await library.asked_collection(name) for name in dict.fromkeys(collections)]
        return cls(embedder_for, [asked for asked in found if asked is not None])

    async def collection(self, collection_id: str, store: VectorStore) -> Collection:
        """The collection, read from the store if the context does not have it."""
        known = self._asked.get(collection_id)
        found = known.collection if known else await store.get_collection(collection_id)
        if found is None:
            raise CollectionNotFound.named(collection_id)
        return found

    def languages(self, collection_id: str) -> Sequence[str] | None:
        """The languages of the collection's documents; None if the context does not have it."""
        known = self._asked.get(collection_id)
        return None if known is None else known.languages

    def all_languages(self) -> list[str]:
        """The languages of all collections, '' for an unknown one."""
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
        """What was measured for the collection's model, with its calibrated thresholds."""
        known = self._asked.get(collection_id)
        model = known.collection.model if known else None
        return facts_for(model.name if model else "", known.settings if known else {})

    async def vector(self, collection: Collection, text: str) -> Vector:
        """The vector of a text from the collection's model, made only once."""
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
        """`vector` for a collection id; None without an embedder or without the collection."""
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
