"""What the pages say to whom: an alarm only to who can do something about it, and only when there is one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.faces.server_desk import ServerDesk, server_desk

pytestmark = pytest.mark.anyio


async def page(desk: ServerDesk, key: str, address: str) -> str:
    async with desk.client(key, Accept="text/html") as client:
        response = await client.get(address)
    assert response.status_code == 200, response.text
    return response.text


async def test_messages_for_a_bot_that_is_not_set_up_are_no_alarm(tmp_path: Path) -> None:
    async with server_desk(str(tmp_path / "base.db")) as desk:
        await desk.book.stores.jobs.enqueue("message", {}, run_at=1)
        html = await page(desk, "admin", "/health")
        assert "All is well" in html
        assert "1 message is kept for a Telegram bot, and none is set up" in html
        await desk.book.stores.jobs.enqueue("draft", {}, run_at=1)
        html = await page(desk, "admin", "/health")
        assert "All is well" not in html
        assert "1 draft has waited for more than a minute" in html


async def test_messages_that_a_bot_leaves_lying_are_told(tmp_path: Path) -> None:
    async with server_desk(str(tmp_path / "base.db"), telegram_token="1:token") as desk:
        await desk.book.stores.jobs.enqueue("message", {}, run_at=1)
        html = await page(desk, "admin", "/health")
        assert "All is well" not in html
        assert "1 message has waited for more than a minute for the Telegram bot" in html
