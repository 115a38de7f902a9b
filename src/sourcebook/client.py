"""The async client: a thin row of doors to the verbs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from sourcebook.assembly import (
    OpenBase,
    make_bundles,
    make_embedder,
    make_ingest,
    make_retriever,
    open_base,
)
from sourcebook.errors import NotOpen
from sourcebook.settings import Settings, load
from sourcebook.storage.jsonl.report import OnExisting

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from sourcebook.ingest.report import AddReport, Progress
    from sourcebook.model.documents import Collection, Document, Metadata, WriteReport
    from sourcebook.model.health import HealthReport
    from sourcebook.model.search import RetrievalConfig, SearchResult
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.stores import Stores
    from sourcebook.storage.jsonl.report import BundleReport


class AsyncSourcebook:
    """A base, for async code: `async with AsyncSourcebook("data/knowledge_base.db") as book: …`.

    Without a path, and for everything else that is not given, the settings decide. An embedder of one's own takes the
    place of the one that the settings name.
    """

    def __init__(
        self,
        db: str | os.PathLike[str] | None = None,
        *,
        settings: Settings | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        chosen = settings if settings is not None else load().settings
        self._settings = chosen if db is None else chosen.at(str(db))
        self._embedder = embedder if embedder is not None else make_embedder(self._settings)
        self._base: OpenBase | None = None

    async def open(self) -> Self:
        """Open the base, making it if it does not exist. Opening twice is fine."""
        if self._base is None:
            self._base = await open_base(self._settings)
        return self

    async def close(self) -> None:
        """Close the base. Closing twice is fine."""
        base, self._base = self._base, None
        if base is not None:
            await base.close()

    async def __aenter__(self) -> Self:
        return await self.open()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def stores(self) -> Stores:
        """The stores themselves, for those who build their own retrieval on them."""
        return self._opened().stores

    async def add(
        self,
        *paths: str | os.PathLike[str],
        collection: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> AddReport:
        """Add files and folders. Done again, only what changed is read."""
        return await make_ingest(self.stores, self._embedder).add(
            paths,
            self._named(collection),
            category=category,
            subcategory=subcategory,
            on_progress=on_progress,
        )

    async def add_text(
        self,
        text: str,
        *,
        id: str | None = None,
        title: str | None = None,
        metadata: Metadata | None = None,
        collection: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
    ) -> WriteReport:
        """Add a text that is not a file. The same id replaces what was added under it before."""
        return await make_ingest(self.stores, self._embedder).add_text(
            text,
            id=id,
            title=title,
            metadata=metadata,
            collection_id=self._named(collection),
            category=category,
            subcategory=subcategory,
        )

    async def search(
        self, query: str, config: RetrievalConfig | None = None, *, collection: str | None = None
    ) -> list[SearchResult]:
        """The passages that answer the question best."""
        retriever = make_retriever(self.stores, self._embedder)
        return await retriever.retrieve(self._named(collection), query, config)

    async def documents(self, collection: str | None = None) -> list[Document]:
        """The documents of a collection, by path, without their text."""
        return await self.stores.library.list_documents(self._named(collection))

    async def document(self, document_id: str, *, collection: str | None = None) -> Document | None:
        """One document with its text."""
        return await self.stores.library.get_document(self._named(collection), document_id)

    async def remove_document(self, document_id: str, *, collection: str | None = None) -> bool:
        """Remove a document with all that hangs on it. True if there was one."""
        return await self.stores.writer.remove_document(self._named(collection), document_id)

    async def hide_document(self, document_id: str, *, collection: str | None = None) -> None:
        """Keep a document from being found, without forgetting it."""
        await self.stores.writer.set_active(self._named(collection), document_id, active=False)

    async def unhide_document(self, document_id: str, *, collection: str | None = None) -> None:
        await self.stores.writer.set_active(self._named(collection), document_id, active=True)

    async def collections(self) -> list[Collection]:
        return await self.stores.vectors.list_collections()

    async def create_collection(self, collection: Collection) -> Collection:
        """Make a collection; one that exists with the same size and metric stays as it is."""
        return await self.stores.vectors.create_collection(collection)

    async def remove_collection(self, collection_id: str) -> None:
        """Remove a collection with everything in it."""
        await self.stores.vectors.delete_collection(collection_id)

    async def export(
        self,
        directory: str | os.PathLike[str],
        *,
        collections: Sequence[str] | None = None,
        on_existing: OnExisting = OnExisting.REFUSE,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BundleReport:
        """Write the named collections, or all, as a bundle. The folder appears when it is complete."""
        return await make_bundles(self._opened()).write(
            directory, collections=collections, on_existing=on_existing, on_progress=on_progress
        )

    async def import_bundle(
        self,
        source: str | os.PathLike[str],
        *,
        collection: str | None = None,
        model: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BundleReport:
        """Read a bundle, or an index of lines, with the vectors that it brings. Done again, nothing changes.

        `collection` takes the place of the one that the bundle or the rows name. `model` is whose vectors an index
        holds; a bundle says so itself.
        """
        return await make_bundles(self._opened()).read(
            source,
            collection=collection,
            model=model,
            default_collection=self._settings.collection,
            on_progress=on_progress,
        )

    async def doctor(self) -> HealthReport:
        """Examine the base and say what is wrong with it."""
        return await self._opened().examine()

    def _named(self, collection: str | None) -> str:
        return self._settings.collection if collection is None else collection

    def _opened(self) -> OpenBase:
        if self._base is None:
            raise NotOpen
        return self._base
