"""What the pages say to whom: an alarm only to who can do something about it, and only when there is one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.faces.server_desk import ServerDesk, server_desk

from sourcebook.errors import BadFile
from sourcebook.model.curation import CuratedSource

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
        assert "<dt>Work waiting</dt><dd>0</dd>" in html
        await desk.book.stores.jobs.enqueue("draft", {}, run_at=1)
        html = await page(desk, "admin", "/health")
        assert "All is well" not in html
        assert "1 draft has waited for more than a minute" in html
        assert '<dt>Work waiting</dt><dd>1</dd><dd class="about">1 draft</dd>' in html


async def test_messages_that_a_bot_leaves_lying_are_told(tmp_path: Path) -> None:
    async with server_desk(str(tmp_path / "base.db"), telegram_token="1:token") as desk:
        await desk.book.stores.jobs.enqueue("message", {}, run_at=1)
        html = await page(desk, "admin", "/health")
        assert "All is well" not in html
        assert "1 message has waited for more than a minute for the Telegram bot" in html


async def test_what_could_not_be_read_and_what_is_to_be_reviewed_concerns_experts(tmp_path: Path) -> None:
    async with server_desk(str(tmp_path / "base.db")) as desk:
        with pytest.raises(BadFile):
            await desk.book.add_bytes("torn.pdf", b"%PDF-1.7 and then nothing")
        torn = next(d for d in await desk.book.library.documents("default") if d.processing_error)
        await stale_answer(desk)
        expert, reader = [await page(desk, key, "/documents") for key in ("expert", "reader")]
        assert "1 could not be read" in expert
        assert "torn.pdf" in expert
        assert "damaged_file" not in expert
        assert "to review" in expert
        for told in ("could not be read", "torn.pdf", "to review"):
            assert told not in reader
        assert "failed" not in await page(desk, "reader", f"/documents/default/{torn.id}")


async def stale_answer(desk: ServerDesk) -> None:
    """Let an approved answer stand on words that are no longer there."""
    text = "The gate is closed at nine in the evening."
    await desk.book.add_text(text, id="gate", title="Gate")
    document = next(d for d in await desk.book.library.documents("default") if d.title == "Gate")
    source = CuratedSource("default", document.id, document.file_path, text, start=0, end=len(text))
    await desk.book.curated.insert(
        text, category="general", question="When is the gate closed?", sources=[source]
    )
    await desk.book.add_text("The gate is closed at ten.", id="gate", title="Gate")
    assert [each.stale_since is not None for each in await desk.book.curated.all()] == [True]
