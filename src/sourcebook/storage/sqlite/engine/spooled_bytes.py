"""Bytes that are too many to be held in memory, in a file without a name, and arrays that let go of what was read."""

from __future__ import annotations

import mmap
import tempfile
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import DTypeLike, NDArray

MOST_IN_MEMORY = 32_000_000
"""Fewer bytes are not worth a file."""


class SpooledBytes:
    """Bytes that grow at their end. From some size on they lie in a file of the given folder, if there can be one.

    The file has no name: it is gone with the last array that is made of it, however the process ends.
    """

    def __init__(self, folder: Path | None, most_in_memory: int = MOST_IN_MEMORY) -> None:
        self._folder = folder
        self._most_in_memory = most_in_memory
        self._held = bytearray()
        self._file: IO[bytes] | None = None

    def append(self, data: bytes | bytearray | memoryview) -> None:
        if self._file is not None:
            self._write(data)
            return
        self._held += data
        if self._folder is not None and len(self._held) > self._most_in_memory:
            self._move_to_file(self._folder)

    def array(self, kind: DTypeLike) -> NDArray[Any]:
        """All of them as numbers of this kind, which cannot be changed. Nothing may be appended afterwards."""
        if self._file is None:
            return np.frombuffer(self._held, dtype=kind)
        with self._file as file:
            file.flush()
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), dtype=kind)

    def _move_to_file(self, folder: Path) -> None:
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - `array` closes it
        except OSError:
            # Nothing can be written there, so memory has to do.
            self._folder = None
            return
        self._file = cast("IO[bytes]", file)
        held, self._held = self._held, bytearray()
        self._write(held)

    def _write(self, data: bytes | bytearray | memoryview) -> None:
        """Write to the file; if the disk is full, go on in memory."""
        assert self._file is not None  # noqa: S101 - whoever calls has made it
        start = self._file.tell()
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError:
            with self._file as file:
                file.seek(0)
                self._held = bytearray(file.read(start))
            self._held += data
            self._file = self._folder = None


def let_go(array: NDArray[Any]) -> None:
    """Take up no memory for what was read of a mapped file; it is read again when it is needed.

    An array that is not mapped stays as it is.
    """
    base: object = array
    while isinstance(base, np.ndarray):
        base = cast("object", base.base)
    mapped = base.obj if isinstance(base, memoryview) else base
    if isinstance(mapped, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)
