"""Which file a base is, so that one that took its name is noticed.

A file that is deleted or renamed stays what it is to those who have it open: they would go on writing where nobody
looks any more.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from sourcebook.errors import BaseReplaced
from sourcebook.storage.sqlite import base_files


@dataclass(slots=True)
class FileIdentity:
    """The file of an open base, and its log from the moment when there is one."""

    path: Path
    _names: tuple[str, str] = field(init=False)
    _file: tuple[int, int] | None = None
    _log: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        self._names = str(self.path), str(base_files.side(self.path, "-wal"))

    def look(self) -> None:
        """Remember which file has the name."""
        self._file, self._log = _identity(self._names[0]), None

    def require(self) -> None:
        """Raise BaseReplaced if another file has the name now, or none, or if the log is another one."""
        file, log = map(_identity, self._names)
        if file is None and self._file is not None:
            raise BaseReplaced(f"{self.path} was deleted or moved while it was open")
        if file != self._file:
            raise BaseReplaced(f"{self.path} was replaced while it was open")
        if self._log not in (None, log):
            raise BaseReplaced(f"The log of {self.path} was deleted or replaced while the base was open")
        self._log = log


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - asked at every write, and a quarter of the price
    except OSError:
        return None
    return found.st_dev, found.st_ino
