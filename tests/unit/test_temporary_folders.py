"""What is being made beside a file, and what was left there."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from sourcebook.storage.temporary_folders import left_behind, remove_leftover, temporary_folder


def left_by_a_killed_process(target: Path) -> Path:
    folder = target.with_name(f".{target.name}.unfinished-00ff")
    folder.mkdir()
    (folder / "lock").touch()
    return folder


def test_what_a_killed_process_left_is_found_and_removed(tmp_path: Path) -> None:
    folder = left_by_a_killed_process(tmp_path / "bundle")
    assert left_behind(tmp_path, "bundle") == [folder]
    remove_leftover(folder)
    assert not folder.exists()


def test_what_somebody_works_on_is_not_left_behind(tmp_path: Path) -> None:
    with temporary_folder(tmp_path / "bundle", "unfinished") as folder:
        assert left_behind(tmp_path) == []
        remove_leftover(folder)
        assert folder.exists()
    assert not folder.exists()


def test_what_somebody_begins_to_work_on_after_it_was_listed_stays(tmp_path: Path) -> None:
    folder = left_by_a_killed_process(tmp_path / "bundle")
    listed = left_behind(tmp_path)
    lock = os.open(folder / "lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    for path in listed:
        remove_leftover(path)
    assert folder.exists()
    os.close(lock)
