"""Uploads that are kept in a folder of one's own are checked, backed up and restored like those beside the base."""

from __future__ import annotations

from pathlib import Path

import pytest

from sourcebook import AsyncSourcebook
from sourcebook.settings import Settings

pytestmark = pytest.mark.anyio


async def test_a_backup_holds_uploads_from_another_folder(tmp_path: Path) -> None:
    here = Settings(db=str(tmp_path / "base.db"), files=str(tmp_path / "uploads"))
    async with AsyncSourcebook(settings=here) as book:
        await book.add_bytes("note.md", b"# Shed\n\nThe loppers hang behind the third door.\n")
        assert [finding.code for finding in (await book.doctor()).findings] == []
    assert not (tmp_path / "base.db.files").exists()
    report = await AsyncSourcebook(settings=here).maintenance.backup(tmp_path / "kept.backup")
    assert report.stored_files == 1

    there = Settings(db=str(tmp_path / "other.db"), files=str(tmp_path / "elsewhere"))
    await AsyncSourcebook(settings=there).maintenance.restore(tmp_path / "kept.backup")
    assert sum(path.is_file() for path in (tmp_path / "elsewhere").rglob("*")) == 1
    assert not (tmp_path / "other.db.files").exists()
    async with AsyncSourcebook(settings=there) as book:
        assert [finding.code for finding in (await book.doctor()).findings] == []


async def test_files_of_others_in_the_same_folder_are_not_strays(tmp_path: Path) -> None:
    for name in ("one", "two"):
        settings = Settings(db=str(tmp_path / f"{name}.db"), files=str(tmp_path / "uploads"))
        async with AsyncSourcebook(settings=settings) as book:
            await book.add_bytes(f"{name}.md", f"# {name}\n\nA note of {name}.\n".encode())
            assert [finding.code for finding in (await book.doctor()).findings] == []
