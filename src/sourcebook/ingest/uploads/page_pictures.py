"""Pages of documents as pictures, drawn from the very bytes whose text is in the base."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from anyio import to_thread

from sourcebook.errors import DocumentNotFound, FileGone, UsageError
from sourcebook.ingest.index.document_reader import read_file
from sourcebook.ingest.parsers.process.pool import ParserLimits, ParserPool
from sourcebook.model.sources import SourceKind

if TYPE_CHECKING:
    from sourcebook.ingest.uploads.stored_files import StoredFiles
    from sourcebook.model.documents import DocumentDetails
    from sourcebook.model.sources import Source
    from sourcebook.ports.stores import Stores

_PDF = "application/pdf"
_PDF_HEAD = b"%PDF-"
_ON_DISK = (SourceKind.FOLDER, SourceKind.FILE)
_LARGEST_PAGE = 2**31
_LIMITS = ParserLimits(seconds=15.0)
"""Somebody waits for it, and a page of a good file takes less than a second."""
_AT_ONCE = 2
_LONGEST_QUOTE = 20_000


class PagePictures:
    """Draws pages, a few at once, in processes of their own."""

    def __init__(self, stores: Stores, files: StoredFiles, largest_file: int) -> None:
        self._stores = stores
        self._files = files
        self._largest = largest_file
        self._drawing = ParserPool(_LIMITS, workers=_AT_ONCE)

    async def draw(
        self, collection_id: str, document_id: str, page: int, span: tuple[int, int] | None = None
    ) -> bytes:
        """The page, counted from 1, as a PNG. The span of the document's text is marked, as far as it is found."""
        details = await self._stores.library.get_details(collection_id, document_id)
        if details is None:
            raise DocumentNotFound(
                f"There is no document {document_id!r} in the collection {collection_id!r}."
            )
        # Of a document that came from another program it is not known; then its bytes tell.
        kind = details.document.layout.get("kind")
        may_be_pdf = details.document.file_path.lower().endswith(".pdf")
        if kind != _PDF and (kind is not None or not may_be_pdf):
            raise _no_pages(details.document.file_path)
        if not 1 <= page < _LARGEST_PAGE:
            raise UsageError(f"There is no page {page}.", hint="Pages are counted from 1.")
        sources = await self._stores.sources.list_sources(collection_id)
        data = await to_thread.run_sync(self._bytes_of, details, sources)
        if kind is None and not data.startswith(_PDF_HEAD):
            raise _no_pages(details.document.file_path)
        quote = "" if span is None else details.document.content[max(0, span[0]) : span[1]]
        return await self._drawing.draw(data, page, quote[:_LONGEST_QUOTE])

    async def close(self) -> None:
        await self._drawing.close()

    def _bytes_of(self, details: DocumentDetails, sources: Sequence[Source]) -> bytes:
        """The bytes that the text was read from. A file that has changed is another file."""
        document = details.document
        for place in self._places(details, sources):
            try:
                found = read_file(str(place), self._largest)
            except (OSError, ValueError, UsageError):
                continue
            if found.file_hash == document.file_hash:
                return found.data
        raise FileGone(f"The original file of {document.file_path} is missing or has changed.")

    def _places(self, details: DocumentDetails, sources: Sequence[Source]) -> Iterator[Path]:
        if details.document.stored_file is not None:
            yield self._files.location(details.document.stored_file)
        roots = {source.id: source.root for source in sources if source.kind in _ON_DISK}
        for path in details.paths:
            if path.source_id in roots:
                yield Path(roots[path.source_id]) / path.path


def _no_pages(path: str) -> UsageError:
    return UsageError(f"{path} has no pages.", hint="Only PDF files can be shown by page.")
