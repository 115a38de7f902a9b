"""Where something is made that gets its name when it is complete: a folder of its own, with a lock that is held.

Two that make the same thing at the same time never meet, in whichever processes or containers they run. The lock ends
with its process, so what a killed one left can be told from what somebody is working on.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

STATES = ("unfinished", "replaced", "restoring", "salvaged", "rebuilt")
REPLACED = "replaced"
"""What had the name before, inside of the folder, while the new one gets it."""

_LOCK = "lock"
_NAME = re.compile(rf"\.(?P<target>.+)\.(?:{'|'.join(STATES)})-[0-9a-f]+(?:-wal|-shm|-journal)?", re.DOTALL)
# Without a lock in it, age is all that tells: earlier versions made such, and a lock takes a moment to be made.
_SETTLED_SECONDS = 3600


@contextmanager
def temporary_folder(target: Path, state: str) -> Generator[Path]:
    """A folder beside `target` that nobody else uses or reads. It is removed with all that is left in it."""
    folder, lock = _make(target, state)
    try:
        yield folder
    finally:
        if sys.platform == "win32":  # where nothing that is open can be removed
            os.close(lock)
            remove_tree(folder)
        else:
            remove_tree(folder)
            os.close(lock)


def left_behind(folder: Path, name: str = "") -> list[Path]:
    """What processes that are no more were making in a folder: of the file `name`, or of any."""
    return [
        path
        for path in sorted(folder.glob(".*"))
        if (found := _NAME.fullmatch(path.name)) and name in ("", found["target"]) and not _is_alive(path)
    ]


def remove_leftover(path: Path) -> None:
    """Remove what is left of somebody's work. What was there before gets its name back, if nothing has it now.

    What somebody has begun to work on since it was listed stays.
    """
    with _nobody_works_on(path) as is_left:
        if is_left:
            _remove_leftover(path)


def _remove_leftover(path: Path) -> None:
    found = _NAME.fullmatch(path.name)
    former = path / REPLACED
    if found and former.exists():
        with suppress(OSError):
            target = path.with_name(found["target"])
            if not target.exists():
                former.rename(target)
    remove_tree(path)


def remove_tree(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def make_private_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for nobody else to look into. One that exists stays."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def make_private_file(path: Path) -> None:
    """A new, empty file for nobody else to read."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600))


def keep_mode(of: Path, on: Path) -> None:
    """Let a file that takes the place of another be read by the same people."""
    with suppress(FileNotFoundError):
        on.chmod(of.stat().st_mode & 0o777)


def _make(target: Path, state: str) -> tuple[Path, int]:
    while True:
        folder = target.with_name(f".{target.name}.{state}-{secrets.token_hex(8)}")
        folder.mkdir(mode=0o700)
        lock = os.open(
            folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), 0o600
        )
        # Until it was locked, it looked like something left behind, and may have been removed as such.
        if _lock(lock) is not False and (folder / _LOCK).exists():
            return folder, lock
        os.close(lock)
        remove_tree(folder)


def _is_alive(path: Path) -> bool:
    with _nobody_works_on(path) as is_left:
        return not is_left


@contextmanager
def _nobody_works_on(path: Path) -> Generator[bool]:
    """Yields whether the process that owned the folder has ended. Until the block ends nobody else can take it."""
    try:
        lock = os.open(path / _LOCK, os.O_RDWR)
    except OSError:
        yield _is_settled(path)
        return
    try:
        is_free = _lock(lock)
        if sys.platform == "win32":  # where nothing that is open can be removed
            os.close(lock)
        yield _is_settled(path) if is_free is None else is_free
    finally:
        if sys.platform != "win32":
            os.close(lock)


def _is_settled(path: Path) -> bool:
    with suppress(OSError):
        return time.time() - path.stat().st_mtime > _SETTLED_SECONDS
    return False


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool | None:
        """Whether nobody else had it; None where there are no locks."""
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(descriptor: int) -> bool | None:
        """Whether nobody else had it; None where there are no locks."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return None
        return True
