"""The folder of uploads when something in it is not as we made it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from sourcebook.errors import StorageError
from sourcebook.ingest.uploads.stored_files import StoredFiles
from sourcebook.ingest.uploads.upload_folder import UploadFolder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def old_orphan(files: StoredFiles) -> Path:
    place = files.location(files.put("default", "nobody's", "hash", b"orphan"))
    os.utime(place, (0, 0))
    return place


def test_what_lies_behind_a_link_is_not_swept(tmp_path: Path) -> None:
    files = StoredFiles(tmp_path / "files")
    orphan = old_orphan(files)
    elsewhere = orphan.parent.rename(tmp_path / "elsewhere")
    orphan.parent.symlink_to(elsewhere, target_is_directory=True)
    assert files.sweep(set()) == 0
    assert (elsewhere / orphan.name).exists()


def _sweep(files: StoredFiles, name: str) -> None:
    files.sweep({name})


@pytest.mark.parametrize("do", [_sweep, StoredFiles.remove])
def test_a_file_in_place_of_the_folder_is_an_error_that_names_it(
    tmp_path: Path, do: Callable[[StoredFiles, str], object]
) -> None:
    outside = StoredFiles(tmp_path)
    name = old_orphan(outside).relative_to(tmp_path).as_posix()
    folder = UploadFolder.within(tmp_path, "a" * 32)
    folder.own.write_text("")
    with pytest.raises(StorageError) as raised:
        do(StoredFiles(folder), name)
    assert str(folder.own) in str(raised.value)
    assert str(folder.own) in (raised.value.hint or "")
    assert outside.location(name).read_bytes() == b"orphan"
