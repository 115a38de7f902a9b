"""Bytes that are no file on this machine, kept in files while they are added."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory


class Spool:
    """A folder for one run, made when the first bytes come and gone when it is closed."""

    def __init__(self) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        self._count = 0

    def put(self, data: bytes, mtime: int) -> str:
        """Where the bytes lie now, as a file of that time."""
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="sourcebook-")
        self._count += 1
        place = Path(self._folder.name, str(self._count))
        place.write_bytes(data)
        os.utime(place, (mtime, mtime))
        return str(place)

    def close(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
