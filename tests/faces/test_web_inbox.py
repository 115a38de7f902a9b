"""What an expert reads in the inbox about a question that was declined."""

from __future__ import annotations

from pathlib import Path

import httpx2 as httpx
import pytest

from sourcebook import AsyncSourcebook, Settings
from sourcebook.faces.http.app import create_app

pytestmark = pytest.mark.anyio
POOL = "# Pool\n\n## Opening\n\nThe pool opens at seven in the morning.\n"
QUESTION = "When does the pool open?"


async def test_a_decline_after_a_rejection_names_the_draft_the_reason_and_the_section(tmp_path: Path) -> None:
    (tmp_path / "pool.md").write_text(POOL, "utf-8")
    settings = Settings(db=str(tmp_path / "base.db"))
    async with AsyncSourcebook(settings=settings, face="http") as book:
        await book.add(tmp_path / "pool.md")
        given = await book.ask(QUESTION)
        rejected = int(str(given.details["draft_id"]))
        await book.moderation.reject_moderation_item(rejected, 1, reason="Only in <summer>")
        declined = await book.ask(QUESTION)
        transport = httpx.ASGITransport(create_app(book, settings))
        async with httpx.AsyncClient(transport=transport, base_url="http://kb.test") as client:
            page = await client.get(f"/inbox/{declined.details['draft_id']}", headers={"Accept": "text/html"})
    assert page.status_code == 200
    assert f'<a href="/inbox/{rejected}">' in page.text
    assert "The reason: Only in &lt;summer&gt;" in page.text
    assert "What came closest" in page.text
    assert ">Pool › Opening<" in page.text
