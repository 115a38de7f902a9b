"""A text that several ids or files share, as one document: the others keep it when the first gives it up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sourcebook.ingest.fingerprint import chunk_id, document_id, source_id
from sourcebook.model.documents import EmbeddedChunk, PreparedDocument
from sourcebook.model.sources import shown_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sourcebook.model.documents import Document, DocumentPath, EmbeddingModel
    from sourcebook.ports.storage import Library, Sources, VectorStore

NOTES = "notes"
"""The root of the source that holds what was never a file."""


@dataclass(frozen=True, slots=True)
class SharedTexts:
    """The texts of one collection that were given under ids of the caller's."""

    collection_id: str
    library: Library
    sources: Sources
    vectors: VectorStore

    @property
    def source_id(self) -> str:
        return source_id(self.collection_id, NOTES)

    async def holder(self, id: str) -> str | None:
        """The document that holds the text of this id, perhaps under another one."""
        return await self.sources.owner_of_path(self.collection_id, self.source_id, id)

    async def successor(self, document: Document, *, among_files: bool = True) -> PreparedDocument | None:
        """What the document becomes at the other places where its text lies. None if there are none.

        It is called by the first other id, or else as a file would be; nothing is embedded again.
        """
        details = await self.library.get_details(self.collection_id, document.id)
        collection = await self.vectors.get_collection(self.collection_id)
        paths = [] if details is None else list(details.paths)
        others = [p for p in paths if not self._is_own(document, p)]
        ids = [p for p in others if p.source_id == self.source_id]
        if len(others) == len(paths) or collection is None or collection.model is None:
            return None
        if ids:
            named = replace(document, id=ids[0].path, file_path="", subcategory=ids[0].subcategory)
        elif others and among_files:
            named = await self._as_file(document, others[0])
        else:
            return None
        return await self._prepared(document, named, others, collection.model)

    def _is_own(self, document: Document, path: DocumentPath) -> bool:
        return (path.source_id, path.path) == (self.source_id, document.id)

    async def _as_file(self, document: Document, path: DocumentPath) -> Document:
        turn = 0
        while True:
            free = document_id(self.collection_id, path.source_id, path.path, turn)
            if await self.library.get_document(self.collection_id, free) is None:
                break
            turn += 1
        listed = await self.sources.list_sources(self.collection_id)
        root = next((source.shown for source in listed if source.id == path.source_id), "")
        return replace(document, id=free, file_path=shown_path(root, path.path), subcategory=path.subcategory)

    async def _prepared(
        self, document: Document, named: Document, paths: Sequence[DocumentPath], model: EmbeddingModel
    ) -> PreparedDocument:
        chunks = await self.vectors.get_by_document(self.collection_id, document.id)
        ids = {
            c.chunk.id: chunk_id(named.id, c.chunk.level, c.chunk.start_index, c.chunk.content)
            for c in chunks
        }
        renamed = [
            EmbeddedChunk(
                replace(
                    c.chunk,
                    id=ids[c.chunk.id],
                    document_id=named.id,
                    parent_id=None if c.chunk.parent_id is None else ids[c.chunk.parent_id],
                ),
                c.embedding,
            )
            for c in chunks
        ]
        return PreparedDocument(named, renamed, model, paths)
