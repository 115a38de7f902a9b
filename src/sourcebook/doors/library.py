"""`book.library`: the documents and collections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.ingest.texts.shared_texts import SharedTexts
from sourcebook.ingest.uploads.stored_files import remove_document
from sourcebook.ports.arguments import checks_arguments
from sourcebook.retrieve.filters.filter_meaning import check
from sourcebook.retrieve.filters.unknown_fields import mistakes_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sourcebook.doors.connection import DoorConnection
    from sourcebook.model.documents import (
        Collection,
        Document,
        DocumentDetails,
        DocumentListing,
        DocumentStatus,
    )
    from sourcebook.model.search import MetadataFilter, SearchWarning


@checks_arguments
class LibraryDoor:
    """Documents and collections: list, read, hide and remove them."""

    def __init__(self, connection: DoorConnection) -> None:
        self._connection = connection

    async def documents(
        self, collection: str | None = None, *, status: DocumentStatus | None = None
    ) -> list[Document]:
        """A collection's documents in order of path, without their text. `status` keeps those of one status."""
        library = self._connection.stores.library
        listed = await library.list_documents(self._connection.named(collection))
        return [document for document in listed if status in (None, document.status)]

    async def paths(self, status: DocumentStatus, *, collection: str | None = None) -> dict[str, list[str]]:
        """By id, all paths of the documents of one status, written as in `file_path`: files of the same bytes have one
        document.
        """
        library = self._connection.stores.library
        return await library.shown_paths(self._connection.named(collection), status)

    async def part(self, listing: DocumentListing, *, collection: str | None = None) -> list[Document]:
        """A part of a collection's documents in order of path, without their text: as many as are asked for."""
        library = self._connection.stores.library
        return await library.list_part(self._connection.named(collection), listing)

    async def find(self, name: str, *, collection: str | None = None) -> DocumentDetails:
        """The document with this id or path, with its text and paths. The end of a path is enough if it is unique."""
        library = self._connection.stores.library
        return await library.find_document(self._connection.named(collection), name)

    async def get(self, document_id: str, *, collection: str | None = None) -> Document | None:
        """One document with its text. An id whose text another document holds already finds that one."""
        stores, name = self._connection.stores, self._connection.named(collection)
        found = await stores.library.get_document(name, document_id)
        if found is not None:
            return found
        holder = await SharedTexts(name, stores.library, stores.sources, stores.vectors).holder(document_id)
        return None if holder is None else await stores.library.get_document(name, holder)

    async def page_picture(
        self,
        document_id: str,
        page: int,
        *,
        span: tuple[int, int] | None = None,
        collection: str | None = None,
    ) -> bytes:
        """A page of a PDF, counted from 1, as a PNG of at most 1600 pixels a side.

        A span of the document's text, such as that of a citation, is marked on it as far as it stands on that page.

        It is drawn from the file that the text was read from: the upload kept beside the base, or the file where it
        was added. If that file is gone or has changed, this raises an error.
        """
        pictures = await self._connection.pictures()
        return await pictures.draw(self._connection.named(collection), document_id, page, span)

    async def remove(self, document_id: str, *, collection: str | None = None) -> bool:
        """Remove a document and everything that belongs to it. True if there was one.

        A text that was added under other ids too stays with these. If the file of a document is still in a folder that
        was added, adding the folder again brings it back.
        """
        files = await self._connection.files()
        return await remove_document(
            self._connection.stores, files, self._connection.named(collection), document_id
        )

    async def hide(self, document_id: str, *, collection: str | None = None) -> None:
        """Hide a document from searches without removing it."""
        writer = self._connection.stores.writer
        await writer.set_active(self._connection.named(collection), document_id, active=False)

    async def unhide(self, document_id: str, *, collection: str | None = None) -> None:
        """Make a hidden document searchable again."""
        writer = self._connection.stores.writer
        await writer.set_active(self._connection.named(collection), document_id, active=True)

    async def unknown_fields(
        self, filter: MetadataFilter, *, collection: str | Sequence[str] | None = None
    ) -> list[SearchWarning]:
        """A warning for each field of a filter that no document has, with the nearest name, or that has other values.

        It reads the metadata of every document, and is meant for a filter that finds nothing.
        """
        searched = self._connection.searched(collection)
        collections = [searched] if isinstance(searched, str) else searched
        return await mistakes_in(check(filter), self._connection.stores.library, collections)

    async def collections(self) -> list[Collection]:
        """The collections of the base."""
        return await self._connection.stores.vectors.list_collections()

    async def create_collection(self, collection: Collection) -> Collection:
        """Create a collection. An existing one with the same size and metric is left as it is."""
        return await self._connection.stores.vectors.create_collection(collection)

    async def remove_collection(self, collection_id: str) -> None:
        """Remove a collection and everything in it."""
        await self._connection.stores.vectors.delete_collection(collection_id)
