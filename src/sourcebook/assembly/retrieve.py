"""What searches: the retriever, its rerankers, and what explains a missing document."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook.model.search import OnMissingEmbedder, OnRerankFailure, RerankProvider
from sourcebook.ports.providers import Closing

if TYPE_CHECKING:
    from sourcebook.assembly.embedders import Embedders
    from sourcebook.ports.providers import Reranker
    from sourcebook.ports.stores import Stores
    from sourcebook.retrieve.explain.why_missing import MissingDocuments
    from sourcebook.retrieve.search import DefaultRetriever
    from sourcebook.settings import Settings


class Rerankers:
    """The rerankers of one base, each made when it is first wanted."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._made: dict[RerankProvider, Reranker | None] = {}

    def choose(self, provider: RerankProvider) -> Reranker | None:
        if provider not in self._made:
            self._made[provider] = make_reranker(provider, self._settings)
        return self._made[provider]

    async def close(self) -> None:
        for reranker in self._made.values():
            if isinstance(reranker, Closing):
                await reranker.close()


def make_reranker(provider: RerankProvider, settings: Settings) -> Reranker | None:
    """The reranker of this kind; None for one of a server that the settings do not name."""
    if provider is RerankProvider.LOCAL:
        from sourcebook.retrieve.rerank.local_rerankers import LocalReranker

        return LocalReranker()
    if provider is RerankProvider.ONNX:
        return make_cross_encoder(settings.models_folder, settings.rerank_model, settings.rerank_timeout)
    if settings.rerank_base_url is None or settings.rerank_model is None:
        return None
    from sourcebook.providers.api_reranker import ApiReranker
    from sourcebook.providers.retries import Patience

    key = settings.rerank_api_key
    return ApiReranker(
        settings.rerank_base_url,
        settings.rerank_model,
        api_key=key.get_secret_value() if key else None,
        patience=Patience(settings.rerank_timeout),
    )


@cache
def make_cross_encoder(models_folder: str, name: str | None, seconds: float) -> Reranker | None:
    """A cross-encoder on this machine, loaded once for all that use it; None if none is named."""
    if name is None:
        return None
    from sourcebook.providers.catalogue.installed_models import ModelStore
    from sourcebook.providers.catalogue.known_models import ModelKind
    from sourcebook.providers.catalogue.model_loading import pair_files
    from sourcebook.providers.onnx.cross_encoder import CrossEncoder

    store = ModelStore(Path(models_folder).expanduser())
    return CrossEncoder(pair_files(store, name, ModelKind.RERANKER), seconds=seconds)


def make_retriever(
    stores: Stores, embedders: Embedders, rerankers: Rerankers, settings: Settings
) -> DefaultRetriever:
    """A retriever that prefers an answer by words to none."""
    from sourcebook.retrieve.search import DefaultRetriever

    return DefaultRetriever(
        vector_store=stores.vectors,
        fts_store=stores.fts,
        embedders=embedders.choose,
        rerankers=rerankers.choose,
        on_missing_embedder=OnMissingEmbedder.WORDS,
        on_rerank_failure=OnRerankFailure(settings.rerank_on_failure),
    )


def make_absences(stores: Stores, retriever: DefaultRetriever) -> MissingDocuments:
    from sourcebook.retrieve.explain.why_missing import MissingDocuments

    return MissingDocuments(stores.library, stores.vectors, retriever)
