"""What a caller may read, found in the collections that the caller may see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

from sourcebook.errors import ChunkNotFound, DocumentNotFound
from sourcebook.faces.http.auth.caller import allowed_collections

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sourcebook.faces.http.charged_questions import QuestionDesk
    from sourcebook.model.documents import Chunk, Document

SCHEME = "sourcebook"


@dataclass(frozen=True, slots=True)
class Place:
    """A document in its collection, as results name it."""

    collection: str
    document: Document

    @property
    def uri(self) -> str:
        return f"{SCHEME}://{quote(self.collection, safe='')}/{quote(self.document.id, safe='')}"

    def citation(self, chunk: Chunk | None = None) -> dict[str, Any]:
        """Where something stands, so that it can be cited and read again."""
        place: dict[str, Any] = {
            "document_id": self.document.id,
            "collection": self.collection,
            "title": self.document.title or self.document.file_path,
            "path": self.document.file_path,
            "uri": self.uri,
        }
        if chunk is not None:
            place |= {"page": chunk.page, "section": chunk.section, "passage_id": chunk.id}
        return place


class VisibleLibrary:
    """Documents and passages for one caller. What the caller may not see is not found, like what does not exist."""

    def __init__(self, desk: QuestionDesk) -> None:
        self._book = desk.book
        self._settings = desk.settings
        self._caller = desk.caller

    def searched(self, named: Sequence[str] | None) -> list[str]:
        return allowed_collections(self._caller, named, self._settings)

    async def collections(self, named: str | None = None) -> list[str]:
        """The one that is named, or all that may be seen."""
        if named is not None:
            return self.searched([named])
        return [each.id for each in await self._book.library.collections() if self._caller.sees(each.id)]

    async def document(self, name: str, collection: str | None = None) -> Place:
        """The document of this id or path. A hidden one is not found."""
        for place in await self.collections(collection):
            try:
                found = await self._book.library.find(name, collection=place)
            except DocumentNotFound:
                continue
            if found.document.is_active:
                return Place(place, found.document)
        raise DocumentNotFound(f"There is no document {name!r}", hint="Search first, and use a document_id.")

    async def passage(self, passage_id: str, collection: str | None = None) -> tuple[Place, Chunk]:
        for place in await self.collections(collection):
            found = await self._book.stores.vectors.get(place, passage_id)
            if found is None:
                continue
            document = await self._book.library.get(found.chunk.document_id, collection=place)
            if document is not None and document.is_active:
                return Place(place, document), found.chunk
        raise ChunkNotFound(f"There is no passage {passage_id!r}", hint="Search first, and use a passage_id.")

    async def at(self, uri: str) -> Place:
        """The document of this address."""
        parts = urlsplit(uri)
        collection, name = unquote(parts.netloc), unquote(parts.path.removeprefix("/"))
        if parts.scheme != SCHEME or not collection or not name:
            raise DocumentNotFound(f"There is no document at {uri!r}")
        return await self.document(name, collection)

    async def documents(self) -> list[Place]:
        """Every document that may be read, in the order of collections and paths, without its text."""
        return [
            Place(collection, document)
            for collection in await self.collections()
            for document in await self._book.library.documents(collection)
            if document.is_active
        ]
