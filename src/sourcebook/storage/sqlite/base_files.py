"""The files of a base and around it: what they are called, and how a new one gets its name."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from sourcebook.errors import BaseFull, StorageError
from sourcebook.storage.sqlite import driver

SIDES = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a file."""

_TEMPORARY = re.compile(
    r"\..+\.(?:unfinished|replaced|restoring|salvaged|rebuilt)-(?P<process>\d+)(?:-wal|-shm|-journal)?"
)


def stored_files_of(base: Path) -> Path:
    """The folder of the uploads that belong to a base."""
    return base.with_name(f"{base.name}.files")


def derived_files_of(base: Path) -> Path:
    return base.with_name(f"{base.name}.derived")


def side(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def beside(target: Path, state: str) -> Path:
    """Where something is made that is to be called `target` when it is complete."""
    return target.with_name(f".{target.name}.{state}-{os.getpid()}")


def remove_with_sides(path: Path) -> None:
    for file in (path, *(side(path, suffix) for suffix in SIDES)):
        file.unlink(missing_ok=True)


def make_anew(path: Path, like: Path) -> None:
    """An empty file that the same people may read as another one."""
    remove_with_sides(path)
    path.touch(mode=0o600)
    path.chmod(like.stat().st_mode & 0o777)


def left_behind(folder: Path, name: str = "") -> list[Path]:
    """What processes that are no more were making in a folder: of the file `name`, or of any."""
    found: list[Path] = []
    for path in sorted(folder.glob(f".{name}*" if name else ".*")):
        temporary = _TEMPORARY.fullmatch(path.name)
        is_of_it = not name or path.name.startswith(f".{name}.")
        if temporary and is_of_it and not _is_running(int(temporary["process"])):
            found.append(path)
    return found


def remove_tree(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    if process == os.getpid() or os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def name_it(finished: Path, target: Path) -> None:
    """Give a file its name, unless something has that name by now: then FileExistsError."""
    try:
        os.link(finished, target)
    except FileExistsError:
        raise
    except OSError:
        # Not every file system has links. Somebody would have to be very quick to lose a file here.
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        finished.replace(target)
    else:
        finished.unlink()
    driver.sync_folder(target.parent)


def link_or_copy(source: Path, target: Path) -> None:
    """The same content under a second name."""
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:
        shutil.copy2(source, target)
        driver.sync_file(target)


@contextmanager
def named(what: str) -> Generator[None]:
    """What the system refuses, as an error of ours."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise BaseFull(f"{what}: the disk is full") from error
        raise StorageError(
            f"{what}: {error.strerror or error}",
            hint="Check the permissions of the file and its folder. The existing files are untouched.",
        ) from error
