"""S03: a server without accounts is open to the one person at this machine, and closes with the first account."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest
from tests.faces.server_desk import PASSWORD, ServerDesk, quick_passwords, server_desk

from sourcebook import AsyncSourcebook
from sourcebook.storage.sqlite.database import SqliteDatabase
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from sourcebook.storage.database import Row

pytestmark = pytest.mark.anyio
LOCAL = "127.0.0.1"


@pytest.fixture
def db(tmp_path: Path) -> str:
    return str(tmp_path / "base.db")


@pytest.fixture
async def local(db: str) -> AsyncGenerator[ServerDesk, None]:
    async with server_desk(db, host=LOCAL, with_people=False) as made:
        yield made


async def status(desk: ServerDesk) -> int:
    async with desk.client(address=LOCAL, base_url=f"http://{LOCAL}") as client:
        return (await client.get("/api/me")).status_code


async def test_an_account_made_by_this_server_closes_it_at_once(local: ServerDesk) -> None:
    assert await status(local) == 200
    await local.book.accounts.add("ada", PASSWORD)
    assert await status(local) == 401
    await local.book.accounts.remove("ada")
    assert await status(local) == 200


async def test_an_account_made_by_another_process_closes_the_server_soon(local: ServerDesk, db: str) -> None:
    assert await status(local) == 200
    async with AsyncSourcebook(db, embedder=FakeEmbedder()) as other:
        quick_passwords(other)
        await other.accounts.add("ada", PASSWORD)
    with anyio.fail_after(200):
        while await status(local) != 401:  # noqa: ASYNC110 - the other process tells nobody
            await anyio.sleep(0.05)


async def test_requests_do_not_each_ask_the_base_for_accounts(
    local: ServerDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    fetch_one = SqliteDatabase.fetch_one

    async def counted(database: SqliteDatabase, name: str, /, **parameters: object) -> Row | None:
        asked.append(name)
        return await fetch_one(database, name, **parameters)

    monkeypatch.setattr(SqliteDatabase, "fetch_one", counted)
    monkeypatch.setattr("sourcebook.storage.people.accounts._KNOWN_FOR_SECONDS", 3600.0)
    # What was known before is known for a second only.
    await local.book.accounts.add("ada", PASSWORD)
    await local.book.accounts.remove("ada")
    for _ in range(5):
        assert await status(local) == 200
    assert asked.count("any_account") == 1
