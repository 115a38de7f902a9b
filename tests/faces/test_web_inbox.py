"""What an expert reads in the inbox about a question that was declined."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2 as httpx
import pytest

from sourcebook import AsyncSourcebook, Settings
from sourcebook.faces.http.app import create_app
from sourcebook.faces.telegram.messages import answer_and_draft_texts
from sourcebook.locale import texts
from sourcebook.model.moderation import DraftKind, NewDraft

pytestmark = pytest.mark.anyio
POOL = "# Pool\n\n## Opening\n\nThe pool opens at seven in the morning.\n"
QUESTION = "When does the pool open?"
UNKNOWN = "Which gearbox oil does the pool pump need?"
HTML = {"Accept": "text/html"}


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


async def test_a_reply_in_other_words_is_bound_to_the_passage_that_is_ticked(tmp_path: Path) -> None:
    async with inbox(tmp_path) as (book, client):
        declined = await book.ask(UNKNOWN)
        place = f"/inbox/{declined.details['draft_id']}"
        page = await client.get(place, headers=HTML)
        assert '<input type="checkbox" name="source" value="1" form="decide">' in page.text
        done = await client.post(f"{place}/approve", data={"answer": "None at all.", "source": "1"})
        shown = await client.get(done.headers["location"], headers=HTML)
        (entry,) = await book.kb_list()
    assert "What you just approved comes back to you when this changes: Pool › Opening" in shown.text
    assert [Path(source.document_path).name for source in entry.sources] == ["pool.md"]


async def test_a_reply_with_another_number_than_its_source_warns(tmp_path: Path) -> None:
    async with inbox(tmp_path) as (book, client):
        declined = await book.ask(UNKNOWN)
        place = f"/inbox/{declined.details['draft_id']}"
        done = await client.post(f"{place}/approve", data={"answer": "It takes 99 litres.", "source": "1"})
        shown = await client.get(done.headers["location"], headers=HTML)
    assert "Not in those sources: 99. Please check the answer." in shown.text


async def test_an_answer_without_a_source_can_be_bound_after_it_was_approved(tmp_path: Path) -> None:
    async with inbox(tmp_path) as (book, client):
        declined = await book.ask(UNKNOWN)
        place = f"/inbox/{declined.details['draft_id']}"
        done = await client.post(f"{place}/approve", data={"answer": "None at all."})
        assert done.headers["location"].startswith(f"{place}?")
        page = await client.get(place, headers=HTML)
        assert "nothing will tell you when it is out of date" in page.text
        assert '<input type="checkbox" name="source" value="1" form="bind">' in page.text
        await client.post(f"{place}/sources", data={"source": "1"})
        (entry,) = await book.kb_list()
        bound = await client.get(place, headers=HTML)
    assert [Path(source.document_path).name for source in entry.sources] == ["pool.md"]
    assert 'name="source"' not in bound.text


async def test_who_names_the_sources_of_an_approved_answer_goes_on_where_they_were(tmp_path: Path) -> None:
    async with inbox(tmp_path) as (book, client):
        declined = int(str((await book.ask(UNKNOWN)).details["draft_id"]))
        last = (await book.moderation.call_human("Who feeds the cat?")).id
        done = await client.post(
            f"/inbox/{declined}/approve?then={last}&kind=declined", data={"answer": "None at all."}
        )
        page = (await client.get(done.headers["location"], headers=HTML)).text
        assert f'<li><a href="/inbox/{last}?kind=declined">' in page
        assert f'<a class="button quiet" href="/inbox/{last}?kind=declined">' in page
        action = re.search(r'action="(/inbox/\d+/sources[^"]*)"', page)
        assert action is not None
        bound = await client.post(html.unescape(action[1]), data={"source": "1"})
    assert bound.headers["location"] == f"/inbox/{last}?kind=declined&done=bound&decided={declined}"


async def test_a_rejected_answer_says_what_comes_of_the_same_question(tmp_path: Path) -> None:
    async with inbox(tmp_path) as (book, client):
        given = await book.ask(QUESTION)
        done = await client.post(f"/inbox/{given.details['draft_id']}/reject", data={"reason": ""})
        shown = await client.get(done.headers["location"], headers=HTML)
    assert "If it is asked again, it is declined until most of the quoted text changes." in shown.text


async def test_who_works_through_one_kind_stays_in_it_until_its_last_case(tmp_path: Path) -> None:
    settings = Settings(db=str(tmp_path / "base.db"))
    async with AsyncSourcebook(settings=settings, face="http") as book:
        first = await book.moderation.call_human("Who repairs the pool pump?")
        last = await book.moderation.call_human("Who feeds the cat?")
        transport = httpx.ASGITransport(create_app(book, settings))
        async with httpx.AsyncClient(transport=transport, base_url="http://kb.test", headers=HTML) as client:
            shown = (await client.get(f"/inbox/{first.id}?kind=declined")).text
            action = re.search(r'action="(/inbox/\d+/reject[^"]*)"', shown)
            assert action is not None
            on = await client.post(html.unescape(action[1]), data={"reason": "no"})
            assert on.headers["location"] == f"/inbox/{last.id}?kind=declined&done=rejected"
            end = await client.post(
                f"/inbox/{last.id}/reply?then=&kind=declined", data={"answer": "Ann does."}
            )
            assert end.headers["location"] == "/inbox?done=replied"


async def test_an_answer_whose_source_changed_is_shown_so_and_not_approved_unseen(tmp_path: Path) -> None:
    async with inbox(tmp_path) as (book, client):
        given = await book.ask(QUESTION)
        place = f"/inbox/{given.details['draft_id']}"
        (tmp_path / "pool.md").write_text(POOL.replace("seven", "eight"), "utf-8")
        await book.add(tmp_path / "pool.md")
        page = await client.get(place, headers=HTML)
        refused = await client.post(f"{place}/approve", data={"answer": given.answer})
        assert await book.kb_list() == []
        await client.post(f"{place}/approve", data={"answer": given.answer, "force": "1"})
        (entry,) = await book.kb_list()
    assert ("Source changed" in page.text, "What changed in the source" in page.text) == (True, True)
    assert "The documents no longer say this." in refused.text
    assert '<blockquote class="near-says">The pool opens at seven in the morning</blockquote>' in refused.text
    assert "seven" in entry.answer


@asynccontextmanager
async def inbox(folder: Path) -> AsyncGenerator[tuple[AsyncSourcebook, httpx.AsyncClient]]:
    (folder / "pool.md").write_text(POOL, "utf-8")
    settings = Settings(db=str(folder / "base.db"))
    async with AsyncSourcebook(settings=settings, face="http") as book:
        await book.add(folder / "pool.md")
        transport = httpx.ASGITransport(create_app(book, settings))
        headers = {"Sec-Fetch-Site": "same-origin"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://kb.test", headers=headers
        ) as client:
            yield book, client


async def test_an_approved_answer_in_other_words_is_bound_to_a_passage_that_it_cited(tmp_path: Path) -> None:
    (tmp_path / "pool.md").write_text(POOL, "utf-8")
    settings = Settings(db=str(tmp_path / "base.db"))
    async with AsyncSourcebook(settings=settings, face="http") as book:
        await book.add(tmp_path / "pool.md")
        draft = (await book.ask(QUESTION)).details["draft_id"]
        transport = httpx.ASGITransport(create_app(book, settings))
        own = {"Sec-Fetch-Site": "same-origin"}
        async with httpx.AsyncClient(
            transport=transport, base_url="http://kb.test", headers=HTML | own
        ) as client:
            waiting = await client.get(f"/inbox/{draft}")
            await client.post(f"/inbox/{draft}/approve", data={"answer": "Swimmers come at dawn."})
            page = await client.get(f"/inbox/{draft}")
            unticked = await client.post(f"/inbox/{draft}/sources")
            assert (await book.kb_list())[0].sources == ()
            await client.post(f"/inbox/{draft}/sources", data={"source": "1"})
        assert 'name="source"' not in waiting.text
        assert '<input type="checkbox" name="source" value="1" form="bind">' in page.text
        assert "Tick at least one passage." not in page.text
        assert unticked.status_code == 400
        assert "Tick at least one passage." in unticked.text
        assert 'name="source" value="1" form="bind"' in unticked.text
        assert [each.quote for each in (await book.kb_list())[0].sources] == [
            "The pool opens at seven in the morning."
        ]


@pytest.mark.parametrize("decided", ["99999", "9" * 30, "abc", "-1", ""])
async def test_an_address_that_names_a_draft_that_is_gone_shows_the_inbox(
    tmp_path: Path, decided: str
) -> None:
    settings = Settings(db=str(tmp_path / "base.db"))
    async with AsyncSourcebook(settings=settings, face="http") as book:
        await book.moderation.call_human(UNKNOWN)
        transport = httpx.ASGITransport(create_app(book, settings))
        async with httpx.AsyncClient(transport=transport, base_url="http://kb.test", headers=HTML) as client:
            page = await client.get("/inbox", params={"decided": decided})
    assert page.status_code == 200
    assert UNKNOWN in page.text


async def test_as_many_cases_are_counted_as_are_listed_and_nobody_asked_what_came_back(
    tmp_path: Path,
) -> None:
    source = tmp_path / "pool.md"
    source.write_text(POOL, "utf-8")
    settings = Settings(db=str(tmp_path / "base.db"))
    async with AsyncSourcebook(settings=settings, face="http") as book:
        await book.add(source)
        given = await book.ask(QUESTION)
        await book.moderation.approve_moderation_item(int(str(given.details["draft_id"])), 1)
        source.write_text(POOL.replace("seven", "nine"), "utf-8")
        await book.add(source)
        await book.moderation.call_human("Who feeds the cat?")
        for question, details in (("Is it warm?", {"weak": True}), ("Is it deep?", {})):
            await book.stores.moderation.add(
                NewDraft(1, DraftKind.ANSWER, question, "It is.", details=details, collection_id="default")
            )
        (stale,) = await book.moderation.get_pending_moderation_items(kind=DraftKind.STALE)
        transport = httpx.ASGITransport(create_app(book, settings))
        async with httpx.AsyncClient(transport=transport, base_url="http://kb.test") as client:
            page = await client.get("/inbox", headers=HTML)
            one = (await client.get(f"/api/drafts/{stale.id}")).json()["draft"]
    assert page.text.count('<li><a href="/inbox/') == 3
    assert "3 cases wait for you" in page.text
    assert 'aria-label="3 waiting"' in page.text
    assert (one["asked"], one["people"]) == (0, 0)
    assert "An approved answer, to be looked at again" in page.text
    assert "Asked by" not in page.text


async def test_the_reasons_of_a_gap_are_told_apart(tmp_path: Path) -> None:
    async with inbox(tmp_path) as (book, client):
        given = await book.ask(QUESTION)
        await book.moderation.reject_moderation_item(int(str(given.details["draft_id"])), 1)
        await book.ask(QUESTION)
        page = await client.get("/inbox/gaps", headers=HTML)
    said = re.sub(r"<[^>]+>", "", page.text)
    assert "declined 1 · rejected 1" in said or "rejected 1 · declined 1" in said
