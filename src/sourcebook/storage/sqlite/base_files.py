"""The files of a base and around it: what they are called, and how a new one gets its name."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from pathlib import Path

from sourcebook.storage.sqlite import driver
from sourcebook.storage.temporary_folders import make_private_file, temporary_folder

SIDES = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside a file."""


def stored_files_of(base: Path) -> Path:
    """The folder of the uploads that belong to a base."""
    return base.with_name(f"{base.name}.files")


def derived_files_of(base: Path) -> Path:
    return base.with_name(f"{base.name}.derived")


def side(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def make_base_file(path: Path) -> None:
    """An empty file for a new base, for nobody else to read. One that exists stays as it is."""
    place = path.resolve()
    if place.exists():
        return
    # Made elsewhere and named when it is closed: closing it would drop the locks of whoever opened the base meanwhile.
    with temporary_folder(place, "unfinished") as folder, suppress(FileExistsError):
        make_private_file(folder / place.name)
        name_it(folder / place.name, place)


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
