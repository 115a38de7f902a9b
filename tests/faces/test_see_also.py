"""What may answer as well as a quoted answer that is not sure is shown on every face."""

from __future__ import annotations

from pathlib import Path

import httpx2 as httpx
import pytest

from sourcebook import Answer, AsyncSourcebook, Settings, Tier
from sourcebook.faces.cli.terminal.answer_text import say_sources
from sourcebook.faces.http.app import create_app
from sourcebook.faces.json_shapes import answer as shape_of
from sourcebook.faces.telegram.bot_services import BotTerms
from sourcebook.faces.telegram.messages.answer_and_draft_texts import answer as told_by_bot
from sourcebook.locale import texts
from sourcebook.model.consultations import Reply, Topic
from sourcebook.model.token_prices import Prices

pytestmark = pytest.mark.anyio

FILES = {
    "yard.md": "# Yard\n\nThe gate of the yard is closed with the long key.\n",
    "shed.md": "# Shed\n\nThe shed is closed with the short key, and so is its gate.\n",
}
QUESTION = "Which key closes the gate?"


async def asked(book: AsyncSourcebook, folder: Path) -> Answer:
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
        await book.add(folder / name)
    given = await book.ask(QUESTION)
    assert given.tier is Tier.DOCUMENTS
    assert given.citations[0].document_path != given.see_also[0].document_path
    return given


async def test_the_page_shows_it_now_and_when_the_conversation_is_opened_again(tmp_path: Path) -> None:
    settings = Settings(db=str(tmp_path / "base.db"))
    async with AsyncSourcebook(settings=settings, face="http") as book:
        given = await asked(book, tmp_path)
        transport = httpx.ASGITransport(create_app(book, settings))
        headers = {"Accept": "text/html", "Accept-Language": "en"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://kb.test", headers=headers
        ) as client:
            page = (await client.get(f"/ask/{given.session_id}")).text
    _, _, beside = page.partition("This may answer it too")
    assert given.see_also[0].document_title is not None
    assert given.see_also[0].document_title in beside
    assert str(given.see_also_excerpts[0]) in beside


async def test_programs_the_terminal_and_the_bot_get_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with AsyncSourcebook(settings=Settings(db=str(tmp_path / "base.db"))) as book:
        given = await asked(book, tmp_path)
    (beside,) = shape_of(given)["see_also"]
    assert beside["document_path"] == given.see_also[0].document_path
    assert beside["excerpt"] == given.see_also_excerpts[0]
    say_sources(given)
    printed = capsys.readouterr().out
    assert "This may answer it too:" in printed
    assert str(given.see_also_excerpts[0]) in printed
    reply = Reply(given, Topic(1, 1, "s", "chat"), 0, 0, 0)
    told = told_by_bot(texts("en"), reply, BotTerms(frozenset(), Prices())).text
    assert "This may answer it too:" in told
    assert str(given.see_also_excerpts[0]) in told


@pytest.mark.parametrize("is_rejected", [True, False])
async def test_what_an_expert_rejected_is_not_shown_beside_another_answer(
    tmp_path: Path, *, is_rejected: bool
) -> None:
    async with AsyncSourcebook(settings=Settings(db=str(tmp_path / "base.db"))) as book:
        given = await asked(book, tmp_path)
        if is_rejected:
            await book.moderation.reject_moderation_item(int(str(given.details["draft_id"])), 1)
        (tmp_path / "barn.md").write_text("# Barn\n\nThe key of the barn closes its gate, too.\n", "utf-8")
        await book.add(tmp_path / "barn.md")
        again = await book.ask(QUESTION)
    assert "the barn" in again.answer
    beside = {each.document_path for each in again.see_also}
    assert (given.citations[0].document_path in beside) is not is_rejected
