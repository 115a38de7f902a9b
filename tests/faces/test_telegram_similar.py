"""Offers, repeated questions and changed sources in the bot, against a Bot API server on loopback."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.faces.telegram_desk import ADMIN, UNKNOWN, Desk, opened

from sourcebook.assembly import make_embedder
from sourcebook.model.curation import WordingStatus
from sourcebook.model.moderation import DraftKind
from sourcebook.settings import Settings

pytestmark = pytest.mark.anyio

KNOWN = "What is the hotel limit in London?"
ASKED = "What is the maximum for London hotels?"
ANSWER = "In London a hotel may cost 180 pounds a night."
OFFER = f"≈ {KNOWN}"
LIMIT = "The hotel limit in London is 180 pounds a night."


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk, None]:
    embedder = make_embedder(Settings())
    assert embedder is not None
    async with opened(str(tmp_path / "base.db"), embedder=embedder, notes={}) as made:
        yield made


async def test_one_tap_on_an_offer_gives_the_answer_once_free_and_learns_the_wording(desk: Desk) -> None:
    entry = await desk.book.curated.insert(ANSWER, category="travel", question=KNOWN)
    anna, boris = desk.person(7), desk.person(8, first_name="Boris")
    for person in (anna, boris):
        offered = await desk.says(person, ASKED)
        assert "An approved answer to a similar question." in offered.text
        assert f"• {KNOWN}" in offered.text
        given = await desk.presses(person, offered, OFFER)
        assert given.text.startswith(ANSWER.rstrip("."))
        assert "This answer was free." in given.text
        before = len(desk.telegram.chats[person.id])
        await desk.presses(person, offered, OFFER)
        assert len(desk.telegram.chats[person.id]) == before
        assert await desk.balance(person) == 1
    (wording,) = (await desk.book.curated.get(entry.id)).wordings
    assert (wording.question, wording.people, wording.status) == (ASKED, 2, WordingStatus.CONFIRMED)
    assert (await desk.says(desk.person(9), ASKED)).text.startswith(ANSWER.rstrip("."))
    assert await desk.book.moderation.get_pending_moderation_items() == []


async def test_a_stranger_cannot_press_another_persons_offer(desk: Desk) -> None:
    entry = await desk.book.curated.insert(ANSWER, category="travel", question=KNOWN)
    offered = await desk.says(desk.person(7), ASKED)
    await desk.feed(desk.person(8).presses(offered, offered.buttons[OFFER]))
    assert desk.notes() == ["This button is out of date."]
    assert (await desk.book.curated.get(entry.id)).wordings == ()
    await desk.book.curated.remove(entry.id)
    await desk.presses(desk.person(7), offered, OFFER)
    assert desk.notes()[1:] == ["This button is out of date."]


async def test_the_sources_of_an_answer_that_was_offered_can_be_shown(desk: Desk) -> None:
    await desk.book.add_text(LIMIT, id="travel", title="Travel")
    source = await desk.book.curated.source("travel", supports=ANSWER)
    await desk.book.curated.insert(ANSWER, category="travel", question=KNOWN, sources=[source])
    anna = desk.person(7)
    given = await desk.presses(anna, await desk.says(anna, ASKED), OFFER)
    assert LIMIT in (await desk.presses(anna, given, "[1]")).text


async def test_the_same_question_of_several_people_is_announced_once_and_all_get_the_reply(
    desk: Desk,
) -> None:
    await desk.book.add_text(LIMIT, id="travel", title="Travel")
    for number in (7, 8):
        await desk.says(desk.person(number), UNKNOWN)
    await desk.deliver()
    (told,) = [sent for sent in desk.telegram.chats[ADMIN] if UNKNOWN in sent.text]
    assert "Asked 2 times, by 2 people." in told.text
    await desk.feed(desk.person(ADMIN).replies(told, "Any 75W-90 oil will do."))
    await desk.deliver()
    for number in (7, 8):
        assert "Any 75W-90 oil will do." in desk.telegram.last(number).text


async def test_who_asked_what_the_library_answers_by_now_is_told(desk: Desk) -> None:
    await desk.book.add_text("Tomatoes are watered in the morning.", id="water", title="Water")
    anna = desk.person(7)
    await desk.says(anna, KNOWN)
    await desk.book.add_text(LIMIT, id="travel", title="Travel")
    (closed,) = await desk.book.close_answered()
    assert closed.question == KNOWN
    await desk.deliver()
    told = desk.telegram.last(7).text
    assert told.startswith("The library now has an answer to your question:")
    assert LIMIT.rstrip(".") in told
    assert "[1] Travel" in told


async def test_an_outdated_answer_goes_behind_what_the_documents_say_and_needs_a_look(desk: Desk) -> None:
    await desk.book.add_text(LIMIT, id="travel", title="Travel")
    source = await desk.book.curated.source("travel", supports=ANSWER)
    await desk.book.curated.insert(ANSWER, category="travel", question=KNOWN, sources=[source])
    await desk.book.add_text(LIMIT.replace("180", "200"), id="travel", title="Travel")
    shown = await desk.says(desk.person(7), KNOWN)
    assert shown.text.startswith(LIMIT.replace("180", "200").rstrip("."))
    assert "its source has changed" in shown.text
    assert ANSWER.rstrip(".") not in shown.text
    admin = desk.person(ADMIN)
    await desk.deliver()
    draft = desk.telegram.last(ADMIN)
    assert f"said:\n{LIMIT}\nIt says now:\n{LIMIT.replace('180', '200')}" in draft.text
    refused = await desk.presses(admin, draft, "Approve")
    assert refused.text.startswith("Not approved yet: the documents no longer say “")
    assert len(await desk.book.moderation.get_pending_moderation_items(kind=DraftKind.STALE)) == 1
    done = await desk.presses(admin, refused, "Approve all the same")
    assert "approved." in done.text
    assert await desk.book.moderation.get_pending_moderation_items(kind=DraftKind.STALE) == []
