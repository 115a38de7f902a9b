"""Reads a folder for its texts alone: nothing is stored, chunked or embedded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from sourcebook.errors import BadFile, PathNotFound, SourcebookError
from sourcebook.ingest.folder.scan import Scan, ScanLimits, scan_folder, scan_named_files
from sourcebook.ingest.index.document_reader import read_file
from sourcebook.ingest.parsers.text.decoding import decode
from sourcebook.model.add_reports import READING, FailedFile, Progress

if TYPE_CHECKING:
    from sourcebook.ingest.add_tools import Parser
    from sourcebook.ingest.folder.scan import Seen
    from sourcebook.ingest.parsers.parsed_text import ParsedText

_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class FileText:
    """A file by its path in the folder. `raw` is what an editor shows, of files that are text."""

    path: str
    parsed: ParsedText
    raw: str | None = None


@dataclass(slots=True)
class FolderTexts:
    files: list[FileText] = field(default_factory=list[FileText])
    failed: list[FailedFile] = field(default_factory=list[FailedFile])


async def read_folder_texts(
    root: Path,
    parser: Parser,
    *,
    excluded: Iterable[Path] = (),
    on_progress: Callable[[Progress], None] | None = None,
) -> FolderTexts:
    """The text of every file of a folder that can be read, by the rules of `add`. A bad file stops no other."""
    limits = ScanLimits(excluded=[str(path.resolve()) for path in excluded])
    scan = await to_thread.run_sync(_scanned, root, limits)
    found = FolderTexts(failed=[FailedFile(t.path, BadFile.code, f"{t.reason}.") for t in scan.troubles])
    turns = anyio.Semaphore(_AT_ONCE)

    async def read(seen: Seen) -> None:
        async with turns:
            try:
                found.files.append(await _text_of(seen, limits, parser))
            except SourcebookError as error:
                found.failed.append(FailedFile(seen.path, error.code, error.message))
            except OSError as error:
                found.failed.append(FailedFile(seen.path, BadFile.code, str(error.strerror or error)))
        if on_progress is not None:
            done = len(found.files) + len(found.failed)
            on_progress(Progress(done, len(scan.files), seen.path, done / len(scan.files), stage=READING))

    async with anyio.create_task_group() as tasks:
        for seen in scan.files.values():
            tasks.start_soon(read, seen)
    found.files.sort(key=lambda file: file.path)
    return found


def _scanned(root: Path, limits: ScanLimits) -> Scan:
    root = root.resolve()
    if root.is_dir():
        return scan_folder(root, "", limits)
    if not root.exists():
        raise PathNotFound(f"There is no {str(root)!r}.")
    return scan_named_files(root.parent, [root.name], limits)


async def _text_of(seen: Seen, limits: ScanLimits, parser: Parser) -> FileText:
    read = await to_thread.run_sync(read_file, seen.location, limits.largest_file)
    parsed = await parser.parse(read.data, seen.path)
    raw = decode(read.data) if parsed.kind.startswith("text/") else None
    return FileText(seen.path, parsed, raw)
