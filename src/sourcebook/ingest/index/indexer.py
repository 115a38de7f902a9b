"""Files that hold something new are read, parsed, cut, embedded and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from anyio import from_thread, to_thread

from sourcebook.errors import (
    BadFile,
    DocumentChangedMeanwhile,
    EmptyFile,
    NeedsOcr,
    NeedsTranscription,
    PathNotFound,
    ProviderError,
    SourcebookError,
    UnreadableFile,
    UnsupportedFile,
    UsageError,
)
from sourcebook.ingest.add_request import PARSERS_VERSION
from sourcebook.ingest.add_tools import PageByPage, PictureReader, Unpacker
from sourcebook.ingest.chunking.passages import BeginningCutter
from sourcebook.ingest.crash_points import IngestCrashPoint, reached
from sourcebook.ingest.fingerprint import document_id
from sourcebook.ingest.folder.claimed_files import SharedWork
from sourcebook.ingest.folder.containers import is_archive
from sourcebook.ingest.folder.plan import Endangered, has_text
from sourcebook.ingest.folder.scan import Skip
from sourcebook.ingest.folder.targets import Options
from sourcebook.ingest.folder.type_rules import parse_rules
from sourcebook.ingest.index.document_reader import (
    Bytes,
    FilePlace,
    ReadDocument,
    cut,
    described,
    failed,
    is_mark,
    is_over_limit,
    labels_for,
    read_file,
    status_after,
)
from sourcebook.ingest.index.pipeline import Admission, Item, Pipeline
from sourcebook.ingest.parsers.file_kinds import SPACE, SUFFIXES, FileKind
from sourcebook.ingest.parsers.text.subtitles import text_of_cues
from sourcebook.model.add_reports import FailedFile
from sourcebook.model.documents import (
    ChunkStrategy,
    DocumentPath,
    DocumentStatus,
    PreparedDocument,
    WriteOutcome,
)
from sourcebook.model.sources import Refusal, Refused
from sourcebook.ports.storage import BulkWriter

if TYPE_CHECKING:
    from sourcebook.ingest.add_tools import Parser, Tools
    from sourcebook.ingest.folder.comparison import FolderComparison
    from sourcebook.ingest.folder.plan import Indexing
    from sourcebook.ingest.folder.scan import Seen
    from sourcebook.ingest.folder.targets import Upload
    from sourcebook.ingest.parsers.page_progress import OnText
    from sourcebook.ingest.parsers.parsed_text import ParsedText
    from sourcebook.ingest.stop_signal import StopSignal
    from sourcebook.model.documents import Document, Metadata, WriteReport

_PAGE = 500


@dataclass(slots=True)
class Work:
    """A file to index: the first of some paths that hold the same bytes."""

    seen: FolderComparison
    indexing: Indexing
    document_id: str
    data: Bytes | None = field(default=None)
    """What was read, without the bytes themselves once they are parsed."""
    seen_at: int = 0
    is_blank: bool = False
    """Whether there was nothing to read but white space."""

    @property
    def paths(self) -> Sequence[str]:
        return self.indexing.paths

    @property
    def place(self) -> FilePlace:
        path = self.paths[0]
        return FilePlace(path, self.seen.shown(path), self.seen.absolute(path))

    @property
    def entry(self) -> Seen:
        return self.seen.scan.files[self.paths[0]]

    @property
    def is_unread(self) -> bool:
        """Whether it is too large, or cannot be opened: it is only remembered."""
        return is_mark(self.indexing.file_hash)

    @property
    def size(self) -> int:
        """How many bytes there are to read."""
        return 0 if self.is_unread else self.entry.size

    @property
    def upload(self) -> Upload | None:
        return self.seen.target.uploads.get(self.paths[0])

    @property
    def expected_hash(self) -> str | None:
        return self.indexing.document.file_hash if self.indexing.document else None

    @property
    def keeps_old_text(self) -> bool:
        is_kept = self.indexing.document is not None and has_text(self.indexing.document)
        return is_kept or bool(self.indexing.endangered)


@dataclass(frozen=True, slots=True)
class IndexedWork:
    """The outcome of indexing one file."""

    work: Work
    counts: Counter[str] = field(default_factory=Counter[str])
    failed: Sequence[FailedFile] = ()
    skipped: str | None = None
    passages: int = 0
    is_disputed: bool = False


class Indexer:
    """Indexes files of one collection."""

    def __init__(self, tools: Tools, collection_id: str) -> None:
        self._tools = tools
        self._collection_id = collection_id
        self._rules = parse_rules(tools.config.rules)
        self._parser: Parser | None = None
        self._on_page: Callable[[Work, int, int], None] | None = None
        self._embed_ahead: Callable[[Work, Sequence[str]], None] | None = None

    async def works(self, seen: FolderComparison) -> list[Work]:
        """The work of a plan. New documents are given ids here: that of their path, if it is free."""
        new = [i.paths[0] for i in seen.plan.indexings if i.document is None]
        ids = await self._free_ids(seen.target.source.id, new)
        return [
            Work(seen, indexing, indexing.document.id if indexing.document else ids[indexing.paths[0]])
            for indexing in seen.plan.indexings
        ]

    async def _free_ids(self, source_id: str, paths: Sequence[str]) -> dict[str, str]:
        ids: dict[str, str] = {}
        turn, waiting = 0, list(paths)
        while waiting:
            wanted = {path: document_id(self._collection_id, source_id, path, turn) for path in waiting}
            taken: set[str] = set()
            for start in range(0, len(waiting), _PAGE):
                some = [wanted[path] for path in waiting[start : start + _PAGE]]
                taken |= {head.id for head in await self._tools.sources.heads(self._collection_id, some)}
            ids |= {path: one for path, one in wanted.items() if one not in taken}
            turn, waiting = turn + 1, [path for path in waiting if wanted[path] in taken]
        return ids

    async def index(
        self,
        works: Sequence[Work],
        on_done: Callable[[IndexedWork], None],
        stop: StopSignal | None = None,
        on_page: Callable[[Work, int, int], None] | None = None,
        on_embedded: Callable[[Work, float], None] | None = None,
    ) -> None:
        """Do the work. `on_page` is told of pages that were read, `on_embedded` which share of a file was embedded."""
        self._on_page = on_page
        async with self._tools.claims() as claims:
            sharing = SharedWork(works, claims, self._collection_id)

            async def read(work: Work, admitted: Admission) -> Item[Work] | None:
                return await self._read(work, admitted) if await sharing.take(work) else None

            async def write(items: Sequence[Item[Work]]) -> None:
                written = await self._write_together(items)
                for item in items:
                    on_done(written.get(id(item)) or await self._write(item))
                    await sharing.give_back(item.work)

            pipeline = Pipeline[Work](
                read=read,
                write=write,
                embedder=self._tools.embedder,
                stop=stop,
                on_embedded=on_embedded,
            )
            self._embed_ahead = pipeline.embed_ahead
            self._parser = self._tools.parsers()
            if isinstance(self._parser, PictureReader):
                self._parser.expect(await self._tools.library.languages(self._collection_id))
            try:
                await pipeline.run(sharing.in_turn())
            finally:
                await self._parser.close()

    async def _read(self, work: Work, admitted: Admission) -> Item[Work]:
        """The document of a file, or why there is none. If somebody else indexed it meanwhile, there is neither."""
        assert self._parser is not None  # noqa: S101 - it was started before the first work
        try:
            if await self._is_done(work):
                return Item(work, None)
            if work.upload is not None:
                await self._tools.writer.set_status(
                    self._collection_id, work.document_id, DocumentStatus.PROCESSING
                )
            work.seen_at = self._tools.clock.now()
            if work.is_unread:
                work.data = Bytes(b"", work.indexing.file_hash, work.entry.mtime)
            read = await to_thread.run_sync(
                read_file, work.entry.location, self._tools.config.limits.largest_file
            )
            work.data = read._replace(data=b"")
            work.is_blank = not read.data.strip(SPACE)
            parsed = await self._parsed(self._parser, work, read.data)
            reached(IngestCrashPoint.PARSED)
            # Its chunks take many times the memory of its text.
            await admitted(len(parsed.text))
            document = await to_thread.run_sync(partial(self._document, work, read, parsed))
        except (UsageError, ProviderError, OSError) as error:
            return Item(work, None, error)
        except SourcebookError:
            raise
        except Exception as error:
            # Files are hostile until parsed: whatever one of them sets off must not keep the others from being added.
            return Item(work, None, BadFile(f"The file cannot be read: {type(error).__name__}: {error}"))
        reached(IngestCrashPoint.CHUNKED)
        return Item(work, document)

    async def _parsed(self, parser: Parser, work: Work, data: bytes) -> ParsedText:
        name = work.entry.name or work.paths[0]
        opens_archives = Options.of(work.seen.target.source).archives
        if opens_archives and is_archive(name) and isinstance(parser, Unpacker):
            return await parser.parse_archive(data, name)
        try:
            if not isinstance(parser, PageByPage):
                return await parser.parse(data, name)
            on_page = partial(self._on_page, work) if self._on_page is not None else None
            return await parser.parse_by_page(data, name, on_page, self._reader_ahead(work))
        except NeedsTranscription:
            return await self._transcribed(data, name)

    def _reader_ahead(self, work: Work) -> OnText | None:
        """What is shown the beginning of a long text, so that it is cut and embedded while the rest is read."""
        embed = self._embed_ahead
        if embed is None or self._tools.config.strategy is not ChunkStrategy.PARENT_CHILD:
            return None
        cutter = BeginningCutter()

        def read(parsed: ParsedText) -> None:
            texts = cutter.cut(parsed.text, parsed.sections)
            # Nobody may wait for it any more.
            with suppress(RuntimeError):
                from_thread.run_sync(embed, work, texts)

        return read

    async def _transcribed(self, data: bytes, name: str) -> ParsedText:
        """What is said in a recording, if somebody can write it down."""
        transcriber = self._tools.transcribers()
        if transcriber is None:
            raise NeedsTranscription
        try:
            parsed = text_of_cues(await transcriber.transcribe(data, PurePosixPath(name).name), "audio/*")
        finally:
            await transcriber.close()
        if not parsed.text.strip():
            raise EmptyFile("Nothing is said in the recording.")
        return parsed

    async def _is_done(self, work: Work) -> bool:
        """Whether another process has written these bytes since they were looked at."""
        file_hash = work.indexing.file_hash
        owner = (await self._tools.sources.owners(self._collection_id, [file_hash])).get(file_hash)
        if work.indexing.document is None:
            return owner is not None
        return owner == work.document_id and work.expected_hash != file_hash

    def _document(self, work: Work, read: Bytes, parsed: ParsedText) -> ReadDocument:
        labels = work.seen.target.labels_at(work.paths[0])
        upload = work.upload
        if upload is not None:
            metadata = {**parsed.metadata, **upload.metadata}
            parsed = replace(parsed, title=upload.title or parsed.title, metadata=metadata)
        document = described(work.document_id, work.place, parsed, labels, self._rules)
        paths = self._paths(work, parsed.metadata)
        return cut(_with_bytes(document, work, read), paths, parsed, self._tools.config.strategy)

    def _paths(self, work: Work, said: Metadata) -> list[DocumentPath]:
        """Where the bytes lie. If the file changed since it was looked at, nothing is known of the others."""
        is_same = work.data is not None and work.data.file_hash == work.indexing.file_hash
        paths: list[DocumentPath] = []
        for path in work.paths if is_same else work.paths[:1]:
            place = FilePlace(path, work.seen.shown(path), work.seen.absolute(path))
            labels = labels_for(place, work.seen.target.labels_at(path), said)
            entry = work.seen.scan.files[path]
            is_read = path == work.paths[0] and work.data is not None
            mtime = work.data.mtime if is_read and work.data else entry.mtime
            at = work.seen_at if is_read else work.seen.seen_at
            paths.append(
                DocumentPath(
                    work.seen.target.source.id, path, labels.subcategory or None, mtime, entry.size, at
                )
            )
        return paths

    async def _write_together(self, items: Sequence[Item[Work]]) -> dict[int, IndexedWork]:
        """Write documents in one transaction, by the id of their item; none if they have to be written one by one."""
        writer = self._tools.writer
        read = [(item, item.read) for item in items if item.error is None and item.read is not None]
        if not isinstance(writer, BulkWriter) or len({one.document.id for _, one in read}) < max(
            len(read), 2
        ):
            return {}
        ready = [self._prepared(item, one) for item, one in read]
        try:
            reports = await writer.replace_documents(self._collection_id, ready)
        except (DocumentChangedMeanwhile, UsageError):
            # One of them cannot be written, which must not keep back the others.
            return {}
        return {
            id(item): _indexed(item.work, prepared, report)
            for (item, _), prepared, report in zip(read, ready, reports, strict=True)
        }

    async def _write(self, item: Item[Work]) -> IndexedWork:
        work = item.work
        try:
            if item.error is not None:
                return await self._write_failure(work, item.error)
            if item.read is None:
                return await self._write_path(work)
            prepared = self._prepared(item, item.read)
            report = await self._tools.writer.replace_document(self._collection_id, prepared)
        except DocumentChangedMeanwhile:
            return IndexedWork(work, is_disputed=True)
        except UsageError as error:
            return await self._write_refused(work, error)
        return _indexed(work, prepared, report)

    def _prepared(self, item: Item[Work], read: ReadDocument) -> PreparedDocument:
        return PreparedDocument(
            document=read.document,
            chunks=item.embedded(),
            model=self._tools.embedder.model,
            paths=read.paths,
            expected_hash=item.work.expected_hash,
        )

    async def _write_path(self, work: Work) -> IndexedWork:
        """Another process has written these bytes: add this path to its document."""
        for path in self._paths(work, {}):
            owner = await self._tools.writer.add_path(self._collection_id, work.indexing.file_hash, path)
            if owner is None:
                return IndexedWork(work, is_disputed=True)
        return IndexedWork(work, Counter(unchanged=len(work.paths)))

    async def _write_failure(self, work: Work, error: Exception) -> IndexedWork:
        # When it was compared, because it could not be opened for its hash, or because the base has a text of it.
        is_told = work.is_unread and (isinstance(error, OSError) or work.keeps_old_text)
        if work.is_unread and isinstance(error, OSError):
            error = UnreadableFile(_failure("", error).message)
        if (
            isinstance(error, SourcebookError)
            and work.data is not None
            and not isinstance(error, ProviderError)
        ):
            await self._remember_failure(work, work.data, error)
        if is_told:
            return IndexedWork(work)
        is_named = work.seen.target.folder is None and work.paths[0] in work.seen.target.places
        skipped = Skip.EMPTY if work.is_blank else None
        if skipped is None and isinstance(error, BadFile) and not isinstance(error, EmptyFile):
            is_large = is_over_limit(work.indexing.file_hash)
            skipped = Skip.TOO_LARGE if is_large else skipped_as(work.paths[0], error.code)
        if skipped is not None and not is_named and not work.keeps_old_text:
            return IndexedWork(work, skipped=skipped.value)
        return IndexedWork(work, failed=_failures(work, error))

    async def _write_refused(self, work: Work, error: UsageError) -> IndexedWork:
        """The base does not take the document: that is the file's failure too, if the base takes at least that."""
        try:
            return await self._write_failure(work, error)
        except UsageError:
            return IndexedWork(work, failed=_failures(work, error))

    async def _remember_failure(self, work: Work, read: Bytes, error: SourcebookError) -> None:
        """Record the failure, so that it is not tried again before the file changes.

        Older text can still be found, unless the file was read and holds none any more.
        """
        paths = self._paths(work, {})
        refused = Refused(read.file_hash, PARSERS_VERSION)
        if not isinstance(error, EmptyFile):
            paths = await self._refuse(work, refused, error, paths)
            if not paths:
                return
        labels = work.seen.target.labels_at(work.paths[0])
        document = failed(work.document_id, work.place, error, labels, self._rules)
        document = replace(
            _with_bytes(document, work, read),
            layout={"refused": {"hash": refused.file_hash, "parsers": refused.parsers}},
        )
        prepared = PreparedDocument(
            document, (), self._tools.embedder.model, paths, expected_hash=work.expected_hash
        )
        await self._tools.writer.replace_document(self._collection_id, prepared)

    async def _refuse(
        self, work: Work, refused: Refused, error: SourcebookError, paths: list[DocumentPath]
    ) -> list[DocumentPath]:
        """Let each document that has a text keep it, and its paths. Comes back with the paths that are left."""
        kept = list(work.indexing.endangered)
        theirs = {path for one in kept for path in one.paths}
        left = [path for path in paths if path.path not in theirs]
        replaced = work.indexing.document
        if replaced is not None and has_text(replaced):
            kept.append(Endangered(replaced, [path.path for path in left]))
            left = []
        message = f"{error.code}: {error.message}"
        for one in kept:
            own = [path for path in paths if path.path in one.paths]
            if own:
                refusal = Refusal(
                    one.document.id, refused, status_after(error), message, own, one.document.file_hash
                )
                await self._tools.writer.refuse(self._collection_id, refusal)
        return left


