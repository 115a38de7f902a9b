"""Bytes that came without a file: kept beside the base, and indexed at once or by a worker.

The bytes are stored before anything speaks of them, so that whoever dies in between leaves at most a file that is swept
away later. A worker that dies loses its lease, and the next one does the same work again with the same result.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from anyio import CancelScope, create_task_group, sleep, to_thread

from sourcebook.errors import (
    BadFile,
    Conflict,
    PathNotFound,
    ProviderError,
    SourcebookError,
    StorageError,
    UsageError,
)
from sourcebook.ingest.add_request import NO_LABELS, AddRequest, Labels
from sourcebook.ingest.add_run import ATTEMPTS, AddRun
from sourcebook.ingest.crash_points import IngestCrashPoint, reached
from sourcebook.ingest.fingerprint import document_id, hash_bytes, source_id
from sourcebook.ingest.folder.file_content import require_content
from sourcebook.ingest.folder.targets import Options, Target, Upload
from sourcebook.ingest.index.pipeline import one_error
from sourcebook.model.add_reports import FailedFile
from sourcebook.model.documents import (
    Document,
    DocumentPath,
    DocumentStatus,
    PreparedDocument,
    WriteOutcome,
    WriteReport,
)
from sourcebook.model.jobs import JobStatus
from sourcebook.model.sources import Labelling, Source, SourceKind
from sourcebook.ports.providers import known_model

if TYPE_CHECKING:
    from sourcebook.ingest.add_request import OnProgress
    from sourcebook.ingest.add_tools import Tools
    from sourcebook.ingest.uploads.incoming_file import IncomingFile
    from sourcebook.ingest.uploads.stored_files import StoredFiles
    from sourcebook.model.add_reports import AddReport, Progress
    from sourcebook.model.documents import Metadata
    from sourcebook.model.jobs import Job
    from sourcebook.ports.clock_and_jobs import Jobs

OnJobProgress: TypeAlias = "Callable[[Job, Progress], None]"
UPLOADS = "uploads"
"""The root of the source that holds what was uploaded, and the kind of its jobs."""
SUPERSEDED = "superseded"
"""The outcome of a job whose bytes were replaced before they were read."""
LEASE_SECONDS = 60
RETRY_SECONDS = 30
_UNREAD = (DocumentStatus.FAILED, DocumentStatus.NEEDS_OCR)
_ANNOUNCED = (DocumentStatus.PENDING, DocumentStatus.PROCESSING)
_PASSING = (StorageError, ProviderError, Conflict, OSError)
"""What goes wrong through no fault of the bytes, and may go well later."""
_OPEN = (JobStatus.PENDING, JobStatus.DOING)
_PAGE = 50


@dataclass(frozen=True, slots=True)
class _Kept:
    """Bytes that are stored, and all that is needed to index them."""

    collection_id: str
    path: str
    stored_file: str
    file_hash: str
    size: int
    title: str | None
    metadata: Metadata
    labels: Labels

    def as_payload(self) -> Metadata:
        return {
            "collection": self.collection_id,
            "path": self.path,
            "file": self.stored_file,
            "hash": self.file_hash,
            "size": self.size,
            "title": self.title,
            "metadata": self.metadata,
            "category": self.labels.category,
            "subcategory": self.labels.subcategory,
        }

    @classmethod
    def of_payload(cls, payload: Mapping[str, Any]) -> _Kept:
        return cls(
            payload["collection"],
            payload["path"],
            payload["file"],
            payload["hash"],
            payload["size"],
            payload["title"],
            payload["metadata"],
            Labels(payload["category"], payload["subcategory"]),
        )


class _OutOfDate(Exception):
    """A newer version of the bytes came, and whoever brought it ended this job."""


class Uploads:
    """Takes bytes in."""

    def __init__(self, tools: Tools, files: StoredFiles, jobs: Jobs) -> None:
        self._tools = tools
        self._files = files
        self._jobs = jobs

    async def add_bytes(self, collection_id: str, brought: IncomingFile) -> WriteReport:
        """Index the bytes now. What cannot be read is an error, and a document that says why."""
        # Asked first: what is queued while the bytes are stored came later than they did.
        newest = await self._jobs.newest(UPLOADS, collections=[collection_id], limit=1)
        kept = await self._keep(collection_id, brought.path(), brought)
        async with self._or_dropped(kept):
            # Before anything is written: a worker that looks at what is written finds its job ended.
            ended = await self._supersede(kept, newest[0].id + 1) if newest else 0
            return await (self._index_queued(kept) if ended else self._index(kept))

    async def upload(self, collection_id: str, brought: IncomingFile) -> Job:
        """Store the bytes and leave the rest to a worker. Without an id, nothing that is there is replaced."""
        path = brought.path()
        if brought.id is None:
            path = f"{hash_bytes(brought.data)[:16]}/{path}"
        kept = await self._keep(collection_id, path, brought)
        async with self._or_dropped(kept):
            job = await self._enqueue(kept)
        reached(IngestCrashPoint.UPLOAD_QUEUED)
        await self._announce(kept)
        return job

    async def _enqueue(self, kept: _Kept) -> Job:
        """The job for the bytes, after all others of their path. The same bytes twice in a row are one job."""
        job = await self._jobs.enqueue(UPLOADS, kept.as_payload(), unique_key=kept.stored_file)
        newest = await self._newest_at(kept, job)
        if newest is None or (newest.payload["file"] == kept.stored_file and newest.status in _OPEN):
            return newest or job
        # The job was there before, and other bytes came for the path since.
        key = f"{kept.stored_file}@{newest.id}"
        return await self._jobs.enqueue(UPLOADS, kept.as_payload(), unique_key=key)

    async def _newest_at(self, kept: _Kept, job: Job) -> Job | None:
        """The newest job of the path that came after this one, if there is one."""
        before: int | None = None
        while True:
            page = await self._jobs.newest(
                UPLOADS, collections=[kept.collection_id], before=before, limit=_PAGE
            )
            for other in page:
                if other.id <= job.id:
                    return None
                if other.payload["path"] == kept.path:
                    return other
            if len(page) < _PAGE:
                return None
            before = page[-1].id

    async def process(self, worker: str, on_progress: OnJobProgress | None = None) -> int:
        """Do the uploads that wait, until there are none. How many were done."""
        await self._jobs.sweep()
        kept = await self._tools.sources.stored_files(UPLOADS)
        await to_thread.run_sync(self._files.sweep, kept)
        done = 0
        while (job := await self._jobs.claim([UPLOADS], worker, LEASE_SECONDS)) is not None:
            async with one_error(), create_task_group() as tasks:
                tasks.start_soon(self._hold, job, tasks.cancel_scope)
                done += await self._work_off(job, on_progress)
                tasks.cancel_scope.cancel()
        return done

    async def _keep(self, collection_id: str, path: str, brought: IncomingFile) -> _Kept:
        largest = self._tools.config.limits.largest_file
        if len(brought.data) > largest:
            raise BadFile(f"The file is larger than {largest // 1_000_000} MB.")
        require_content(brought.data, is_all=True)
        file_hash = hash_bytes(brought.data)
        name = await to_thread.run_sync(self._files.put, collection_id, path, file_hash, brought.data)
        size = len(brought.data)
        return _Kept(
            collection_id, path, name, file_hash, size, brought.title, brought.metadata, brought.labels
        )

    @asynccontextmanager
    async def _or_dropped(self, kept: _Kept) -> AsyncGenerator[None]:
        """If the base has no room for what it should say of the bytes, do not let them take up what is left."""
        try:
            yield
        except StorageError:
            with suppress(StorageError, OSError):
                await self._drop(kept)
            raise

    async def _index_queued(self, kept: _Kept) -> WriteReport:
        """Index the bytes for which older ones were given up: whatever happens here, a worker has them."""
        job = await self._enqueue(kept)
        try:
            report = await self._index(kept)
        except _PASSING:
            raise
        except SourcebookError:
            await self._supersede(kept, job.id + 1)
            raise
        await self._supersede(kept, job.id + 1)
        return report

    async def _drop(self, kept: _Kept) -> None:
        """Remove the bytes if nothing refers to them."""
        if kept.stored_file not in await self._tools.sources.stored_files(UPLOADS):
            await to_thread.run_sync(self._files.remove, kept.stored_file)

    async def _announce(self, kept: _Kept) -> None:
        """Show the document as one that waits, if there is none yet at its path nor with its bytes."""
        model = await known_model(self._tools.embedder)
        await self._tools.library.open_collection(kept.collection_id, model)
        source = _source(kept.collection_id)
        own_id = document_id(kept.collection_id, source.id, kept.path)
        owners = await self._tools.sources.owners(kept.collection_id, [kept.file_hash])
        if owners or await self._tools.library.get_document(kept.collection_id, own_id) is not None:
            return
        waiting = Document(
            id=own_id,
            content="",
            title=kept.title,
            file_path=kept.path,
            file_hash=kept.file_hash,
            file_size_bytes=kept.size,
            metadata=kept.metadata,
            category=kept.labels.category or None,
            subcategory=kept.labels.subcategory or None,
            status=DocumentStatus.PENDING,
            stored_file=kept.stored_file,
        )
        path = DocumentPath(source.id, kept.path, waiting.subcategory)
        await self._tools.writer.replace_document(
            kept.collection_id, PreparedDocument(waiting, (), model, [path])
        )

    async def _hold(self, job: Job, work: CancelScope) -> None:
        """Keep the lease while working; give up if another worker has taken it."""
        while True:
            await sleep(LEASE_SECONDS / 3)
            if not await self._jobs.extend(job, LEASE_SECONDS):
                work.cancel()

    async def _work_off(self, job: Job, on_progress: OnJobProgress | None) -> bool:
        """Do one job. What goes wrong with it is its own affair: other jobs wait behind it."""
        tell = None if on_progress is None else partial(on_progress, job)
        kept = _Kept.of_payload(job.payload)
        try:
            report = await self._index(kept, tell, job.id)
            await self._supersede(kept, job.id)
        except _OutOfDate:
            await self._give_way(job, kept)
            return False
        except _PASSING as error:
            await self._jobs.fail(job, str(error), retry_in=RETRY_SECONDS * 2**job.attempts)
            return False
        except SourcebookError as error:
            await self._supersede(kept, job.id)
            return await self._jobs.complete(job, {"error": cast("Metadata", error.as_dict())})
        result: Metadata = {
            "outcome": report.outcome.value,
            "document_id": report.document_id,
            "replaced": report.replaced,
        }
        return await self._jobs.complete(job, result)

    async def _give_way(self, job: Job, kept: _Kept) -> None:
        """Drop the bytes in favour of a newer version.

        One that is equal to what lay at the path wrote nothing, and so did not keep these bytes from being written
        after all, by somebody who had just asked whether they are wanted: then it is queued again.
        """
        lying, newer = await self._lying_at(kept), await self._newest_at(kept, job)
        was_late = lying is not None and lying.file_hash == kept.file_hash
        if was_late and newer is not None and newer.payload["hash"] != kept.file_hash:
            key = f"{newer.payload['file']}@{newer.id}"
            await self._jobs.enqueue(UPLOADS, newer.payload, unique_key=key)
        with suppress(StorageError, OSError):
            await self._drop(kept)

    async def _supersede(self, kept: _Kept, before: int) -> int:
        """End what came for the path before this and is not done, whether it waits or is being worked on.

        A newer version that cannot be read ends it, too: its document says why, and no older text takes its place.
        """
        document = await self._lying_at(kept)
        own_id = document_id(kept.collection_id, _source(kept.collection_id).id, kept.path)
        result: Metadata = {"outcome": SUPERSEDED, "document_id": document.id if document else own_id}
        return await self._jobs.supersede(
            UPLOADS, kept.collection_id, kept.path, before=before, result=result
        )

    async def _require_current(self, job_id: int) -> None:
        job = await self._jobs.get(job_id)
        if job is None or job.status is not JobStatus.DOING:
            raise _OutOfDate

    async def _index(
        self, kept: _Kept, on_progress: OnProgress | None = None, job_id: int = 0
    ) -> WriteReport:
        before = await self._lying_at(kept)
        location = self._files.location(kept.stored_file)
        if not await to_thread.run_sync(location.is_file):
            return await self._without_bytes(kept, before)
        kept = replace(kept, labels=kept.labels.over(_labels_of(before)))
        upload = Upload(str(location), kept.stored_file, kept.size, kept.title, kept.metadata, kept.labels)
        source = _source(kept.collection_id)

        def find(sources: Sequence[Source]) -> list[Target]:
            known = next((s for s in sources if s.id == source.id), source)
            return [Target(known, self._files.folder, None, uploads={kept.path: upload})]

        request = AddRequest((), kept.collection_id, on_progress=on_progress)
        # A job that finds newer bytes in its way does not push them aside: whoever brought those ends it.
        attempts = 1 if job_id else ATTEMPTS
        current = partial(self._require_current, job_id) if job_id else None
        report = await AddRun(self._tools, request, find, attempts, current).run()
        if await self._is_only_announced(kept):
            # Whoever queued it announced it while it was being read, and what was read gave way to that.
            report = await AddRun(self._tools, request, find, attempts, current).run()
        if current is not None:
            await current()
        return await self._settle(kept, report, before, job_id)

    async def _without_bytes(self, kept: _Kept, before: Document | None) -> WriteReport:
        """The outcome if the file is gone: its work was done by somebody who died before saying so, or cannot be."""
        if before is not None and before.file_hash == kept.file_hash and before.status not in _ANNOUNCED:
            return WriteReport(WriteOutcome.UNCHANGED, before.id)
        error = PathNotFound(
            f"The bytes that were uploaded as {kept.path!r} are no longer there.", hint="Upload them again."
        )
        if before is not None and before.status in _ANNOUNCED:
            reason = f"{error.code}: {error.message}"
            lost = replace(
                before,
                status=DocumentStatus.FAILED,
                processing_error=reason,
                file_hash=None,
                stored_file=None,
            )
            path = DocumentPath(_source(kept.collection_id).id, kept.path, lost.subcategory)
            model = await known_model(self._tools.embedder)
            await self._tools.writer.replace_document(
                kept.collection_id,
                PreparedDocument(lost, (), model, [path], expected_hash=before.file_hash),
            )
        raise error

    async def _is_only_announced(self, kept: _Kept) -> bool:
        document = await self._lying_at(kept)
        return document is not None and document.status in _ANNOUNCED

    async def _settle(
        self, kept: _Kept, report: AddReport, before: Document | None, job_id: int
    ) -> WriteReport:
        """The outcome for the bytes. Files that no document and no other job refers to are removed."""
        owners = await self._tools.sources.owners(kept.collection_id, [kept.file_hash])
        owner = owners.get(kept.file_hash, "")
        document = await self._tools.library.get_document(kept.collection_id, owner)
        # It may still lie at another path, or have refused the new bytes.
        former = await self._tools.library.get_document(kept.collection_id, before.id) if before else None
        used = {d.stored_file for d in (document, former) if d is not None}
        unused = {kept.stored_file, before.stored_file if before else None} - used - {None}
        if unused:
            unused -= await self._tools.sources.stored_files(UPLOADS, besides=job_id)
        for name in filter(None, unused):
            await to_thread.run_sync(self._files.remove, name)
        for failure in report.failed:
            raise _error(failure)
        if document is not None and document.status in _UNREAD:
            raise _still_unread(kept.path, document)
        if document is not None and before is not None and report.unchanged:
            await self._label(kept, document)
        # What was only announced had no text to replace.
        was_read = before is not None and before.status not in _ANNOUNCED
        return WriteReport(_outcome(report), owner, replaced=bool(report.updated) and was_read)

    async def _label(self, kept: _Kept, document: Document) -> None:
        wanted = Labelling(
            document.id, document.type, kept.labels.category or None, kept.labels.subcategory or None
        )
        if wanted != Labelling(document.id, document.type, document.category, document.subcategory):
            path = DocumentPath(_source(kept.collection_id).id, kept.path, wanted.subcategory)
            await self._tools.writer.label(kept.collection_id, [wanted], [path])

    async def _lying_at(self, kept: _Kept) -> Document | None:
        """The document that lies at the path now."""
        owner = await self._tools.sources.owner_of_path(
            kept.collection_id, _source(kept.collection_id).id, kept.path
        )
        return None if owner is None else await self._tools.library.get_document(kept.collection_id, owner)


def _source(collection_id: str) -> Source:
    return Source(source_id(collection_id, UPLOADS), SourceKind.UPLOAD, UPLOADS, Options().as_metadata())


def _labels_of(document: Document | None) -> Labels:
    return NO_LABELS if document is None else Labels(document.category, document.subcategory)


def _outcome(report: AddReport) -> WriteOutcome:
    if report.added or report.updated:
        return WriteOutcome.WRITTEN
    return WriteOutcome.DUPLICATE if report.duplicates else WriteOutcome.UNCHANGED


def _still_unread(path: str, document: Document) -> SourcebookError:
    """The error of a file that could not be read before either: nobody tried again, and it is no less an error."""
    code, _, reason = (document.processing_error or "").partition(": ")
    return _error(FailedFile(path, code, f"This file was here before and still could not be read: {reason}"))


def _error(failure: FailedFile) -> SourcebookError:
    return SourcebookError.kinds().get(failure.code, UsageError)(failure.message)
