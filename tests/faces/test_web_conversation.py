"""What a conversation says of its answers when it is opened again."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

from sourcebook import AsyncSourcebook, Settings, Tier
from sourcebook.faces.http.app import create_app

pytestmark = pytest.mark.anyio
POOL = "# Pool\n\n## Opening\n\nThe pool opens at seven in the morning.\n"
QUESTION = "When does the pool open?"
HTML = {"Accept": "text/html", "Accept-Language": "en"}


@asynccontextmanager
async def opened(tmp_path: Path) -> AsyncGenerator[tuple[AsyncSourcebook, httpx.AsyncClient]]:
    settings = Settings(db=str(tmp_path / "base.db"))
    async with AsyncSourcebook(settings=settings, face="http") as book:
        transport = httpx.ASGITransport(create_app(book, settings))
        async with httpx.AsyncClient(transport=transport, base_url="http://kb.test", headers=HTML) as client:
            yield book, client


async def test_what_the_documents_answer_later_is_not_called_an_experts_reply(tmp_path: Path) -> None:
    (tmp_path / "trip.md").write_text("# Trip\n\nThe bus leaves from the school gate.\n", "utf-8")
    async with opened(tmp_path) as (book, client):
        await book.add(tmp_path / "trip.md")
        declined = await book.ask(QUESTION)
        assert declined.tier is Tier.NONE
        (tmp_path / "pool.md").write_text(POOL, "utf-8")
        assert (await book.add(tmp_path / "pool.md")).answered == 1
        start = (await client.get("/ask")).text
        page = (await client.get(f"/ask/{declined.session_id}")).text
    assert "replied-bar" not in start
    assert "Your documents now answer this" in page
    assert "The expert replied" not in page
    assert "From the expert" not in page
    assert "From your documents" in page
    assert "seven in the morning" in page


@pytest.mark.parametrize("is_approved", [True, False])
async def test_an_expert_is_said_to_look_again_only_at_what_was_approved(
    tmp_path: Path, is_approved: bool
) -> None:
    file = tmp_path / "pool.md"
    file.write_text(POOL, "utf-8")
    async with opened(tmp_path) as (book, client):
        await book.add(file)
        given = await book.ask(QUESTION)
        if is_approved:
            draft = int(str(given.details["draft_id"]))
            await book.moderation.approve_moderation_item(draft, 1, category="pool")
            given = await book.ask(QUESTION)
            assert given.tier is Tier.CURATED
        file.write_text(POOL.replace("seven", "nine"), "utf-8")
        await book.add(file)
        page = (await client.get(f"/ask/{given.session_id}")).text
    assert "pool.md has been edited since." in page
    assert ("An expert is asked to look at this answer again." in page) is is_approved
    assert ("Ask again to read what it says now." in page) is not is_approved


@pytest.mark.parametrize(
    ("is_removed", "said"),
    [
        (True, "The source of the approved answer was removed"),
        (False, "A source of the approved answer has changed"),
    ],
)
async def test_of_an_outdated_answer_it_is_said_whether_its_source_changed_or_was_removed(
    tmp_path: Path, is_removed: bool, said: str
) -> None:
    file = tmp_path / "pool.md"
    file.write_text(POOL, "utf-8")
    async with opened(tmp_path) as (book, client):
        await book.add(file)
        first = await book.ask(QUESTION)
        await book.moderation.approve_moderation_item(int(str(first.details["draft_id"])), 1, category="pool")
        approved = await book.ask(QUESTION)
        if is_removed:
            await book.library.remove(approved.citations[0].document_id)
            file.unlink()
            file = tmp_path / "new.md"
        file.write_text(POOL.replace("seven", "nine"), "utf-8")
        await book.add(file)
        given = await book.ask(QUESTION)
        assert (given.tier, "nine" in given.answer) == (Tier.DOCUMENTS, True)
        page = (await client.get(f"/ask/{given.session_id}")).text
        before = (await client.get(f"/ask/{approved.session_id}")).text
    assert said in page
    assert ("A source was removed" in before, "A source has changed" in before) == (
        is_removed,
        not is_removed,
    )


async def test_an_outdated_answer_of_a_base_that_does_not_know_what_was_removed_is_shown(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as (book, client):
        session = await book.stores.sessions.create_session(1, "http")
        details: dict[str, Any] = {"outdated": {"id": 1, "question": QUESTION, "answer": "At seven."}}
        await book.stores.sessions.add_turn(session.id, QUESTION, "At nine.", Tier.DOCUMENTS, (), details)
        page = (await client.get(f"/ask/{session.id}")).text
    assert "A source of the approved answer has changed" in page


async def test_a_decline_with_a_quote_does_not_say_that_the_documents_are_silent(tmp_path: Path) -> None:
    (tmp_path / "pool.md").write_text(POOL, "utf-8")
    async with opened(tmp_path) as (book, client):
        await book.add(tmp_path / "pool.md")
        declined = await book.ask("Which gearbox oil does the pool pump need?")
        page = (await client.get(f"/ask/{declined.session_id}")).text
    assert declined.tier is Tier.NONE
    assert declined.nearest_excerpt is not None
    assert declined.answer == "I am not sure that the base answers this question."
    assert "I am not sure that your documents answer this." in page
    assert "Your documents do not answer this." not in page


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (POOL, "Quoted word for word"),
        (
            "# Pool\n\n| Day | The pool opens |\n|---|---|\n| Monday | seven |\n| Sunday | nine |\n",
            "Quoted, with table rows written out as lines",
        ),
    ],
)
async def test_rows_of_a_table_are_not_called_word_for_word(tmp_path: Path, text: str, note: str) -> None:
    (tmp_path / "pool.md").write_text(text, "utf-8")
    async with opened(tmp_path) as (book, client):
        await book.add(tmp_path / "pool.md")
        given = await book.ask("When does the pool open on Monday?" if "|" in text else QUESTION)
        assert given.tier is Tier.DOCUMENTS
        page = (await client.get(f"/ask/{given.session_id}")).text
    assert f'<span class="verdict-note">{note}</span>' in page
