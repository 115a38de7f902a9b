"""Files that are uploaded, and the jobs that take them into the base."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, Any

import anyio
from fastapi import Query, Request
from fastapi.responses import StreamingResponse
from starlette.datastructures import FormData, UploadFile

from sourcebook.client import AsyncSourcebook
from sourcebook.errors import JobNotFound, SourcebookError, UsageError
from sourcebook.faces import json_shapes
from sourcebook.faces.http.auth.caller import Admin, Book, Caller, ServerSettings
from sourcebook.faces.http.auth.guarded_routes import guarded_router, one_collection, seen_collections
from sourcebook.faces.http.background_work import UploadWorker
from sourcebook.faces.http.metrics import Metrics
from sourcebook.faces.http.openapi import examples
from sourcebook.faces.http.responses.cursors import cursor_of, cut, parts_of
from sourcebook.faces.http.responses.events import BEAT, EventStream
from sourcebook.faces.http.routes.shared_parameters import CollectionName, Cursor, Limit, Number
from sourcebook.faces.http.shutdown import Stopping
from sourcebook.faces.http.uploaded_bytes import bytes_of
from sourcebook.ingest.uploads.uploads import UPLOADS
from sourcebook.model.jobs import Job, JobStatus

router = guarded_router("uploads")
MOST_FILES = 100
LONGEST_LABEL = 200
_LOOK_SECONDS = 0.3
_QUIET_LOOKS = 40
_FORM = {
    "required": True,
    "content": {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["files"],
                "properties": {
                    "files": {
                        "type": "array",
                        "items": {"type": "string", "format": "binary"},
                        "description": f"1 to {MOST_FILES} files.",
                    },
                    "collection": {
                        "type": "string",
                        "description": "The collection; without one, the default.",
                    },
                    "id": {
                        "type": "string",
                        "description": "A name of your own for one file. Sent again, the new file replaces it.",
                    },
                    "category": {"type": "string", "description": "The category of all these files."},
                    "subcategory": {"type": "string", "description": "The subcategory of all these files."},
                },
            }
        }
    },
}


@router.post(
    "/documents",
    status_code=202,
    summary="Upload files",
    openapi_extra={"requestBody": _FORM},
    responses=examples.shown({"jobs": [examples.JOB], "failed": [examples.FAILED]}, status=202),
)
async def upload(request: Request, caller: Admin, book: Book, settings: ServerSettings) -> dict[str, Any]:
    """Keep the files and queue them. Each becomes a job: `/api/jobs/{id}` says when it is done, or why it failed.

    Whatever a job was returned for is safe, also if the server stops now. The same file again is the same document;
    with an `id`, a new version replaces the old one. A file that is too large, or of no kind that is read, is in
    `failed`; if that is true of all, it is an error.
    """
    async with _form(request) as form:
        files = [part for part in form.getlist("files") if isinstance(part, UploadFile)]
        if not 1 <= len(files) <= MOST_FILES:
            raise UsageError(f"An upload has 1 to {MOST_FILES} files.", hint="Send each as a field `files`.")
        own_id = _label(form, "id")
        if own_id is not None and len(files) > 1:
            raise UsageError("An `id` is for one file.", hint="Upload the files one by one.")
        chosen = one_collection(caller, _label(form, "collection"), settings)
        category, subcategory = _label(form, "category"), _label(form, "subcategory")
        largest = int(settings.max_file_mb * 1_000_000)
        jobs: list[Job] = []
        failed: list[tuple[str, SourcebookError]] = []
        for file in files:
            name = file.filename or "file"
            try:
                data = await bytes_of(file, name, largest)
                job = await book.upload(
                    name, data, id=own_id, collection=chosen, category=category, subcategory=subcategory
                )
                jobs.append(job)
            except UsageError as error:
                failed.append((name, error))
    if not jobs:
        raise failed[0][1]
    worker: UploadWorker = request.app.state.worker
    worker.wake()
    metrics: Metrics = request.app.state.metrics
    metrics.uploads.inc(len(jobs))
    return {
        "jobs": [json_shapes.job(job) for job in jobs],
        "failed": [{"name": name, **error.as_dict()} for name, error in failed],
    }


@router.get("/jobs", summary="List uploads", responses=examples.shown({"jobs": [examples.JOB], "next": None}))
async def list_jobs(
    caller: Admin,
    book: Book,
    settings: ServerSettings,
    collection: CollectionName = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> dict[str, Any]:
    """The uploads and what became of them, newest first."""
    named = seen_collections(caller)
    if collection is not None:
        named = [one_collection(caller, collection, settings)]
    before = None if cursor is None else parts_of(cursor, int)[0]
    found = await book.stores.jobs.newest(UPLOADS, collections=named, before=before, limit=limit + 1)
    shown, last = cut(found, limit)
    return {
        "jobs": [json_shapes.job(job) for job in shown],
        "next": None if last is None else cursor_of(last.id),
    }


@router.get("/jobs/{number}", summary="Show an upload", responses=examples.shown({"job": examples.JOB}))
async def show_job(number: Number, caller: Admin, book: Book) -> dict[str, Any]:
    """How far an upload is, and what became of it."""
    return {"job": json_shapes.job(await upload_job(book, caller, number))}


@router.get(
    "/jobs/{number}/events",
    summary="Follow an upload",
    response_class=StreamingResponse,
    response_model=None,
    responses=examples.kept("text/event-stream", "Events called `job`, one for each change."),
)
async def follow(
    number: Number,
    request: Request,
    caller: Admin,
    book: Book,
    seconds: Annotated[float, Query(ge=0, le=3600, description="How long to follow at most.")] = 600,
) -> EventStream:
    """An event `job` now and at each change, until the upload is done or has failed."""
    job = await upload_job(book, caller, number)
    stopping: Stopping = request.app.state.stopping
    return EventStream(_changes(book, job, stopping, seconds))


async def _changes(
    book: Book, job: Job, stopping: Stopping, seconds: float
) -> AsyncGenerator[tuple[str, dict[str, Any]], None]:
    yield "job", json_shapes.job(job)
    quiet = 0
    looks = int(seconds / _LOOK_SECONDS)
    while looks > 0 and job.status not in (JobStatus.DONE, JobStatus.FAILED) and not stopping.is_set:
        await anyio.sleep(_LOOK_SECONDS)
        looks -= 1
        now = await book.stores.jobs.get(job.id)
        if now is None:
            return
        if json_shapes.job(now) != json_shapes.job(job):
            yield "job", json_shapes.job(now)
            quiet = 0
        elif (quiet := quiet + 1) % _QUIET_LOOKS == 0:
            yield BEAT, {}
        job = now


async def upload_job(book: AsyncSourcebook, caller: Caller, number: int) -> Job:
    """The upload of this number, if it is of a collection that the caller may see."""
    found = await book.stores.jobs.get(number)
    if found is None or found.kind != UPLOADS or not caller.sees(str(found.payload.get("collection"))):
        raise JobNotFound(f"There is no job {number}")
    return found


def _form(request: Request):
    kind = request.headers.get("content-type", "")
    if not kind.lower().startswith("multipart/form-data"):
        raise UsageError("An upload is a form.", hint="Send the files as multipart/form-data.")
    return request.form(max_files=MOST_FILES, max_fields=10, max_part_size=10_000)


def _label(form: FormData, name: str) -> str | None:
    value = form.get(name)
    if value is not None and (not isinstance(value, str) or len(value) > LONGEST_LABEL):
        raise UsageError(f"`{name}` is a text of at most {LONGEST_LABEL} characters.")
    return value or None
