"""Bringing files: they are kept at once and read one after another, also after a restart."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote as quoted

from fastapi import Form, Query, Response, UploadFile

from sourcebook.errors import UsageError
from sourcebook.faces.http.auth.guarded_routes import seen_collections
from sourcebook.faces.http.responses.cursors import cursor_of, cut, parts_of
from sourcebook.faces.http.routes.uploads import upload_job
from sourcebook.faces.http.uploaded_bytes import bytes_of
from sourcebook.faces.web.page_frame import Administering, Page
from sourcebook.faces.web.page_routes import page_router
from sourcebook.faces.web.upload_rows import UploadRow, refused, upload_row
from sourcebook.ingest.uploads.uploads import UPLOADS

router = page_router()
_MB = 1_000_000
_ON_A_PAGE = 50


@router.post("/documents")
async def bring(
    page: Administering, files: list[UploadFile], collection: Annotated[str, Form()] = ""
) -> Response:
    """Keep files and queue them. One that cannot be read keeps out no other."""
    chosen = page.seen(collection) if collection else page.default_collection()
    rows = [await _kept(page, chosen, file) for file in files if file.filename]
    state = page.request.app.state
    state.worker.wake()
    state.metrics.uploads.inc(sum(row.number is not None for row in rows))
    if page.is_fragment:
        return page.part("upload_rows.html", uploads=rows)
    if any(row.number is None for row in rows):
        return await page.show("uploads.html", "documents", uploads=rows, more=None, chosen=chosen)
    return page.go(f"/uploads?collection={quoted(chosen)}&done=queued")


@router.get("/uploads")
async def listed(
    page: Administering, collection: str = "", before: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """The uploads and what became of them, newest first."""
    named = [page.seen(collection)] if collection else seen_collections(page.caller)
    place = parts_of(before, int)[0] if before else None
    found = await page.book.stores.jobs.newest(UPLOADS, collections=named, before=place, limit=_ON_A_PAGE + 1)
    shown, last = cut(found, _ON_A_PAGE)
    return await page.show(
        "uploads.html",
        "documents",
        uploads=[upload_row(page, job) for job in shown],
        more=None if last is None else f"/uploads?before={cursor_of(last.id)}",
        chosen=collection or page.default_collection(),
    )


@router.get("/uploads/{number}")
async def one(page: Administering, number: int) -> Response:
    """How far one upload is, for the script that shows it."""
    job = await upload_job(page.book, page.caller, number)
    if not page.is_fragment:
        return page.go("/uploads")
    return page.part("upload_rows.html", uploads=[upload_row(page, job)])


async def _kept(page: Page, collection: str, file: UploadFile) -> UploadRow:
    name = file.filename or ""
    try:
        data = await bytes_of(file, name, int(page.settings.max_file_mb * _MB))
        # Its name is its identity: brought again, it takes the place of what it was.
        return upload_row(page, await page.book.upload(name, data, id=name, collection=collection))
    except UsageError as error:
        return refused(page, name, error)
