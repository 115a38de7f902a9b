"""A base with its settings and models: what the client and its doors share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

from sourcebook.assembly import (
    Embedders,
    Rerankers,
    make_chat_model,
    make_passwords,
    make_pictures,
    make_retriever,
    make_stored_files,
    open_base,
)
from sourcebook.errors import NotOpen, UsedAfterFork
from sourcebook.model.add_reports import Progress
from sourcebook.ports.providers import Closing
from sourcebook.ports.storage import Preparing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sourcebook.assembly import OpenBase
    from sourcebook.consult.reception.reception import Reception
    from sourcebook.ingest.uploads.page_pictures import PagePictures
    from sourcebook.ingest.uploads.stored_files import StoredFiles
    from sourcebook.people.passwords import Passwords
    from sourcebook.ports.chat import ChatModel
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.stores import Stores
    from sourcebook.retrieve.search import DefaultRetriever
    from sourcebook.settings import Settings


_F = TypeVar("_F", bound="Callable[..., object]")


def works_closed(method: _F) -> _F:
    """Marks a method that needs no open base: the sync client then runs it in a temporary loop."""
    method.works_closed = True  # pyright: ignore[reportFunctionMemberAccess]
    return method


class DoorConnection:
    """A base that can be opened and closed any number of times. It belongs to the process that opened it."""

    def __init__(
        self, settings: Settings, embedder: Embedder | None, chat_model: ChatModel | None, face: str
    ) -> None:
        self.settings = settings
        self.face = face
        self.embedders = Embedders(settings, embedder)
        self.rerankers = Rerankers(settings)
        self._own_chat_model = make_chat_model(settings) if chat_model is None else None
        self.chat_model = chat_model if chat_model is not None else self._own_chat_model
        self.reception: Reception | None = None
        self._files: StoredFiles | None = None
        self._pictures: PagePictures | None = None
        self._passwords: Passwords | None = None
        self._retriever: DefaultRetriever | None = None
        self._base: OpenBase | None = None
        self._process = os.getpid()

    async def open(self) -> OpenBase:
        """Open the base, creating it if needed. Calling this twice does no harm."""
        if self._base is None:
            self._base = await open_base(self.settings)
            self._process = os.getpid()
        return self.base

    async def close(self) -> None:
        """Close the base. Calling this twice does no harm. A forked process leaves it to its parent."""
        base, self._base = self._base, None
        pictures, self._pictures = self._pictures, None
        self._files = None
        self._retriever = None
        self.reception = None
        if base is not None and self._process != os.getpid():
            return
        if pictures is not None:
            await pictures.close()
        if base is not None:
            await base.close()
        # Their connections open again when they are needed.
        await self.embedders.close()
        await self.rerankers.close()
        if isinstance(self._own_chat_model, Closing):
            await self._own_chat_model.close()

    @property
    def is_open(self) -> bool:
        """Whether it is open; in a fork of the process that opened it, an error."""
        if self._base is not None:
            self._require_own_process()
        return self._base is not None

    @property
    def base(self) -> OpenBase:
        """The open base, or the error that it is not open, or not in this process."""
        if self._base is None:
            raise NotOpen
        self._require_own_process()
        return self._base

    @property
    def stores(self) -> Stores:
        return self.base.stores

    def retriever(self) -> DefaultRetriever:
        """What searches the open base. Made once: it looks at what its stores can do."""
        stores = self.stores
        if self._retriever is None:
            self._retriever = make_retriever(stores, self.embedders, self.rerankers, self.settings)
        return self._retriever

    async def files(self) -> StoredFiles:
        """The uploads of the base."""
        if self._files is None:
            self._files = await make_stored_files(self.base.database, self.settings)
        return self._files

    async def pictures(self) -> PagePictures:
        files = await self.files()
        if self._pictures is None:
            self._pictures = make_pictures(self.stores, self.settings, files)
        return self._pictures

    @property
    def passwords(self) -> Passwords:
        """One for all who sign in, since it limits how much they take at once."""
        if self._passwords is None:
            self._passwords = make_passwords()
        return self._passwords

    def named(self, collection: str | None) -> str:
        """The collection, or the default one in the settings."""
        return self.settings.collection if collection is None else collection

    def searched(self, collection: str | Sequence[str] | None) -> str | Sequence[str]:
        return self.settings.collection if collection is None else collection

    async def prepare(self, collection_id: str, on_progress: Callable[[Progress], None] | None) -> None:
        """Build what makes searches fast after a large write."""
        vectors = self.stores.vectors
        if not isinstance(vectors, Preparing) or await vectors.get_collection(collection_id) is None:
            return

        def follow(share: float) -> None:
            if on_progress is not None:
                on_progress(Progress(0, 0, collection_id, share, stage="indexing"))

        await vectors.prepare(collection_id, follow)

    def _require_own_process(self) -> None:
        if self._process != os.getpid():
            raise UsedAfterFork
