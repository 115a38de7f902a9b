"""A bundle that appears complete or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
from contextlib import ExitStack, suppress
from pathlib import Path

from sourcebook.errors import Conflict
from sourcebook.storage.jsonl.bundle_manifest import FILES, WRITTEN, Manifest, WrittenFile, claims_to_be_ours
from sourcebook.storage.jsonl.bundle_report import OnExisting
from sourcebook.storage.jsonl.json_lines import MANIFEST
from sourcebook.storage.temporary_folders import (
    REPLACED,
    keep_mode,
    left_behind,
    make_private_file,
    make_private_folder,
    remove_leftover,
    remove_tree,
    temporary_folder,
)


class LinesFile:
    """A file of lines that is hashed while it is written."""

    def __init__(self, path: Path) -> None:
        make_private_file(path)
        self._file = path.open("r+b")
        self._hashed = hashlib.sha256()
        self._lines = 0

    def put(self, line: str) -> None:
        data = line.encode() + b"\n"
        self._file.write(data)
        self._hashed.update(data)
        self._lines += 1

    def finish(self) -> WrittenFile:
        """Close the file when it is on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return WrittenFile(self._hashed.hexdigest(), self._lines)

    def abandon(self) -> None:
        # Closing writes what is still to be written, which a full disk refuses again.
        with suppress(OSError):
            self._file.close()


class UnfinishedBundle:
    """A bundle under a name of its own, beside the folder that it becomes when it is complete."""

    def __init__(self, target: Path) -> None:
        self._target = target
        make_private_folder(target.parent)
        for path in left_behind(target.parent, target.name):
            remove_leftover(path)
        self._held = ExitStack()
        self._room = self._held.enter_context(temporary_folder(target, "unfinished"))
        self._folder = self._room / "bundle"
        self._files: dict[str, LinesFile] = {}
        try:
            make_private_folder(self._folder)
            for name in WRITTEN:
                self._files[name] = LinesFile(self._folder / name)
        except BaseException:
            self.abandon()
            raise

    def put(self, name: str, line: str) -> None:
        self._files[name].put(line)

    def finish_files(self) -> dict[str, WrittenFile]:
        return {name: file.finish() for name, file in self._files.items()}

    def complete(self, manifest: Manifest, program_version: str, on_existing: OnExisting) -> None:
        """Write the manifest, and give the folder its name. An earlier bundle of that name goes."""
        make_private_file(self._folder / MANIFEST)
        with (self._folder / MANIFEST).open("r+b") as file:
            file.write(manifest.as_json(program_version).encode())
            file.flush()
            os.fsync(file.fileno())
        _sync_folder(self._folder)
        while not self._has_given_name(on_existing):
            pass  # somebody else's bundle got the name first; it makes way like any other
        _sync_folder(self._target.parent)
        self._held.close()

    def _has_given_name(self, on_existing: OnExisting) -> bool:
        # Writing may have taken long, and somebody may have put something there meanwhile.
        require_place(self._target, on_existing)
        replaced = self._room / REPLACED
        remove_tree(replaced)
        with suppress(FileNotFoundError):
            keep_mode(self._target, self._folder)
            self._target.rename(replaced)
        try:
            self._folder.rename(self._target)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                return False
            if replaced.exists():
                replaced.rename(self._target)
            raise
        return True

    def abandon(self) -> None:
        """Leave nothing of it."""
        for file in self._files.values():
            file.abandon()
        self._held.close()


def require_place(target: Path, on_existing: OnExisting) -> None:
    """Refuse to write where something is that an export did not make, or that nobody said to replace."""
    looked_at = _identity(target)
    while looked_at is not None and not _is_empty_folder(target):
        if _is_a_bundle_and_nothing_else(target):
            if on_existing is OnExisting.REFUSE:
                raise Conflict(f"{target} already contains a bundle", hint="Add `--force` to replace it.")
            return
        found = _identity(target)
        if found == looked_at:
            raise Conflict(
                f"{target} exists and is not a bundle",
                hint="Choose a folder that does not exist. Nothing was written.",
            )
        looked_at = found  # somebody who exports to the same place changed it in between: look again


def _identity(path: Path) -> tuple[int, int] | None:
    """Which folder it is that has this name now; None if nothing has it."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_ctime_ns


def _is_empty_folder(path: Path) -> bool:
    try:
        return path.is_dir() and not any(path.iterdir())
    except FileNotFoundError:
        return False


def _is_a_bundle_and_nothing_else(path: Path) -> bool:
    if not path.is_dir() or path.is_symlink():
        return False
    try:
        names = {entry.name for entry in path.iterdir()}
    except FileNotFoundError:
        return False
    return names in ({MANIFEST, *FILES}, {MANIFEST, *WRITTEN}) and claims_to_be_ours(path)


def _sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut, where the system lets us."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
