"""Add: bytes become passages in the index.

Each file is read and hashed; one that did not change is left alone, unless it is to have another label. The others
are parsed, cut and embedded before any transaction opens, and then written whole. If the base changed meanwhile, the
file is planned anew.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from anyio import to_thread

from sourcebook.errors import ActiveModelChanged, DocumentChangedMeanwhile, PathNotFound, UsageError
from sourcebook.ingest.placing import FoundFile, find_files
from sourcebook.ingest.planning import KnownDocuments, Step, next_step
from sourcebook.ingest.reading import PARSERS, Labels, Note, Raw, RawFile
from sourcebook.ingest.report import AddReport, FailedFile, Progress
from sourcebook.ingest.vectors import embed_chunks
from sourcebook.model.documents import PreparedDocument, WriteOutcome, WriteReport

if TYPE_CHECKING:
    import os

    from sourcebook.ingest.reading import ReadDocument
    from sourcebook.model.documents import Document, EmbeddedChunk, Metadata
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.storage import IndexWriter, Library

OnProgress: TypeAlias = Callable[[Progress], None]

DEFAULT_COLLECTION = "default"
ATTEMPTS = 3


class Ingest:
    """Puts files and notes into a collection."""

    def __init__(self, *, library: Library, writer: IndexWriter, embedder: Embedder) -> None:
        self._library = library
        self._writer = writer
        self._embedder = embedder

    async def add(
        self,
        paths: Sequence[str | os.PathLike[str]],
        collection_id: str = DEFAULT_COLLECTION,
        *,
        category: str | None = None,
        subcategory: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> AddReport:
        """Add files, and folders with all that is in them. A file that cannot be added never stops the others.

        A category or subcategory that is given is also put on files that did not change, unless the file itself says
        another. Files that are gone or renamed stay in the base under their old path. A path that does not exist is an
        error before anything is written.
        """
        found = await to_thread.run_sync(_find_all, paths, collection_id)
        await self._library.open_collection(collection_id, self._embedder.model)
        known = KnownDocuments.of(await self._library.list_documents(collection_id))
        counts: Counter[str] = Counter()
        failed: list[FailedFile] = []
        for done, file in enumerate(found, start=1):
            load = partial(RawFile.load, file, Labels(category, subcategory), collection_id)
            try:
                step, report = await self._bring_in(collection_id, load, known)
                counts[_counted_as(step, report.outcome)] += 1
            except (UsageError, DocumentChangedMeanwhile, OSError) as error:
                failed.append(_failure(file, error))
            if on_progress:
                on_progress(Progress(done, len(found), file.shown))
        return AddReport(**counts, failed=failed)

    async def add_text(
        self,
        text: str,
        *,
        id: str | None = None,
        title: str | None = None,
        metadata: Metadata | None = None,
        collection_id: str = DEFAULT_COLLECTION,
        category: str | None = None,
        subcategory: str | None = None,
    ) -> WriteReport:
        """Add a text that is not a file. The same id replaces what was added under it before.

        A text that another document of the collection holds already is not stored twice: the outcome is then
        DUPLICATE, and the report names that document, which keeps its own labels.
        """
        note = Note.of(text, id, title, metadata or {}, Labels(category, subcategory), collection_id)
        await self._library.open_collection(collection_id, self._embedder.model)
        known = KnownDocuments()
        await self._refresh(known, collection_id, note)
        _, report = await self._bring_in(collection_id, lambda: note, known)
        return report

    async def _bring_in(
        self, collection_id: str, load: Callable[[], Raw], known: KnownDocuments
    ) -> tuple[Step, WriteReport]:
        """Make the base agree with what is loaded, planning anew when somebody else was faster."""
        attempt = 1
        while True:
            raw = await to_thread.run_sync(load)
            try:
                return await self._carry_out(collection_id, raw, known)
            except (DocumentChangedMeanwhile, ActiveModelChanged):
                if attempt == ATTEMPTS:
                    raise
            attempt += 1
            await self._library.open_collection(collection_id, self._embedder.model)
            await self._refresh(known, collection_id, raw)

    async def _carry_out(
        self, collection_id: str, raw: Raw, known: KnownDocuments
    ) -> tuple[Step, WriteReport]:
        step = next_step(known, raw)
        if step is Step.NOTHING:
            return step, WriteReport(WriteOutcome.UNCHANGED, raw.document_id)
        present = known.by_id.get(raw.document_id)
        read = await to_thread.run_sync(raw.read)
        if present is not None:
            # A hidden document stays hidden when its file changes.
            read = replace(read, document=replace(read.document, is_active=present.is_active))
        if step is Step.RECORD_PATH:
            report = await self._record_path(collection_id, raw.file_hash, read, present)
        else:
            report = await self._write(collection_id, read, present)
        if report.outcome is WriteOutcome.DUPLICATE:
            known.forget(raw.document_id)
        else:
            known.put(read.document)
        return step, report

    async def _record_path(
        self, collection_id: str, file_hash: str, read: ReadDocument, present: Document | None
    ) -> WriteReport:
        """Record where else these bytes lie; if the document that held them is gone, write them after all."""
        owner = await self._writer.add_path(collection_id, file_hash, read.path)
        if owner is not None:
            return WriteReport(WriteOutcome.DUPLICATE, owner)
        return await self._write(collection_id, read, present)

    async def _write(self, collection_id: str, read: ReadDocument, present: Document | None) -> WriteReport:
        chunks = await embed_chunks(self._embedder, read.chunks, read.document.title)
        return await self._writer.replace_document(collection_id, self._prepared(read, chunks, present))

    def _prepared(
        self, read: ReadDocument, chunks: Sequence[EmbeddedChunk], present: Document | None
    ) -> PreparedDocument:
        return PreparedDocument(
            document=read.document,
            chunks=chunks,
            model=self._embedder.model,
            paths=(read.path,),
            expected_hash=present.file_hash if present else None,
        )

    async def _refresh(self, known: KnownDocuments, collection_id: str, raw: Raw) -> None:
        """Look up again what the base holds under this id and this hash."""
        known.forget(raw.document_id)
        for document in (
            await self._library.get_document_by_hash(collection_id, raw.file_hash),
            await self._library.get_document(collection_id, raw.document_id),
        ):
            if document is not None:
                known.put(document)


def _find_all(paths: Sequence[str | os.PathLike[str]], collection_id: str) -> list[FoundFile]:
    found = [file for path in paths for file in find_files(path, collection_id, tuple(PARSERS))]
    return list({(file.source_id, file.path): file for file in found}.values())


def _counted_as(step: Step, outcome: WriteOutcome) -> str:
    if outcome is not WriteOutcome.WRITTEN:
        return "unchanged"
    return "updated" if step is Step.UPDATE else "added"


def _failure(file: FoundFile, error: Exception) -> FailedFile:
    # The name of a file may hold bytes that are no text.
    path = file.shown.encode(errors="replace").decode()
    match error:
        case UsageError() | DocumentChangedMeanwhile():
            return FailedFile(path, error.code, error.message)
        case FileNotFoundError():
            return FailedFile(path, PathNotFound.code, "The file went away before it could be read.")
        case _:
            return FailedFile(path, "unreadable", f"The file cannot be read: {error}.")
