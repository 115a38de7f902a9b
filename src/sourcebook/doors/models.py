"""`book.models`: the models of this machine, and which of them serves a base best."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import anyio.to_thread

from sourcebook.assembly import compare_models, make_model_store, model_listings
from sourcebook.doors.connection import works_closed
from sourcebook.errors import NoEmbedder, ProviderMissing, UsageError
from sourcebook.model.documents import Chunk
from sourcebook.model.search import RerankProvider, SearchResult
from sourcebook.ports.arguments import checks_arguments
from sourcebook.ports.providers import TextRole, known_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sourcebook.doors.connection import DoorConnection
    from sourcebook.model.documents import EmbeddingModel
    from sourcebook.model.model_listing import ComparedModel, ModelListing
    from sourcebook.retrieve.evaluation.evaluate import JudgedQuestion


@checks_arguments
class ModelsDoor:
    """The models of this machine: list, download, add, remove and compare them, and use them by themselves."""

    def __init__(self, connection: DoorConnection) -> None:
        self._connection = connection

    async def embedding_model(self) -> EmbeddingModel:
        """The model that `embed` uses."""
        embedder = self._connection.embedders.main
        if embedder is None:
            raise NoEmbedder("No embedder is set up")
        return await known_model(embedder)

    async def embed(self, texts: Sequence[str], *, role: TextRole = TextRole.PASSAGE) -> list[list[float]]:
        """A vector for each text. Some models embed a question differently from the text that answers it."""
        embedder = self._connection.embedders.main
        if embedder is None:
            raise NoEmbedder("No embedder is set up")
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
                "No reranker is set up",
                hint="Set `rerank_base_url` and `rerank_model`, or `rerank_provider=local`.",
            )
        results = [
            SearchResult(Chunk(str(place), "", text, place, 0, len(text)), 0.0)
            for place, text in enumerate(texts)
        ]
        ranked = await reranker.rerank(query, results, len(results) if top_k is None else top_k)
        return [(int(result.chunk.id), result.score) for result in ranked]

    @works_closed
    async def list(self) -> list[ModelListing]:
        """The models that Sourcebook knows how to run, and those that were added, with what is installed."""
        return await anyio.to_thread.run_sync(model_listings, self._connection.settings)

    @works_closed
    async def get(self, name: str, *, on_progress: Callable[[int, int], None] | None = None) -> ModelListing:
        """Download a known model from the hub, or from the mirror that HF_ENDPOINT names. An early end is resumed.

        Every file is checked against the hub's own hash. `on_progress` is told the bytes that are here, and of how
        many, from another thread.
        """
        is_over = Event()

        def follow(done: int, total: int) -> None:
            if is_over.is_set():
                raise _NobodyWaits
            if on_progress is not None:
                on_progress(done, total)

        store = make_model_store(self._connection.settings)
        try:
            await anyio.to_thread.run_sync(
                partial(store.download_named, name, follow), abandon_on_cancel=True
            )
        finally:
            is_over.set()
        return await self._listed(name)

    @works_closed
    async def add(
        self, source: str | os.PathLike[str], *, name: str | None = None, kind: str | None = None
    ) -> ModelListing:
        """Add a model from a folder or a GGUF file, for machines without a network. The files are copied."""
        store = make_model_store(self._connection.settings)
        added = await anyio.to_thread.run_sync(store.add_kind, Path(source), name, kind)
        return await self._listed(added.name)

    @works_closed
    async def remove(self, name: str) -> None:
        """Remove a model from this machine."""
        await anyio.to_thread.run_sync(make_model_store(self._connection.settings).remove, name)

    async def compare(
        self,
        models: Sequence[str],
        questions: Sequence[JudgedQuestion],
        *,
        collection: str | None = None,
        documents: int = 500,
        k: int = 10,
        on_progress: Callable[[str, int, int], None] | None = None,
    ) -> list[ComparedModel]:
        """Search a sample of the base with each model, and measure what it finds. The base is not changed.

        Models are named as in the settings. The sample holds every document that answers a question, and others up to
        `documents`. `on_progress` is told what is done, how much of it, and of how much.
        """
        return await compare_models(
            self._connection.base,
            self._connection.settings,
            models,
            questions,
            collection=self._connection.named(collection),
            documents=documents,
            k=k,
            on_progress=on_progress,
        )

    async def _listed(self, name: str) -> ModelListing:
        every = await self.list()
        return next(one for one in every if one.name.casefold() == name.casefold())


class _NobodyWaits(BaseException):
    """Ends the thread of a download that was cancelled. What has come stays."""
