"""Documents: listing, reading, hiding and removing them, and pictures of their pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Path, Query, Request, Response
from fastapi.responses import PlainTextResponse

from sourcebook.client import AsyncSourcebook
from sourcebook.errors import ChunkNotFound, DocumentNotFound, UsageError
from sourcebook.faces import json_shapes
from sourcebook.faces.http.auth.caller import Admin, Book, Reader, ServerSettings
from sourcebook.faces.http.auth.guarded_routes import guarded_router, one_collection
from sourcebook.faces.http.limits.client_disconnect import while_present
from sourcebook.faces.http.openapi import examples
from sourcebook.faces.http.responses.cursors import cursor_of, cut, parts_of
from sourcebook.faces.http.responses.etags import etag_of, is_known, not_modified, tagged
from sourcebook.faces.http.routes.shared_parameters import MOST, CollectionName, Cursor, DocumentId, Limit
from sourcebook.model.documents import Document, DocumentDetails, DocumentListing, DocumentStatus
from sourcebook.ports.storage import ResultLookup

router = guarded_router("documents")
_T = TypeVar("_T")
PREVIEW = 500
"""How many characters of the text come with a document."""

Label = Annotated[str | None, Query(max_length=200)]
Place = Annotated[
    int | None, Query(ge=0, le=MOST, description="A place in the document's text, in characters.")
]


@dataclass(frozen=True, slots=True)
class VisibleCollection:
    """One collection that the caller may see, and what stands in it."""

    book: AsyncSourcebook
    collection: str

    async def document(self, document_id: str) -> Document:
        return self._known(await self.book.library.get(document_id, collection=self.collection), document_id)

    async def details(self, document_id: str) -> DocumentDetails:
        found = await self.book.stores.library.get_details(self.collection, document_id)
        return self._known(found, document_id)

    def _known(self, found: _T | None, document_id: str) -> _T:
        if found is None:
            raise DocumentNotFound(
                f"There is no document {document_id!r} in the collection {self.collection!r}."
            )
        return found


async def _readable(
    caller: Reader, book: Book, settings: ServerSettings, collection: CollectionName = None
) -> VisibleCollection:
    return VisibleCollection(book, one_collection(caller, collection, settings))


async def _managed(
    caller: Admin, shelf: Annotated[VisibleCollection, Depends(_readable)]
) -> VisibleCollection:
    return shelf


ReadableShelf = Annotated[VisibleCollection, Depends(_readable)]
ManagedShelf = Annotated[VisibleCollection, Depends(_managed)]


@router.get(
    "/documents",
    summary="List documents",
    responses=examples.shown({"documents": [examples.DOCUMENT], "next": None}),
)
async def list_documents(
    shelf: ReadableShelf,
    status: Annotated[DocumentStatus | None, Query(description="Only documents of this status.")] = None,
    category: Label = None,
    subcategory: Label = None,
    type: Label = None,
    language: Label = None,
    active: Annotated[
        bool | None, Query(description="Only those that are found, or only hidden ones.")
    ] = None,
    text: Annotated[
        str | None, Query(max_length=500, description="Words that stand in the path or the title.")
    ] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """The documents of a collection in order of their paths, a part at a time. `next` is null in the last part."""
    listing = DocumentListing(
        limit=limit + 1,
        after=None if cursor is None else parts_of(cursor, str, str),
        status=status,
        category=category,
        subcategory=subcategory,
        type=type,
        language=language,
        is_active=active,
        text=text,
    )
    found = await shelf.book.library.part(listing, collection=shelf.collection)
    shown, last = cut(found, limit)
    return {
        "documents": [json_shapes.document(document) for document in shown],
        "next": None if last is None else cursor_of(last.file_path, last.id),
    }


@router.get(
    "/documents/{document_id}",
    summary="Show a document",
    response_model=None,
    responses=examples.shown({"document": examples.DOCUMENT_DETAILS}, cached=True),
)
async def show(
    document_id: DocumentId,
    request: Request,
    response: Response,
    shelf: ReadableShelf,
) -> dict[str, Any] | Response:
    """What the base knows about a document, with its status, the reason if it could not be read, and a preview."""
    details = await shelf.details(document_id)
    shape = json_shapes.document_details(details, PREVIEW)
    if is_known(request, tag := etag_of(shape)):
        return not_modified(tag)
    response.headers.update(tagged(tag))
    return {"document": shape}


@router.get(
    "/documents/{document_id}/text",
    summary="Read a document's text",
    response_class=PlainTextResponse,
    responses=examples.kept("text/plain", "The text, or the part from `start` to `end`."),
)
async def text_of(
    document_id: DocumentId,
    request: Request,
    shelf: ReadableShelf,
    start: Place = None,
    end: Place = None,
) -> Response:
    """The text as it was read from the file, or a part of it. Citations name places in this text."""
    document = await shelf.document(document_id)
    tag = etag_of(document.id, document.file_hash, len(document.content), document.indexed_at, start, end)
    if is_known(request, tag):
        return not_modified(tag)
    return PlainTextResponse(document.content[start:end], headers=dict(tagged(tag)))


@router.get(
    "/documents/{document_id}/pages/{page}",
    summary="Show a page as a picture",
    response_class=Response,
    responses=examples.kept("image/png", "The page, with the quote marked."),
)
async def page_picture(
    document_id: DocumentId,
    page: Annotated[int, Path(ge=1, le=1_000_000, description="The page, counted from 1.")],
    request: Request,
    shelf: ReadableShelf,
    start: Place = None,
    end: Place = None,
    chunk: Annotated[str | None, Query(max_length=200, description="A passage to mark, by its id.")] = None,
) -> Response:
    """A page of a PDF as a PNG. `start` and `end`, or a passage, are marked where they stand on the page."""
    document = await shelf.document(document_id)
    span = await _span(shelf, document, start, end, chunk)
    tag = etag_of(document.id, document.file_hash, page, span)
    if is_known(request, tag):
        return not_modified(tag)
    drawn = await while_present(
        request, shelf.book.library.page_picture(document.id, page, span=span, collection=shelf.collection)
    )
    return Response(drawn, media_type="image/png", headers=dict(tagged(tag)))


@router.post(
    "/documents/{document_id}/hide",
    summary="Hide a document",
    responses=examples.shown({"document": examples.DOCUMENT}),
)
async def hide(
    document_id: DocumentId,
    shelf: ManagedShelf,
) -> dict[str, Any]:
    """Hide a document from searches without removing it. It stays hidden when its file changes."""
    await shelf.document(document_id)
    await shelf.book.library.hide(document_id, collection=shelf.collection)
    return {"document": json_shapes.document(await shelf.document(document_id))}


@router.post(
    "/documents/{document_id}/unhide",
    summary="Make a hidden document searchable again",
    responses=examples.shown({"document": examples.DOCUMENT}),
)
async def unhide(
    document_id: DocumentId,
    shelf: ManagedShelf,
) -> dict[str, Any]:
    """Make a hidden document searchable again."""
    await shelf.document(document_id)
    await shelf.book.library.unhide(document_id, collection=shelf.collection)
    return {"document": json_shapes.document(await shelf.document(document_id))}


@router.delete(
    "/documents/{document_id}",
    summary="Remove a document",
    responses=examples.shown({"removed": "7c4f…", "held_by": []}),
)
async def remove(
    document_id: DocumentId,
    shelf: ManagedShelf,
) -> dict[str, Any]:
    """Remove a document. `held_by` names the folders that bring it back when they are added again."""
    details = await shelf.details(document_id)
    await shelf.book.library.remove(document_id, collection=shelf.collection)
    return {"removed": document_id, "held_by": list(details.held_by)}


@router.get(
    "/passages/{chunk_id}",
    summary="Show a passage",
    responses=examples.shown({"passage": examples.RESULT}),
)
async def passage(
    chunk_id: Annotated[
        str, Path(max_length=200, description="The passage's id, from a result or citation.")
    ],
    shelf: ReadableShelf,
) -> dict[str, Any]:
    """One passage with its place, as a search returns it, and without a score."""
    reader = shelf.book.stores.vectors
    found = await reader.look_up(shelf.collection, [chunk_id]) if isinstance(reader, ResultLookup) else []
    if not found:
        raise ChunkNotFound(f"There is no passage {chunk_id!r}")
    return {"passage": json_shapes.search_result(found[0])}


async def _span(
    shelf: VisibleCollection, document: Document, start: int | None, end: int | None, chunk: str | None
) -> tuple[int, int] | None:
    """What to mark: the place that is given, or that of the passage."""
    if chunk is not None:
        found = await shelf.book.stores.vectors.get(shelf.collection, chunk)
        if found is None or found.chunk.document_id != document.id:
            raise ChunkNotFound(f"There is no passage {chunk!r} in this document")
        return found.chunk.start_index, found.chunk.end_index
    if start is None and end is None:
        return None
    if start is None or end is None or end <= start:
        raise UsageError("`start` and `end` belong together.", hint="Give both, the smaller one first.")
    return start, end
