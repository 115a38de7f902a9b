"""The same client without await. It owns one thread with an event loop, in which the async client lives."""

from __future__ import annotations

import functools
import inspect
from concurrent.futures import Future
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

import anyio
from anyio.from_thread import BlockingPortal

from sourcebook.client import AsyncSourcebook
from sourcebook.errors import NotOpen
from sourcebook.storage.jsonl.report import OnExisting

if TYPE_CHECKING:
    import os
    from collections.abc import Awaitable, Callable, Sequence
    from types import TracebackType

    from sourcebook.ingest.report import AddReport, Progress
    from sourcebook.model.documents import Collection, Document, Metadata, WriteReport
    from sourcebook.model.health import HealthReport
    from sourcebook.model.search import RetrievalConfig, SearchResult
    from sourcebook.ports.providers import Embedder
    from sourcebook.settings import Settings
    from sourcebook.storage.jsonl.report import BundleReport

P = ParamSpec("P")
T = TypeVar("T")


def _wait_for(portal: BlockingPortal, call: Callable[[], Awaitable[T]]) -> T:
    try:
        running = portal.start_task_soon(call)
    except RuntimeError as error:
        raise NotOpen from error
    try:
        return running.result()
    except BaseException:
        # Ctrl-C reaches the thread that waits: what it waited for must stop too.
        running.cancel()
        raise


class _Loop:
    """A thread with an event loop. A program that forgets to stop it ends all the same."""

    def __init__(self) -> None:
        started: Future[BlockingPortal] = Future()
        self._thread = Thread(target=anyio.run, args=(self._serve, started), name="sourcebook", daemon=True)
        self._thread.start()
        self.portal = started.result()

    async def _serve(self, started: Future[BlockingPortal]) -> None:
        async with BlockingPortal() as portal:
            started.set_result(portal)
            await portal.sleep_until_stopped()

    def stop(self) -> None:
        self.portal.call(self.portal.stop)
        self._thread.join()


class BlockingStore:
    """A store whose methods wait for their result: `book.stores.vectors.get(…)` instead of `await`."""

    def __init__(self, portal: BlockingPortal, store: object) -> None:
        self._portal = portal
        self._store = store

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._store, name)
        if not inspect.iscoroutinefunction(member):
            return member

        @functools.wraps(member)
        def wait(*arguments: Any, **named: Any) -> Any:
            return _wait_for(self._portal, functools.partial(member, *arguments, **named))

        return wait


class BlockingStores:
    """The stores of an open base, for code without await."""

    def __init__(self, portal: BlockingPortal, book: AsyncSourcebook) -> None:
        stores = book.stores
        self.vectors = BlockingStore(portal, stores.vectors)
        self.fts = BlockingStore(portal, stores.fts)
        self.tracker = BlockingStore(portal, stores.tracker)
        self.writer = BlockingStore(portal, stores.writer)
        self.library = BlockingStore(portal, stores.library)
        self.jobs = BlockingStore(portal, stores.jobs)


class Sourcebook:
    """A base: `with Sourcebook("data/knowledge_base.db") as book: …`. May be used from several threads at once.

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
        self._book = AsyncSourcebook(db, settings=settings, embedder=embedder)
        self._loop: _Loop | None = None
        self._lock = Lock()

    def open(self) -> Self:
        """Open the base, making it if it does not exist. Opening twice is fine."""
        with self._lock:
            if self._loop is None:
                loop = _Loop()
                try:
                    loop.portal.call(self._book.open)
                except BaseException:
                    loop.stop()
                    raise
                self._loop = loop
        return self

    def close(self) -> None:
        """Close the base. Closing twice is fine."""
        with self._lock:
            loop, self._loop = self._loop, None
            if loop is not None:
                try:
                    loop.portal.call(self._book.close)
                finally:
                    loop.stop()

    def __enter__(self) -> Self:
        return self.open()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def stores(self) -> BlockingStores:
        """The stores themselves, for those who build their own retrieval on them."""
        return BlockingStores(self._opened(), self._book)

    def add(
        self,
        *paths: str | os.PathLike[str],
        collection: str | None = None,
        category: str | None = None,
        subcategory: str | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> AddReport:
        """Add files and folders. Done again, only what changed is read."""
        return self._call(
            self._book.add,
            *paths,
            collection=collection,
            category=category,
            subcategory=subcategory,
            on_progress=on_progress,
        )

    def add_text(
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
        return self._call(
            self._book.add_text,
            text,
            id=id,
            title=title,
            metadata=metadata,
            collection=collection,
            category=category,
            subcategory=subcategory,
        )

    def search(
        self, query: str, config: RetrievalConfig | None = None, *, collection: str | None = None
    ) -> list[SearchResult]:
        """The passages that answer the question best."""
        return self._call(self._book.search, query, config, collection=collection)

    def documents(self, collection: str | None = None) -> list[Document]:
        """The documents of a collection, by path, without their text."""
        return self._call(self._book.documents, collection)

    def document(self, document_id: str, *, collection: str | None = None) -> Document | None:
        """One document with its text."""
        return self._call(self._book.document, document_id, collection=collection)

    def remove_document(self, document_id: str, *, collection: str | None = None) -> bool:
        """Remove a document with all that hangs on it. True if there was one."""
        return self._call(self._book.remove_document, document_id, collection=collection)

    def hide_document(self, document_id: str, *, collection: str | None = None) -> None:
        """Keep a document from being found, without forgetting it."""
        return self._call(self._book.hide_document, document_id, collection=collection)

    def unhide_document(self, document_id: str, *, collection: str | None = None) -> None:
        return self._call(self._book.unhide_document, document_id, collection=collection)

    def collections(self) -> list[Collection]:
        return self._call(self._book.collections)

    def create_collection(self, collection: Collection) -> Collection:
        """Make a collection; one that exists with the same size and metric stays as it is."""
        return self._call(self._book.create_collection, collection)

    def remove_collection(self, collection_id: str) -> None:
        """Remove a collection with everything in it."""
        return self._call(self._book.remove_collection, collection_id)

    def export(
        self,
        directory: str | os.PathLike[str],
        *,
        collections: Sequence[str] | None = None,
        on_existing: OnExisting = OnExisting.REFUSE,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BundleReport:
        """Write the named collections, or all, as a bundle. The folder appears when it is complete."""
        return self._call(
            self._book.export,
            directory,
            collections=collections,
            on_existing=on_existing,
            on_progress=on_progress,
        )

    def import_bundle(
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
        return self._call(
            self._book.import_bundle, source, collection=collection, model=model, on_progress=on_progress
        )

    def doctor(self) -> HealthReport:
        """Examine the base and say what is wrong with it."""
        return self._call(self._book.doctor)

    def _call(self, method: Callable[P, Awaitable[T]], *arguments: P.args, **named: P.kwargs) -> T:
        return _wait_for(self._opened(), functools.partial(method, *arguments, **named))

    def _opened(self) -> BlockingPortal:
        loop = self._loop
        if loop is None:
            raise NotOpen
        return loop.portal
