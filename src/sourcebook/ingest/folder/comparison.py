"""Compares part of a source with the base: what is there now, what the base remembers, and what to do.

A file is read for its hash only if its size or one of its times is another than before, or if it changed so shortly
before it was last read that it might have changed again unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from anyio import to_thread

from sourcebook.errors import (
    EmptyFile,
    FileOverLimit,
    NeedsOcr,
    NeedsTranscription,
    SourcebookError,
    UnsupportedFile,
    UsageError,
)
from sourcebook.ingest.folder.file_content import require_content
from sourcebook.ingest.folder.file_names import readable
from sourcebook.ingest.folder.plan import (
    Known,
    Plan,
    believed_hash,
    could_not_be_read,
    diff,
    is_waiting,
    with_text,
)
from sourcebook.ingest.folder.scan import (
    Scan,
    ScanLimits,
    Seen,
    Skip,
    Trouble,
    cannot_be_read,
    scan_files_of_folder,
    scan_folder,
    scan_named_files,
)
from sourcebook.ingest.folder.targets import Options
from sourcebook.ingest.index.document_reader import (
    FileStamp,
    is_mark,
    mark_file,
    over_limit_mark,
    too_large,
    unreadable_mark,
)
from sourcebook.model.add_reports import FailedFile
from sourcebook.model.sources import PathState, SourceKind, shown_path

if TYPE_CHECKING:
    from sourcebook.ingest.add_request import Labels
    from sourcebook.ingest.folder.outside_files import OutsideFiles
    from sourcebook.ingest.folder.targets import Target
    from sourcebook.model.sources import DocumentState
    from sourcebook.ports.storage import Sources

RACY_SECONDS = 2
"""A file that changed within this time before it was read may have changed again, and still show the same time."""
FOR_EVER = 2**62
"""A time at which no file was seen: one that changed then is always read."""
_MARKED_AT_ONCE = 64

# (files looked at, all of them, the last one)
OnLooked: TypeAlias = Callable[[int, int, str], None]

_PRESENT = (Skip.UNSUPPORTED, Skip.TOO_LARGE)
"""What is there and may hold what it held. A file that was emptied holds nothing: its text is gone."""
_SKIPPED_AS: dict[Skip, tuple[str, str]] = {
    Skip.UNSUPPORTED: (UnsupportedFile.code, "This kind of file is not supported."),
    Skip.EMPTY: (EmptyFile.code, "The file contains no text."),
    Skip.NEEDS_OCR: (NeedsOcr.code, "The file is a picture."),
    Skip.NEEDS_TRANSCRIPTION: (NeedsTranscription.code, "The file is an audio or video recording."),
    Skip.NOT_A_FILE: (UsageError.code, "This is a pipe, a socket or a device, not a regular file."),
    Skip.LINK: (UsageError.code, "This link is broken, or leads out of the folder."),
    Skip.IGNORED: ("ignored", "`.gitignore` or `.sourcebookignore` excludes this file."),
}


@dataclass(slots=True)
class FolderComparison:
    """What was seen of a target, and the plan that makes the base agree with it."""

    target: Target
    known: Known
    scan: Scan
    found: dict[str, str]
    marks: dict[str, FileStamp]
    plan: Plan
    seen_at: int
    failed: list[FailedFile] = field(default_factory=list[FailedFile])

    def shown(self, path: str) -> str:
        """A path as people are shown it."""
        return shown_path(self.target.source.shown, path)

    def absolute(self, path: str) -> PurePosixPath:
        return PurePosixPath(self.target.source.root, path)

    def is_known(self, path: str) -> bool:
        return path in self.known.paths

    def refreshed(self) -> list[PathState]:
        """Paths of which only the times changed."""
        return [
            PathState(path, self.known.paths[path].document_id, mark.size, mark.mtime, self.seen_at)
            for path in self.plan.unchanged
            if (mark := self.marks.get(path)) is not None
        ]

    def unchanged(self) -> set[str]:
        """The paths of what could be read and did not change."""
        return self._as_before() - self.still_failed()

    def still_failed(self) -> set[str]:
        """The paths of what could not be read before either, and did not change."""
        unread = {d.id for d in self.known.documents.values() if could_not_be_read(d)}
        unread -= set(self.plan.accepted)
        return {path for path in self._as_before() if self.known.paths[path].document_id in unread}

    def _as_before(self) -> set[str]:
        """The paths of what did not change. What failed now is not among them, though the base keeps it."""
        failed = {file.path for file in self.failed}
        return {path for path in self.plan.unchanged if not failed or self.shown(path) not in failed}


class FolderComparer:
    """Looks at targets of one collection."""

    def __init__(
        self,
        sources: Sources,
        collection_id: str,
        limits: ScanLimits,
        is_stopped: Callable[[], bool],
        on_looked: OnLooked | None = None,
        outside: OutsideFiles | None = None,
    ) -> None:
        self._sources = sources
        self._collection_id = collection_id
        self._limits = limits
        self._is_stopped = is_stopped
        self._on_looked = on_looked
        self._outside = outside

    async def examine(
        self, target: Target, now: int, retries: Callable[[DocumentState], bool]
    ) -> FolderComparison | None:
        """None if it was stopped on the way: what was not seen must not be taken for gone."""
        if target.web is not None and self._outside is not None:
            everything = await self._known(replace(target, folder=""))
            target, scan = await self._outside.fetch(target, everything, retries)
            known = await self._known(target)
        else:
            known = await self._known(target)
            scan = await to_thread.run_sync(self._scan, target)
        opened: Sequence[str] = ()
        if self._outside is not None:
            opened = await self._outside.unpack(target, scan, known, retries)
        found, to_mark = _compared(scan, known)
        marks = await self._mark(scan, to_mark, found, with_text(known))
        if self._is_stopped():
            return None
        seen = FolderComparison(target, known, scan, found, marks, Plan(), now)
        _remember_unread(seen)
        _spare(seen, self._limits.largest_file)
        known = await self._with_owners(known, found)
        retried = [
            d.id for d in known.documents.values() if is_waiting(d) or (could_not_be_read(d) and retries(d))
        ]
        retried += [*opened, *_named_and_unread(target, known)]
        seen.known, seen.plan = known, diff(known, found, retried)
        return seen

    async def _known(self, target: Target) -> Known:
        states = await self._sources.known_paths(self._collection_id, target.source.id)
        for inner in target.absorbed:
            paths = await self._sources.known_paths(self._collection_id, inner.source_id)
            states += [state._replace(path=inner.prefix + state.path) for state in paths]
        covered = {state.path: state for state in states if target.covers(state.path)}
        ids = sorted({state.document_id for state in covered.values()})
        own = [target.source.id, *(inner.source_id for inner in target.absorbed)]
        documents = await self._sources.known_documents(self._collection_id, own, ids) if ids else []
        elsewhere = {state.id for state in documents if state.is_elsewhere}
        elsewhere |= {state.document_id for state in states if state.path not in covered}
        return Known(covered, {state.id: state for state in documents}, elsewhere=frozenset(elsewhere))

    def _scan(self, target: Target) -> Scan:
        if target.is_missing or target.uploads:
            return Scan({p: Seen(p, u.location, u.size, 0, FOR_EVER) for p, u in target.uploads.items()})
        if target.folder is not None:
            return scan_folder(target.root, target.folder, self._limits, self._is_stopped)
        look = scan_named_files if target.source.kind is SourceKind.FILE else scan_files_of_folder
        return look(target.root, target.files, self._limits)

    async def _mark(
        self, scan: Scan, waiting: Sequence[Seen], found: dict[str, str], texts: frozenset[str]
    ) -> dict[str, FileStamp]:
        """Read the files that may have changed, for their hashes."""
        marks: dict[str, FileStamp] = {}
        for start in range(0, len(waiting), _MARKED_AT_ONCE):
            if self._is_stopped():
                break
            some = waiting[start : start + _MARKED_AT_ONCE]
            marks |= await to_thread.run_sync(
                partial(_mark_all, some, scan, self._limits.largest_file, texts)
            )
            if self._on_looked is not None:
                self._on_looked(start + len(some), len(waiting), some[-1].path)
        found.update({path: mark.file_hash for path, mark in marks.items()})
        return marks

    async def _with_owners(self, known: Known, found: dict[str, str]) -> Known:
        own = {state.file_hash for state in known.documents.values()}
        foreign = sorted(set(found.values()) - own)
        owners = await self._sources.owners(self._collection_id, foreign) if foreign else {}
        return Known(
            known.paths, known.documents, owners, known.elsewhere, await self._unread(known, found, owners)
        )

    async def _unread(
        self, known: Known, found: dict[str, str], owners: dict[str, str]
    ) -> dict[str, DocumentState]:
        """Documents elsewhere that could not be read and hold what is now at a path of a text."""
        ids = sorted({owners[found[p]] for p in with_text(known) if p in found and found[p] in owners})
        states = await self._sources.known_documents(self._collection_id, [], ids) if ids else []
        return {state.id: state for state in states if could_not_be_read(state)}


def _named_and_unread(target: Target, known: Known) -> Iterator[str]:
    """Documents of files that could not be read: whoever names one wants to hear again why."""
    named = () if target.folder is not None or target.web is not None else map(readable, target.files)
    for path in named:
        state = known.paths.get(path)
        document = known.documents.get(state.document_id) if state else None
        if document is not None and could_not_be_read(document):
            yield document.id


def _compared(scan: Scan, known: Known) -> tuple[dict[str, str], list[Seen]]:
    """The files that are as they were, by what they hold, and those that have to be read."""
    found: dict[str, str] = {}
    to_mark: list[Seen] = []
    for path, seen in scan.files.items():
        before = known.paths.get(path)
        state = known.documents.get(before.document_id) if before else None
        held = believed_hash(state) if state else None
        is_read = held is not None and not is_mark(held)
        if before is not None and held is not None and is_read and _is_as_it_was(seen, before):
            found[path] = held
        else:
            to_mark.append(seen)
    return found, to_mark


def _is_as_it_was(seen: Seen, before: PathState) -> bool:
    same = (seen.size, seen.mtime) == (before.size, before.mtime)
    return same and seen.changed_at + RACY_SECONDS <= before.seen_at


def _mark_all(files: Iterable[Seen], scan: Scan, largest: int, texts: frozenset[str]) -> dict[str, FileStamp]:
    """What the files are known by.

    One that was emptied is left out, so that its text counts as gone: who has emptied a whole folder is asked first.
    """
    marks: dict[str, FileStamp] = {}
    for seen in files:
        try:
            mark = mark_file(seen.location, largest)
            if seen.path in texts:
                require_content(mark.head, is_all=mark.size <= len(mark.head))
        except FileNotFoundError:
            del scan.files[seen.path]
        except OSError as error:
            scan.troubles.append(Trouble(seen.path, cannot_be_read(error)))
            scan.unreadable[seen.path] = seen
        except SourcebookError as error:
            scan.skipped[seen.path] = _reason(error)
        else:
            marks[seen.path] = mark._replace(head=b"")
    return marks


def _reason(error: SourcebookError) -> Skip:
    match error:
        case FileOverLimit():
            return Skip.TOO_LARGE
        case EmptyFile():
            return Skip.EMPTY
        case UnsupportedFile():
            return Skip.UNSUPPORTED
        case _:
            return Skip.NOT_A_FILE


def _remember_unread(seen: FolderComparison) -> None:
    """What is too large or cannot be opened is remembered by its size and time, and so listed with what was not read.

    Where the base has an older text, it keeps that, and every `add` tells that the file could not be read.
    """
    texts, source = with_text(seen.known), seen.target.source.id
    for path, entry in seen.scan.large.items():
        seen.found[path] = over_limit_mark(source, path, entry.size, entry.mtime)
        seen.scan.files[path] = entry
        if path not in texts:
            del seen.scan.skipped[path]
    for path, entry in seen.scan.unreadable.items():
        if path not in seen.target.uploads:
            seen.found[path] = unreadable_mark(source, path, entry.size, entry.mtime)


def _spare(seen: FolderComparison, largest: int) -> None:
    """What cannot be looked at or read now is not gone: the base keeps what it knows of it, and the report says so."""
    scan, named = seen.scan, {*map(readable, seen.target.files), *seen.target.uploads}
    for path, state in seen.known.paths.items():
        document = seen.known.documents.get(state.document_id)
        held = believed_hash(document) if document else None
        is_present = scan.skipped.get(path) in _PRESENT or scan.is_hidden_by_trouble(path)
        if path not in seen.found and held is not None and is_present:
            seen.found[path] = held
    for path, reason in list(scan.skipped.items()):
        if path in named or (seen.is_known(path) and reason in _PRESENT):
            code, message = _told(reason, largest)
            seen.failed.append(FailedFile(seen.shown(path), code, message))
            del scan.skipped[path]
    for trouble in scan.troubles:
        seen.failed.append(FailedFile(seen.shown(trouble.path), "unreadable", f"{trouble.reason}."))


def _told(reason: Skip, largest: int) -> tuple[str, str]:
    """The code and the message of a file that is not read."""
    if reason is Skip.TOO_LARGE:
        error = too_large(largest)
        return error.code, error.message
    return _SKIPPED_AS[reason]


def options_after(target: Target, given: Labels, rules: str) -> Options:
    """The options of a source after this `add`, with the labels that were given for what was named."""
    options = Options.of(target.source)
    for place in target.places:
        options = options.labelled(place, given)
    return replace(options, rules=rules) if target.is_whole else options
