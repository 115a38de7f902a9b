"""Documents: what is in the base, a part at a time, each of them for reading, and what stands on it."""

from __future__ import annotations

from collections import Counter
from typing import Annotated
from urllib.parse import quote as quoted
from urllib.parse import urlencode

from fastapi import Query, Response

from sourcebook.errors import DocumentNotFound
from sourcebook.faces.http.responses.cursors import cursor_of, parts_of
from sourcebook.faces.web.answer_view import document_address, file_name
from sourcebook.faces.web.document_list import STATES, listed_part, reason_of, standing_on, state_of
from sourcebook.faces.web.document_reader import DocumentPart, part_of
from sourcebook.faces.web.page_frame import Administering, Page, Reading
from sourcebook.faces.web.page_routes import page_router
from sourcebook.faces.web.source_view import leaf_of_span
from sourcebook.faces.web.template_rendering import HEADERS
from sourcebook.faces.web.upload_rows import open_uploads
from sourcebook.model.curation import CuratedAnswer
from sourcebook.model.documents import Document, DocumentStatus

router = page_router()


@router.get("/documents")
async def listed(
    page: Reading,
    collection: str = "",
    find: Annotated[str, Query(max_length=200)] = "",
    state: str = "all",
    after: Annotated[str, Query(max_length=4000)] = "",
) -> Response:
    """The documents of a collection in the order of their paths, a part at a time."""
    chosen = page.seen(collection) if collection else page.default_collection()
    state = state if state in STATES and page.is_expert else "all"
    standing = await standing_on(page, chosen)
    place = parts_of(after, str, str) if after else None
    rows, last = await listed_part(page, chosen, state, find.strip(), place, standing)
    statuses = Counter(await page.book.stores.library.status_counts(chosen))
    counts = Counter(
        failed=statuses[DocumentStatus.FAILED] + statuses[DocumentStatus.NEEDS_OCR],
        reading=statuses[DocumentStatus.PENDING] + statuses[DocumentStatus.PROCESSING],
        review=len(standing.stale),
    )
    more = {"collection": chosen, "find": find, "state": state, "after": cursor_of(*last)} if last else None
    return await page.show(
        "documents.html",
        "documents",
        collections=await page.collections(),
        chosen=chosen,
        rows=rows,
        total=sum(statuses.values()),
        asked=next((each.document_count for each in await page.collections() if each.id == chosen), 0),
        counts=counts if page.is_expert else Counter[str](),
        states=STATES,
        state=state,
        find=find,
        is_further=bool(after),
        more=None if more is None else f"/documents?{urlencode(more)}",
        uploads=await open_uploads(page, chosen) if page.is_admin else (),
    )


@router.get("/documents/{collection}/{document_id}")
async def read(
    page: Reading,
    collection: str,
    document_id: str,
    start: Annotated[int | None, Query(ge=0)] = None,
    end: Annotated[int | None, Query(ge=0)] = None,
    at: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """A whole document, at a place of it, and what stands on it."""
    document = await _document(page, collection, document_id)
    span = (start, end) if start is not None and end is not None and start < end else None
    if page.is_fragment and span is not None:
        return page.part("leaf.html", leaf=leaf_of_span(collection, document, *span, None))
    part: DocumentPart = part_of(document, at, span)
    curated = [each for each in await page.book.curated.all(collection) if _stands_on(each, document_id)]
    return await page.show(
        "document.html",
        "documents",
        document=document,
        name=document.title or file_name(document.file_path),
        address=document_address(collection, document_id),
        part=part,
        span=span,
        curated=curated,
        state=state_of(document, 0),
        reason=reason_of(page.texts, document),
    )


@router.get("/documents/{collection}/{document_id}/pages/{number}")
async def picture(
    page: Reading,
    collection: str,
    document_id: str,
    number: int,
    start: Annotated[int | None, Query(ge=0)] = None,
    end: Annotated[int | None, Query(ge=0)] = None,
) -> Response:
    """A page of a PDF as a picture, with the quote marked where it stands."""
    span = (start, end) if start is not None and end is not None and start < end else None
    drawn = await page.book.library.page_picture(
        document_id, number, span=span, collection=page.seen(collection)
    )
    headers = {**HEADERS, "Cache-Control": "private, max-age=600"}
    return Response(drawn, media_type="image/png", headers=headers)


@router.post("/documents/{collection}/{document_id}/hide")
async def hide(page: Administering, collection: str, document_id: str) -> Response:
    await _document(page, collection, document_id)
    await page.book.library.hide(document_id, collection=collection)
    return page.go(f"{document_address(collection, document_id)}?done=hidden")


@router.post("/documents/{collection}/{document_id}/unhide")
async def unhide(page: Administering, collection: str, document_id: str) -> Response:
    await _document(page, collection, document_id)
    await page.book.library.unhide(document_id, collection=collection)
    return page.go(f"{document_address(collection, document_id)}?done=unhidden")


@router.post("/documents/{collection}/{document_id}/remove")
async def remove(page: Administering, collection: str, document_id: str) -> Response:
    await _document(page, collection, document_id)
    await page.book.library.remove(document_id, collection=collection)
    return page.go(f"/documents?collection={quoted(collection)}&done=removed")


async def _document(page: Page, collection: str, document_id: str) -> Document:
    found = await page.book.library.get(document_id, collection=page.seen(collection))
    if found is None:
        raise DocumentNotFound(f"There is no document {document_id!r}.")
    return found


def _stands_on(entry: CuratedAnswer, document_id: str) -> bool:
    return any(source.document_id == document_id for source in entry.sources)
