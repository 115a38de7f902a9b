"""Uploads as the page shows them: how far each is, what became of it, and what to do if nothing did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from sourcebook.faces.web.answer_view import document_address
from sourcebook.faces.web.error_words import ErrorWords, words_for, words_of
from sourcebook.faces.web.page_frame import Page
from sourcebook.ingest.uploads.uploads import UPLOADS
from sourcebook.model.jobs import Job, JobStatus

if TYPE_CHECKING:
    from sourcebook.errors import SourcebookError
    from sourcebook.faces.http.background_work import UploadWorker

_OPEN = (JobStatus.PENDING, JobStatus.DOING)
_SHOWN = 50


@dataclass(frozen=True, slots=True)
class UploadRow:
    """A file on its way into the base. `state` is what became of it: waiting, again, reading, an outcome, or failed.

    `percent` and the pages are known while it is read here. Without an address there is no document yet.
    """

    name: str
    state: str
    number: int | None = None
    percent: int | None = None
    page: int = 0
    pages: int = 0
    address: str | None = None
    words: ErrorWords | None = None

    @property
    def is_open(self) -> bool:
        return self.state in ("waiting", "again", "reading")


def refused(page: Page, name: str, error: SourcebookError) -> UploadRow:
    """A file of which it was plain at once that it cannot be read."""
    return UploadRow(name, "failed", words=words_for(page.texts, error))


def upload_row(page: Page, job: Job) -> UploadRow:
    result = job.result or {}
    name = _name(job)
    error = result.get("error")
    if isinstance(error, Mapping):
        told = cast("Mapping[str, Any]", error)
        words = words_of(page.texts, str(told.get("code")), str(told.get("message")))
        return UploadRow(name, "failed", job.id, words=words)
    match job.status:
        case JobStatus.FAILED:
            return UploadRow(name, "failed", job.id, words=words_of(page.texts, "storage", job.error or ""))
        case JobStatus.PENDING:
            words = words_of(page.texts, "storage", job.error) if job.error else None
            return UploadRow(name, "again" if job.error else "waiting", job.id, words=words)
        case JobStatus.DOING:
            return _being_read(page, job, name)
        case JobStatus.DONE:
            outcome = "replaced" if result.get("replaced") is True else str(result.get("outcome"))
            collection, document = str(job.payload.get("collection")), str(result.get("document_id"))
            return UploadRow(name, outcome, job.id, address=document_address(collection, document))


async def open_uploads(page: Page, collection: str) -> list[UploadRow]:
    """The uploads of a collection that are not done, the oldest first."""
    newest = await page.book.stores.jobs.newest(UPLOADS, collections=[collection], limit=_SHOWN)
    return [upload_row(page, job) for job in reversed(newest) if job.status in _OPEN]


def _being_read(page: Page, job: Job, name: str) -> UploadRow:
    worker: UploadWorker = page.request.app.state.worker
    told = worker.progress(job.id)
    if told is None:
        return UploadRow(name, "reading", job.id)
    return UploadRow(name, "reading", job.id, int(told.share * 100) or None, told.page, told.pages)


def _name(job: Job) -> str:
    """The name of the file as it was brought. Behind the API, a hash stands before it."""
    return str(job.payload.get("path", "")).rpartition("/")[2]
