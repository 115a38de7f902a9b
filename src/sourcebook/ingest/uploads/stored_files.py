"""Uploaded bytes, kept beside the base under names of our own.

A file appears whole or not at all, before anything in the base speaks of it. What nothing in the base speaks of any
more is swept away.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection as Names
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from anyio import to_thread

from sourcebook.errors import UsageError
from sourcebook.ingest.crash_points import IngestCrashPoint, reached
from sourcebook.ingest.fingerprint import stored_name
from sourcebook.ingest.texts.shared_texts import SharedTexts
from sourcebook.ingest.uploads.upload_folder import UNFINISHED, UploadFolder, is_upload_name
from sourcebook.ports.disk_errors import named

if TYPE_CHECKING:
    from sourcebook.ports.stores import Stores

SWEPT_AFTER_SECONDS = 3600
"""A file that nothing speaks of may be one of which something is about to."""


class StoredFiles:
    """The files of one base."""

    def __init__(self, folder: Path | UploadFolder) -> None:
        self._places = folder if isinstance(folder, UploadFolder) else UploadFolder(folder)
        self.folder = self._places.own

    def put(self, collection_id: str, path: str, file_hash: str, data: bytes) -> str:
        """Keep the bytes, and say under which name. The same bytes at the same path have the same name."""
        name = stored_name(collection_id, path, file_hash)
        with named(f"cannot keep {path!r}"):
            self._write(self.folder / name, data)
        return name

    def _write(self, target: Path, data: bytes) -> None:
        for folder in (self.folder, target.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = target.with_name(f"{uuid4().hex}{UNFINISHED}")
        try:
            with open(unfinished, "xb", opener=_private) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            reached(IngestCrashPoint.FILE_WRITTEN)
            unfinished.replace(target)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
        _sync(target.parent)
        reached(IngestCrashPoint.FILE_MOVED)

    def location(self, name: str) -> Path:
        """Where the file of this name lies. A name that we did not make is refused."""
        return self._places.find(_checked(name))

    def remove(self, name: str) -> None:
        """Remove the file. One that is not there is fine; what another base holds stays with it."""
        _checked(name)
        with named(f"cannot remove an upload from {self.folder}"):
            self._places.take_over(name)
            (self.folder / name).unlink(missing_ok=True)

    def copy_to(self, other: StoredFiles, names: Names[str]) -> tuple[int, list[str]]:
        """Copy these files to where another base keeps its own.

        Says how many that base has now, and the names of those that are missing here.
        """
        copied, missing = 0, list[str]()
        for name in sorted(names):
            with named(f"cannot copy an upload from {self.folder} to {other.folder}"):
                try:
                    data = self.location(name).read_bytes()
                except FileNotFoundError:
                    missing.append(name)
                    continue
                target = other.folder / name
                if not target.is_file() or target.read_bytes() != data:
                    other._write(target, data)
            copied += 1
        return copied, missing

    def sweep(self, kept: Names[str]) -> int:
        """Remove what is not among the kept and not quite new. How many files that were.

        In a folder that other bases use, only this base's own part is swept: whatever of the kept still lies outside
        comes into it first.
        """
        with named(f"cannot sweep the uploads in {self.folder}"):
            self._places.take_over_all([name for name in kept if is_upload_name(name)])
            return sum(self._remove_orphan(file, kept) for file in self._places.files())

    def _remove_orphan(self, file: Path, kept: Names[str]) -> bool:
        """Remove a file of ours that is not among the kept and not quite new. True if it was one."""
        name = file.relative_to(self.folder).as_posix()
        is_ours = is_upload_name(name) or name.endswith(UNFINISHED)
        # Another worker may sweep too, and what is unfinished may just get its name.
        with suppress(FileNotFoundError):
            if is_ours and name not in kept and file.stat().st_mtime < time.time() - SWEPT_AFTER_SECONDS:
                file.unlink()
                return True
        return False


async def remove_document(stores: Stores, files: StoredFiles, collection_id: str, document_id: str) -> bool:
    """Remove a document, and the bytes that are kept for it. True if there was one.

    A text that was given under other ids too stays with these.
    """
    shared = SharedTexts(collection_id, stores.library, stores.sources, stores.vectors)
    document = await stores.library.get_document(collection_id, document_id)
    if document is None:
        return await stores.writer.forget_path(collection_id, shared.source_id, document_id)
    successor = await shared.successor(document, among_files=False)
    is_removed = await stores.writer.remove_document(collection_id, document_id, successor=successor)
    if document.stored_file and successor is None:
        await to_thread.run_sync(files.remove, document.stored_file)
    return is_removed


def _checked(name: str) -> str:
    if not is_upload_name(name):
        raise UsageError(f"{name!r} is not the name of a stored file.")
    return name


def _private(path: str, flags: int) -> int:
    """For nobody else to read."""
    return os.open(path, flags, 0o600)


def _sync(folder: Path) -> None:
    """Make a new name survive a power cut, where the system lets us."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