def skipped_as(path: str, code: str) -> Skip | None:
    """What a file of a folder counts as that nobody expects to be read. It is listed with its reason all the same."""
    if code == EmptyFile.code:
        return Skip.EMPTY
    if code == UnsupportedFile.code:
        return Skip.UNSUPPORTED
    if code == NeedsTranscription.code:
        return Skip.NEEDS_TRANSCRIPTION
    is_picture = SUFFIXES.get(PurePosixPath(path).suffix.lower()) is FileKind.IMAGE
    return Skip.NEEDS_OCR if code == NeedsOcr.code and is_picture else None


def _with_bytes(document: Document, work: Work, read: Bytes) -> Document:
    return replace(
        document,
        file_hash=read.file_hash,
        file_size_bytes=len(read.data) or work.entry.size,
        mtime=read.mtime,
        stored_file=work.upload.stored_file if work.upload else None,
    )


def _indexed(work: Work, prepared: PreparedDocument, report: WriteReport) -> IndexedWork:
    passages = sum(c.chunk.parent_id is None for c in prepared.chunks)
    return IndexedWork(work, _counted(work, report), passages=passages)


def _counted(work: Work, report: WriteReport) -> Counter[str]:
    """What the paths of a work count as, each by itself."""
    if report.outcome is WriteOutcome.UNCHANGED:
        return Counter(unchanged=len(work.paths))
    first = "added" if report.outcome is WriteOutcome.WRITTEN else "duplicates"
    counts: Counter[str] = Counter()
    for number, path in enumerate(work.paths):
        new = "duplicates" if number else first
        counts["updated" if work.seen.is_known(path) else new] += 1
    return counts


def _failures(work: Work, error: Exception) -> list[FailedFile]:
    """One for each path at which the bytes lie: whoever looks for a file looks for its name."""
    return [_failure(work.seen.shown(path), error) for path in work.paths]


def _failure(path: str, error: Exception) -> FailedFile:
    match error:
        case SourcebookError():
            return FailedFile(path, error.code, error.message)
        case FileNotFoundError():
            return FailedFile(path, PathNotFound.code, "The file disappeared before it could be read.")
        case OSError():
            return FailedFile(path, "unreadable", f"It cannot be read: {error.strerror or error}.")
        case _:
            return FailedFile(path, BadFile.code, str(error))
