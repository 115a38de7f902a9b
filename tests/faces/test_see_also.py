"""What may answer as well as a quoted answer that is not sure is shown on every face."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from tests.conftest import BACKENDS

from sourcebook import Answer, AsyncSourcebook, Settings, Tier
from sourcebook.faces.cli.terminal.answer_text import say_sources
from sourcebook.faces.cli.terminal.draft_text import draft_lines
from sourcebook.faces.footnotes import footnotes
from sourcebook.faces.http.app import create_app
from sourcebook.faces.json_shapes import answer as shape_of
from sourcebook.faces.telegram.bot_services import BotTerms
from sourcebook.faces.telegram.messages.answer_and_draft_texts import answer as told_by_bot
from sourcebook.faces.telegram.messages.answer_and_draft_texts import draft as card
from sourcebook.locale import texts
from sourcebook.model.consultations import Reply, Topic
from sourcebook.model.token_prices import Prices

pytestmark = pytest.mark.anyio

FILES = {
    "yard.md": "# Yard\n\nThe gate of the yard is closed with the long key.\n",
    "shed.md": "# Shed\n\nThe shed is closed with the short key, and so is its gate.\n",
}
QUESTION = "Which key closes the gate?"
POOL = "# Pool\n\nThe pool opens at seven in the morning.\n"
UNKNOWN = "Which gearbox oil does the pool pump need?"


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
    assert "Likely answer" in page
    assert "From your documents" not in page
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
    unsure = "This is the likeliest answer in the documents, but not a sure one."
    assert shape_of(given)["notice"] == unsure
    assert unsure in footnotes(given)
    assert f"{unsure} This may answer it too:" in printed
    assert str(given.see_also_excerpts[0]) in printed
    reply = Reply(given, Topic(1, 1, "s", "chat"), 0, 0, 0)
    told = told_by_bot(texts("en"), reply, BotTerms(frozenset(), Prices())).text
    assert f"{unsure} This may answer it too:" in told
    assert str(given.see_also_excerpts[0]) in told


@pytest.mark.parametrize("db", BACKENDS, indirect=True)
async def test_a_repeated_reply_shows_beside_it_what_the_first_one_did(db: str, tmp_path: Path) -> None:
    settings = Settings(db=db, price_new_topic=0)
    async with AsyncSourcebook(settings=settings, face="http") as book:
        await asked(book, tmp_path)
        await book.add_text(POOL, id="pool", title="Pool")
        transport = httpx.ASGITransport(create_app(book, settings))
        async with httpx.AsyncClient(transport=transport, base_url="http://kb.test") as client:

            async def replies() -> list[Any]:
                keys = {QUESTION: "unsure", UNKNOWN: "declined"}
                return [
                    (
                        await client.post("/api/ask", json={"question": q}, headers={"Idempotency-Key": k})
                    ).json()
                    for q, k in keys.items()
                ]

            unsure, declined = first = await replies()
            assert (unsure["tier"], declined["tier"]) == ("documents", "none")
            assert unsure["see_also"]
            assert declined["nearest_excerpt"] == declined["nearest"][0]["excerpt"] is not None
            assert await replies() == first

            await book.library.hide(unsure["see_also"][0]["document_id"])
            await book.library.hide(declined["nearest"][0]["document_id"])
            unsure, again = await replies()
            assert "see_also" not in unsure
            gone = {declined["nearest"][0]["document_id"], first[0]["see_also"][0]["document_id"]}
            left = [each for each in declined["nearest"] if each["document_id"] not in gone]
            assert again.get("nearest", []) == left
            assert "seven" not in str(again)


@pytest.mark.parametrize("is_removed", [True, False])
async def test_of_what_was_removed_since_a_conversation_shows_no_words_and_no_link(
    tmp_path: Path, is_removed: bool
) -> None:
    settings = Settings(db=str(tmp_path / "base.db"))
    async with AsyncSourcebook(settings=settings, face="http") as book:
        unsure = await asked(book, tmp_path)
        await book.add_text(POOL, id="pool", title="Pool")
        declined = await book.ask(UNKNOWN)
        gone = [unsure.see_also[0], declined.nearest[0]]
        excerpts = [str(unsure.see_also_excerpts[0]), str(declined.nearest_excerpt)]
        assert "seven in the morning" in excerpts[1]
        for each in gone:
            take_away = book.library.remove if is_removed else book.library.hide
            await take_away(each.chunk.document_id)
        transport = httpx.ASGITransport(create_app(book, settings))
        headers = {"Accept": "text/html", "Accept-Language": "en"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://kb.test", headers=headers
        ) as client:
            pages = [(await client.get(f"/ask/{each.session_id}")).text for each in (unsure, declined)]
            pages.append((await client.get(f"/inbox/{declined.details['draft_id']}")).text)
        draft = await book.moderation.get_item(int(str(declined.details["draft_id"])))
    for page, passage, excerpt in zip(pages, [*gone, gone[1]], [*excerpts, excerpts[1]], strict=True):
        main = page.partition("<main")[2]
        assert str(passage.document_title) in main
        assert "removed since" in main
        assert excerpt not in page
        assert f"/documents/default/{passage.chunk.document_id}" not in page
    terminal, bot = "\n".join(draft_lines(draft, [], None)), card(texts("en"), draft).text
    for shown, mark in ((terminal, "(the source was removed)"), (bot, "no longer in the base")):
        assert mark in shown
        assert excerpts[1] not in shown


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
