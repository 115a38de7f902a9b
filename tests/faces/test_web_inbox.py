"""What an expert reads in the inbox about a question that was declined."""

from __future__ import annotations

from pathlib import Path

import httpx2 as httpx
import pytest

from sourcebook import AsyncSourcebook, Settings
from sourcebook.faces.http.app import create_app
from sourcebook.faces.telegram.messages import answer_and_draft_texts
from sourcebook.locale import texts

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


async def test_a_declined_question_shows_what_the_closest_passage_says(tmp_path: Path) -> None:
    (tmp_path / "pool.md").write_text(POOL, "utf-8")
    settings = Settings(db=str(tmp_path / "base.db"))
    async with AsyncSourcebook(settings=settings, face="http") as book:
        await book.add(tmp_path / "pool.md")
        declined = await book.ask("Which gearbox oil does the pool pump need?")
        assert declined.nearest_excerpt is not None
        transport = httpx.ASGITransport(create_app(book, settings))
        async with httpx.AsyncClient(transport=transport, base_url="http://kb.test") as client:
            page = await client.get(f"/inbox/{declined.details['draft_id']}", headers={"Accept": "text/html"})
            conversation = await client.get(f"/ask/{declined.session_id}", headers={"Accept": "text/html"})
        card = answer_and_draft_texts.draft(
            texts("en"), await book.moderation.get_item(int(str(declined.details["draft_id"])))
        )
    assert '<blockquote class="near-says"><p>The pool opens at seven in the morning.' in page.text
    assert ">Pool › Opening<" in conversation.text
    assert "Closest: Pool (pool.md) › Opening\n\nThe pool opens at seven in the morning." in card.text


async def test_a_question_that_only_resembles_another_is_not_counted_with_it(tmp_path: Path) -> None:
    settings = Settings(db=str(tmp_path / "base.db"))
    async with AsyncSourcebook(settings=settings, face="http") as book:
        for question in (
            "Who repairs the pool pump?",
            "Who repairs the old pool pump?",
            "Who feeds the cat?",
        ):
            await book.moderation.call_human(question)
        await book.moderation.call_human("Who feeds the cat?", user_id=(await book.people.create_user()).id)
        transport = httpx.ASGITransport(create_app(book, settings))
        async with httpx.AsyncClient(transport=transport, base_url="http://kb.test") as client:
            page = await client.get("/inbox", headers={"Accept": "text/html"})
        assert [draft.asked for draft in await book.moderation.get_pending_moderation_items()] == [1, 1, 2]
        groups = {draft.group_key for draft in await book.moderation.get_pending_moderation_items()}
    assert len(groups) == 2
    assert page.text.count("asked 2 times") == 1
