"""F16: a SQLite that may damage a base never touches one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.faults.bases import digest_of, names_in

from sourcebook.errors import SqliteTooOld
from sourcebook.storage.sqlite.database import SqliteDatabase
from sourcebook.storage.sqlite.driver import library_version

pytestmark = pytest.mark.anyio

TOO_OLD = [(3, 45, 1), (3, 51, 2), (3, 7), (2, 99, 99)]


@pytest.mark.parametrize("library", TOO_OLD)
async def test_an_old_sqlite_is_refused_before_a_file_is_made(
    tmp_path: Path, library: tuple[int, ...]
) -> None:
    with pytest.raises(SqliteTooOld) as caught:
        await SqliteDatabase.open(tmp_path / "folder" / "base.db", library=library)
    assert "apsw" in caught.value.hint
    assert names_in(tmp_path) == []


async def test_an_old_sqlite_is_refused_before_a_base_is_touched(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    await digest_of(path, {0: 0})
    before = path.read_bytes(), path.stat().st_mtime_ns
    with pytest.raises(SqliteTooOld):
        await SqliteDatabase.open(path, library=(3, 45, 1))
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert names_in(tmp_path) == ["base.db"]


@pytest.mark.parametrize("library", [None, (3, 51, 3), (3, 51, 10), (4, 0, 0)])
async def test_a_safe_sqlite_is_accepted(tmp_path: Path, library: tuple[int, ...] | None) -> None:
    database = await SqliteDatabase.open(tmp_path / "base.db", library=library)
    await database.close()
    assert library_version() >= (3, 51, 3)
