"""Documents: what is in the base, bringing more, and what stands on each of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Annotated
from urllib.parse import quote as quoted

from fastapi import Form, Query, Response, UploadFile

from sourcebook.errors import DocumentNotFound, SourcebookError
from sourcebook.faces.web.answer_view import document_address, file_name
from sourcebook.faces.web.document_reader import DocumentPart, part_of
from sourcebook.faces.web.leaf_view import leaf_of_span
from sourcebook.faces.web.page import Administering, Page, Reading
from sourcebook.faces.web.rendering import HEADERS
from sourcebook.faces.web.routes import page_router
from sourcebook.model.curation import CuratedAnswer
from sourcebook.model.documents import Document, DocumentStatus

router = page_router()
_ON_A_PAGE = 100
_MB = 1_000_000
_STATES = ("all", "failed", "hidden", "review")


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document in the list. `state` is what a person should know about it first, `reason` why it was not read."""

    document: Document
    name: str
    address: str
    answers: int
    to_review: int
    state: str
    reason: str


@dataclass(frozen=True, slots=True)
class Brought:
    """What became of a file that was brought. Without an address it could not be read, and `reason` says why."""

    name: str
    outcome: str
    address: str | None = None
    reason: str = ""
    hint: str = ""


@router.get("/documents")
async def listed(
    page: Reading,
    collection: str = "",
    find: Annotated[str, Query(max_length=200)] = "",
    state: str = "all",
    start: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> Response:
    """The documents of a collection, those that need something first."""
    chosen = page.seen(collection) if collection else page.default_collection()
    rows = await _rows(page, chosen) if await page.exists(chosen) else []
    if not page.is_expert:
        rows = [_for_reader(row) for row in rows if row.state != "failed"]
    counts = Counter(row.state for row in rows)
    wanted = find.strip().casefold()
    found = [
        row
        for row in rows
        if (state == "all" or row.state == state)
        and (wanted in row.name.casefold() or wanted in row.document.file_path.casefold())
    ]
    return await page.show(
        "documents.html",
        "documents",
        collections=await page.collections(),
        chosen=chosen,
        rows=found[start : start + _ON_A_PAGE],
        total=len(rows),
        asked=counts["ready"] + counts["review"],
        counts=counts,
        states=_STATES,
        languages_held=len({row.document.language for row in rows if row.document.language}),
        state=state if state in _STATES else "all",
        find=find,
        start=start,
        more=start + _ON_A_PAGE if len(found) > start + _ON_A_PAGE else None,
    )


@router.post("/documents")
async def bring(
    page: Administering, files: list[UploadFile], collection: Annotated[str, Form()] = ""
) -> Response:
    """Take files into the base, one after the other. A file that cannot be read does not keep out the others."""
    chosen = page.seen(collection) if collection else page.default_collection()
    brought = [await _brought(page, chosen, file) for file in files if file.filename]
    if page.is_fragment:
        return page.part("brought.html", brought=brought)
    if any(each.address is None for each in brought):
        return await page.show("brought_page.html", "documents", brought=brought, chosen=chosen)
    return page.go(f"/documents?collection={quoted(chosen)}&done=brought")


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
        state=_state(document, 0),
        reason=_reason(document),
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


async def _rows(page: Page, collection: str) -> list[DocumentRow]:
    curated = await page.book.curated.all(collection)
    standing = Counter(i for each in curated for i in {s.document_id for s in each.sources})
    stale = Counter(
        i for each in curated if each.stale_since is not None for i in {s.document_id for s in each.sources}
    )
    order = {"failed": 0, "reading": 1, "review": 2}
    rows = [_row(collection, each, standing, stale) for each in await page.book.library.documents(collection)]
    return sorted(rows, key=lambda row: (order.get(row.state, 3), row.document.file_path.casefold()))


def _row(collection: str, document: Document, standing: Counter[str], stale: Counter[str]) -> DocumentRow:
    return DocumentRow(
        document,
        document.title or file_name(document.file_path),
        document_address(collection, document.id),
        standing[document.id],
        stale[document.id],
        _state(document, stale[document.id]),
        _reason(document),
    )


def _for_reader(row: DocumentRow) -> DocumentRow:
    """What is to be reviewed concerns those who can."""
    return replace(row, state="ready", to_review=0) if row.state == "review" else row


def _reason(document: Document) -> str:
    """Why a document could not be read, without the code that programs go by."""
    said = document.processing_error or ""
    code, colon, reason = said.partition(": ")
    return reason if colon and code.replace("_", "").isalpha() else said


def _state(document: Document, stale: int) -> str:
    match document.status:
        case DocumentStatus.FAILED | DocumentStatus.NEEDS_OCR:
            return "failed"
        case DocumentStatus.PENDING | DocumentStatus.PROCESSING:
            return "reading"
        case _ if not document.is_active:
            return "hidden"
        case _:
            return "review" if stale else "ready"


async def _brought(page: Page, collection: str, file: UploadFile) -> Brought:
    name = file.filename or ""
    try:
        # One byte more than allowed is enough for the base to refuse it.
        data = await file.read(int(page.settings.max_file_mb * _MB) + 1)
        report = await page.book.add_bytes(name, data, collection=collection)
    except SourcebookError as error:
        return Brought(name, "failed", None, error.message, _hint(page, error))
    outcome = "replaced" if report.replaced else report.outcome.value
    return Brought(name, outcome, document_address(collection, report.document_id))


def _hint(page: Page, error: SourcebookError) -> str:
    """What to do about a file, in the words of the page where those of the error are for the command line."""
    key = f"hint_{error.code}"
    return page.texts(key) if key in page.texts.entries else error.hint


def _stands_on(entry: CuratedAnswer, document_id: str) -> bool:
    return any(source.document_id == document_id for source in entry.sources)
