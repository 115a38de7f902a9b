"""Whether the write-ahead log of a base lost its end while nobody used it.

After a crash SQLite takes as much of the log as it finds intact, and says nothing of the rest. But a process that was
killed also leaves the index of the log, which tells how far it had been committed: what is missing up to there was
acknowledged once, and is gone.
"""

from __future__ import annotations

import json
import logging
import os
import struct
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sourcebook.errors import StorageError
from sourcebook.storage.sqlite import base_files, driver

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.storage.sqlite.driver import Connection

LOG_WAS_CUT = "log_was_cut"
"""The key of `base_info` under which that is remembered."""

_LOG_HEADER, _FRAME_HEADER = 32, 24
_MAGICS = {0x377F0682: "<u4", 0x377F0683: ">u4"}
_INDEX_HEADER = 48
_FIRST_LOCK = 128
"""Where in the index every process that uses the base holds a lock."""

# Closing a file drops the locks that other connections of this process hold on it, so these stay open.
_indexes: dict[tuple[int, int], int] = {}


@dataclass(frozen=True, slots=True)
class CommittedLog:
    """What the index says: how many frames were committed, how many of them the base has already, and of which log."""

    frames: int
    copied: int
    salt: bytes


def lost_frames(base: Path) -> int:
    """How many pages that were committed to the log are not in it any more. 0 while another process uses the base."""
    if os.name != "posix":
        return 0
    with suppress(OSError):
        for _ in range(3):
            before = _committed(base)
            if before is None or before.copied >= before.frames:
                return 0
            intact = intact_frames(base_files.side(base, "-wal"), before)
            if _committed(base) == before:
                return max(0, before.frames - intact)
    return 0


def remember_loss(connection: Connection, base: Path, pages: int) -> None:
    """Let the next examination know, which may be long after the next opening has made the log look well again."""
    if not pages:
        return
    logging.getLogger("sourcebook").warning(
        "The log of %s lost its end: %d pages of writes that were acknowledged are gone. Run `sourcebook doctor`.",
        base,
        pages,
    )
    with suppress(StorageError), driver.translated():
        connection.execute(
            "insert into base_info (key, value) values (?, ?) on conflict (key) do update set value = excluded.value",
            (LOG_WAS_CUT, json.dumps({"pages": pages, "at": int(time.time())})),
        )


def _committed(base: Path) -> CommittedLog | None:
    index = _open_index(base_files.side(base, "-shm"))
    if index is None or _is_used_elsewhere(index):
        return None
    content = os.pread(index, 2 * _INDEX_HEADER + 4, 0)
    first, second = content[:_INDEX_HEADER], content[_INDEX_HEADER : 2 * _INDEX_HEADER]
    # It is written twice; a process that died between the two did not finish its commit.
    if len(content) < 2 * _INDEX_HEADER + 4 or first != second or not first[12]:
        return None
    (frames,), (copied,) = (
        struct.unpack_from("=I", first, 16),
        struct.unpack_from("=I", content, 2 * _INDEX_HEADER),
    )
    return CommittedLog(frames, copied, first[32:40])


def _open_index(path: Path) -> int | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    key = found.st_dev, found.st_ino
    if key not in _indexes:
        _indexes[key] = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    return _indexes[key]


def _is_used_elsewhere(index: int) -> bool:
    """Whether another process has the base open: then its log is being kept, and not found after a crash."""
    import fcntl  # noqa: PLC0415 - not on every system

    on_linux = sys.platform == "linux"
    asked = (
        struct.pack("@hhqqi", fcntl.F_WRLCK, os.SEEK_SET, _FIRST_LOCK, 1, 0)
        if on_linux
        else struct.pack("@qqihh", _FIRST_LOCK, 1, 0, fcntl.F_WRLCK, os.SEEK_SET)
    )
    answer = fcntl.fcntl(index, fcntl.F_GETLK, asked)
    kind = struct.unpack_from("@h", answer, 0 if on_linux else 20)[0]
    return kind != fcntl.F_UNLCK


def intact_frames(path: Path, committed: CommittedLog) -> int:
    """How many frames from the beginning of a log are as they were written, at most as many as were committed."""
    try:
        with path.open("rb") as file:
            head = file.read(_LOG_HEADER)
            if len(head) < _LOG_HEADER or head[16:24] != committed.salt:
                return 0
            magic, _, page_size = struct.unpack_from(">3I", head)
            if magic not in _MAGICS:
                return 0
            width = _FRAME_HEADER + page_size
            content = file.read(committed.frames * width)
    except FileNotFoundError:
        return 0
    frames = np.frombuffer(content[: len(content) // width * width], np.uint8).reshape(-1, width)
    first, second = struct.unpack_from(">2I", head, 24)
    return _count_intact(frames, committed.salt, (first, second), np.dtype(_MAGICS[magic]))


def _count_intact(
    frames: NDArray[np.uint8], salt: bytes, checksum: tuple[int, int], words: np.dtype[np.uint32]
) -> int:
    """Follow the chain of checksums, each of which covers everything before it."""
    covered = np.concatenate([frames[:, :8], frames[:, _FRAME_HEADER:]], axis=1)
    numbers = np.ascontiguousarray(covered).view(words).astype(np.uint32)
    steps = numbers.shape[1] // 2
    weights, (through_first, through_second) = _weights(steps)
    own = numbers @ weights
    stored = np.ascontiguousarray(frames[:, 16:24]).view(">u4").astype(np.int64)
    for number, frame in enumerate(frames):
        first, second = checksum
        checksum = (
            (through_first[0] * first + through_first[1] * second + int(own[number, 0])) & 0xFFFFFFFF,
            (through_second[0] * first + through_second[1] * second + int(own[number, 1])) & 0xFFFFFFFF,
        )
        if bytes(frame[8:16]) != salt or checksum != tuple(stored[number]):
            return number
    return len(frames)


def _weights(steps: int) -> tuple[NDArray[np.uint32], tuple[tuple[int, int], tuple[int, int]]]:
    """How each number of a frame enters its checksum, and how the checksum before it does.

    One step of the checksum takes two numbers a and b, and makes (s + t + a, s + 2t + a + b) of (s, t). That is linear,
    so the numbers of all frames can be weighed at once.
    """
    weights = np.zeros((2 * steps, 2), np.uint32)
    # The power of the step's matrix that is still to come after each pair of numbers.
    one, two, three, four = 1, 0, 0, 1
    for step in reversed(range(steps)):
        weights[2 * step] = (one + two) & 0xFFFFFFFF, (three + four) & 0xFFFFFFFF
        weights[2 * step + 1] = two, four
        one, two, three, four = (
            (one + two) & 0xFFFFFFFF,
            (one + 2 * two) & 0xFFFFFFFF,
            (three + four) & 0xFFFFFFFF,
            (three + 2 * four) & 0xFFFFFFFF,
        )
    return weights, ((one, two), (three, four))
