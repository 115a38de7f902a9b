"""Bytes that grow are the same in memory and in a file, and no file is left behind."""

from __future__ import annotations

import errno
import io
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from sourcebook.storage.sqlite.engine import spooled_bytes
from sourcebook.storage.sqlite.engine.spooled_bytes import SpooledBytes, let_go

if TYPE_CHECKING:
    import pytest


def filled(spool: SpooledBytes) -> np.ndarray:
    for number in range(10):
        spool.append(bytes([number]) * 100)
    return spool.array(np.uint8)


EXPECTED = np.repeat(np.arange(10, dtype=np.uint8), 100)


def test_few_bytes_stay_in_memory_and_many_go_to_a_file_without_a_name(tmp_path: Path):
    folder = tmp_path / "derived"
    assert np.array_equal(filled(SpooledBytes(folder)), EXPECTED)
    assert not folder.exists()
    many = filled(SpooledBytes(folder, most_in_memory=250))
    assert folder.is_dir()
    assert list(folder.iterdir()) == []
    assert np.array_equal(many, EXPECTED)


def test_what_is_let_go_is_read_again_from_the_file(tmp_path: Path):
    many = filled(SpooledBytes(tmp_path, most_in_memory=250))
    let_go(many.reshape(10, 100)[3:])
    assert np.array_equal(many, EXPECTED)
    assert not many.flags.writeable


def test_arrays_of_memory_cannot_be_let_go_and_lose_nothing():
    held = EXPECTED.copy()
    let_go(held)
    assert np.array_equal(held, EXPECTED)


def test_without_a_folder_that_can_be_written_everything_stays_in_memory(tmp_path: Path):
    no_folder = tmp_path / "file"
    no_folder.write_bytes(b"")
    assert np.array_equal(filled(SpooledBytes(no_folder, most_in_memory=250)), EXPECTED)
    assert np.array_equal(filled(SpooledBytes(None, most_in_memory=250)), EXPECTED)


class FullDisk(io.BytesIO):
    """Takes some bytes, part of the next ones, and then no more."""

    def write(self, data: object) -> int:
        room = 550 - self.tell()
        if room <= 0:
            raise OSError(errno.ENOSPC, "no space left")
        return super().write(cast("memoryview", data)[:room])


def test_on_a_full_disk_the_rest_and_what_was_written_go_on_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def full_disk(**_: object) -> FullDisk:
        return FullDisk()

    monkeypatch.setattr(spooled_bytes.tempfile, "TemporaryFile", full_disk)
    assert np.array_equal(filled(SpooledBytes(tmp_path, most_in_memory=250)), EXPECTED)
