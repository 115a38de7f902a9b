"""What the expert decides with: the queue of drafts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.errors import NoEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sourcebook.assembly.embedders import Embedders
    from sourcebook.assembly.open_base import OpenBase
    from sourcebook.curate.moderation import Moderation
    from sourcebook.model.search import RetrievalConfig, SearchResult
    from sourcebook.ports.chat import ChatModel
    from sourcebook.retrieve.search import Retrieval
    from sourcebook.settings import Settings


def make_moderation(
    base: OpenBase,
    retriever: Retrieval,
    embedders: Embedders,
    chat_model: ChatModel | None,
    settings: Settings,
) -> Moderation:
    from sourcebook.consult.citations.source_binding import SourceBinder
    from sourcebook.curate.draft_rules import DraftAnswers, DraftPolicy
    from sourcebook.curate.moderation import Helpers, Moderation
    from sourcebook.ports.chat import PromptMessage
    from sourcebook.ports.moderation import Embedded
    from sourcebook.ports.providers import TextRole

    async def search(
        collections: Sequence[str], query: str, config: RetrievalConfig
    ) -> Sequence[SearchResult]:
        return (await retriever.report(collections, query, config)).results

    async def embed(collection_id: str, text: str) -> Embedded:
        collection = await base.stores.vectors.get_collection(collection_id)
        model = None if collection is None else collection.model
        embedder = None if model is None else await embedders.choose(model)
        if model is None or embedder is None:
            raise NoEmbedder(f"The model of the collection {collection_id!r} is not available here")
        return Embedded((await embedder.embed([text], TextRole.QUESTION))[0], model)

    async def choose(text: str) -> str:
        assert chat_model is not None  # noqa: S101 - else nobody calls this
        return "".join([piece async for piece in chat_model.stream([PromptMessage("user", text)])])

    return Moderation(
        base.stores,
        Helpers(SourceBinder(base.stores.library, search), embed, choose if chat_model else None),
        base.clock,
        collection_id=settings.collection,
        policy=DraftPolicy(DraftAnswers(settings.draft_answers), settings.draft_share),
    )
