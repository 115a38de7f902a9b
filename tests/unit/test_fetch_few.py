"""A few rows by their keys: read at once where a connection is idle, and in a thread where none is."""

from __future__ import annotations

from pathlib import Path

import pytest

from sourcebook.storage.database import fetch_few
from sourcebook.storage.sqlite.database import SqliteDatabase

pytestmark = pytest.mark.anyio


async def test_the_rows_are_those_of_a_plain_fetch_with_and_without_an_idle_connection(
    tmp_path: Path,
) -> None:
    database = await SqliteDatabase.open(tmp_path / "base.db", readers=1)
    try:
        assert await database.fetch_soon("collection_by_id", collection_id="none") is None
        assert await fetch_few(database, "derived_state", key="none") == await database.fetch(
            "derived_state", key="none"
        )
        # Now the one connection is idle.
        soon = await database.fetch_soon("collection_by_id", collection_id="none")
        assert soon == []
        async with database.snapshot():
            assert await database.fetch_soon("collection_by_id", collection_id="none") is None
    finally:
        await database.close()
