"""Arrays in a file beside the base, mapped by every process that searches it.

The base itself says which file is true: it records a token that the file must carry. A file is written under another
name, synced and renamed before the base records it, so a crash leaves at most a file that nobody trusts. A base that
was restored from a backup knows an older token, or none, and its file is made again.
"""

from __future__ import annotations

import json
import mmap
import os
import secrets
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sourcebook.storage.sqlite.driver import sync_folder
from sourcebook.storage.sqlite.engine.spooled_bytes import let_go
from sourcebook.storage.temporary_folders import make_private_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MAGIC = b"SBCODES2"
_ALIGNMENT = 64
_BYTES_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What the base knows of a file: its token, and the change up to which it is complete."""

    token: str
    seq: int

    @classmethod
    def of(cls, text: str) -> FileRecord:
        return cls(**json.loads(text))

    def as_text(self) -> str:
        return json.dumps(asdict(self))


def new_token() -> str:
    return secrets.token_hex(16)


def derived_folder(base: Path) -> Path:
    """Where the files of a base lie that can be made again."""
    return base.with_name(f"{base.name}.derived")


class DerivedFiles:
    """The files of one base: `knowledge_base.db.derived/words-….bin`."""

    def __init__(self, base: Path) -> None:
        self._folder = derived_folder(base)

    def write(self, name: str, token: str, arrays: Mapping[str, NDArray[Any]]) -> Path:
        """Write a file whole or not at all."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        unfinished = self._folder / f"{name}-{token}.unfinished"
        try:
            make_private_file(unfinished)
            with unfinished.open("r+b") as file:
                _write(file, {"name": name, "token": token}, arrays)
                file.flush()
                os.fsync(file.fileno())
            finished = unfinished.replace(self._path(name, token))
            sync_folder(self._folder)
            return finished
        finally:
            unfinished.unlink(missing_ok=True)

    def read(self, name: str, token: str) -> dict[str, NDArray[Any]] | None:
        """The arrays of the file, mapped and not loaded, or None if there is no such file or it is not whole."""
        try:
            with self._path(name, token).open("rb") as file:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            return None
        return _read(data, {"name": name, "token": token})

    def present(self, name: str) -> list[Path]:
        """The files of this name, finished or not."""
        return sorted(self._folder.glob(f"{name}-*"))

    def remove(self, paths: Iterable[Path]) -> None:
        """Remove files. Who has one mapped keeps it until it lets go."""
        for path in paths:
            path.unlink(missing_ok=True)

    def _path(self, name: str, token: str) -> Path:
        return self._folder / f"{name}-{token}.bin"


def _write(file: Any, identity: Mapping[str, str], arrays: Mapping[str, NDArray[Any]]) -> None:
    described: dict[str, object] = {}
    position = 0
    for key, array in arrays.items():
        position += -position % _ALIGNMENT
        described[key] = {"type": array.dtype.str, "shape": list(array.shape), "at": position}
        position += array.nbytes
    head = json.dumps({**identity, "arrays": described, "size": position}).encode()
    start = _data_start(len(head))
    file.write(_MAGIC + len(head).to_bytes(8, "little") + zlib.crc32(head).to_bytes(8, "little") + head)
    for key, array in arrays.items():
        at: Any = described[key]
        file.seek(start + at["at"])
        _write_array(file, array)
    file.truncate(start + position)


def _write_array(file: Any, array: NDArray[Any]) -> None:
    """Part by part, so that an array which is mapped is never in memory as a whole."""
    flat: Any = np.ascontiguousarray(array).reshape(-1)
    step = max(_BYTES_AT_ONCE // flat.itemsize, 1)
    for start in range(0, len(flat), step):
        file.write(flat[start : start + step].data)
        let_go(flat)


def _data_start(head: int) -> int:
    end = len(_MAGIC) + 16 + head
    return end + -end % _ALIGNMENT


def _read(data: mmap.mmap, identity: Mapping[str, str]) -> dict[str, NDArray[Any]] | None:
    length = int.from_bytes(data[8:16], "little")
    head = data[24 : 24 + length]
    if data[:8] != _MAGIC or len(head) != length or zlib.crc32(head) != int.from_bytes(data[16:24], "little"):
        return None
    described = json.loads(head)
    start = _data_start(length)
    if (
        any(described[key] != value for key, value in identity.items())
        or len(data) != start + described["size"]
    ):
        return None
    return {key: _mapped(data, start, about) for key, about in described["arrays"].items()}


def _mapped(data: mmap.mmap, start: int, about: Mapping[str, Any]) -> NDArray[Any]:
    kind, shape = np.dtype(about["type"]), tuple(about["shape"])
    count = int(np.prod(shape))
    if count == 0:
        return np.empty(shape, dtype=kind)
    return np.frombuffer(data, dtype=kind, count=count, offset=start + about["at"]).reshape(shape)
