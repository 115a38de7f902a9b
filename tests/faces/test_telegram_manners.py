"""What the bot says to those who ask nothing, and what those who run it can do there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.faces.telegram_desk import ADMIN, QUESTION, UNKNOWN, Desk, opened

from sourcebook.errors import NothingAsked
from sourcebook.faces.telegram.bot import run
from sourcebook.locale import texts
from sourcebook.model.consultations import Visit
from sourcebook.settings import Settings
from sourcebook.testing.telegram import TOKEN, Failure, TelegramServer

pytestmark = pytest.mark.anyio

BLOCKED = Failure(403, "Forbidden: bot was blocked by the user")


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk, None]:
    async with opened(str(tmp_path / "base.db")) as made:
        yield made


@pytest.mark.parametrize(
    ("said", "language", "key"),
    [
        ("Hello!", "en", "said_greeting"),
        ("Спасибо большое 🙏", "ru", "said_thanks"),
        ("?", "en", "said_nothing"),
        ("👍", "pt", "said_thanks"),
        ("🤔", "ru", "said_nothing"),
        ("Bom dia", "pt", "said_greeting"),
    ],
)
async def test_who_asks_nothing_is_answered_kindly_and_no_expert_is_troubled(
    desk: Desk, said: str, language: str, key: str
) -> None:
    anna = desk.person(7, language)
    assert (await desk.says(anna, said)).text == texts(language)(key)
    assert await desk.balance(anna) == 1
    assert sum((await desk.book.moderation.count_pending()).values()) == 0
    visit = Visit((await desk.user(anna)).id, "telegram:7:0", said, "k")
    for ask in (desk.book.reception.ask, desk.book.reception.call_human):
        with pytest.raises(NothingAsked):
            await ask(visit)


async def test_a_greeting_with_a_question_is_a_question(desk: Desk) -> None:
    assert "late autumn" in (await desk.says(desk.person(7), f"Hello! {QUESTION}")).text


async def test_a_sticker_a_place_and_a_recording_get_a_fitting_reply(desk: Desk) -> None:
    anna, said = desk.person(7), texts("en")
    file = {"file_id": "f", "file_unique_id": "u"}
    sticker = file | {"width": 1, "height": 1, "type": "regular", "is_animated": False, "is_video": False}
    for content, key in (
        ({"sticker": sticker}, "sent_sticker"),
        ({"location": {"latitude": 1.0, "longitude": 2.0}}, "location_without_question"),
        ({"voice": file | {"duration": 3}}, "voice_without_question"),
        ({"contact": {"phone_number": "1", "first_name": "B"}}, "sent_other"),
    ):
        await desk.feed(anna.sends(**content))
        assert desk.telegram.last(7).text == said(key)


async def test_an_album_is_answered_once(desk: Desk) -> None:
    anna = desk.person(7)
    photo = [{"file_id": "f", "file_unique_id": "u", "width": 1, "height": 1}]
    await desk.feed(*(anna.sends(photo=photo, media_group_id="a1") for _ in range(3)))
    assert desk.telegram.said(7) == [texts("en")("media_without_question")]
    asked = anna.sends(photo=photo, media_group_id="a2", caption=QUESTION)
    await desk.feed(asked, *(anna.sends(photo=photo, media_group_id="a2") for _ in range(2)))
    _, answer, with_expert = desk.telegram.said(7)
    assert "late autumn" in answer
    assert with_expert == texts("en")("media_with_expert")


async def test_steps_of_somebody_who_shares_their_place_are_not_answered(desk: Desk) -> None:
    anna = desk.person(7)
    first = anna.sends(location={"latitude": 1.0, "longitude": 2.0, "live_period": 60})
    step = first["message"] | {"location": {"latitude": 1.1, "longitude": 2.0}, "edit_date": 5}
    await desk.feed(first, desk.telegram.update(edited_message=step))
    assert len(desk.telegram.said(7)) == 1


async def test_an_answer_that_cannot_be_delivered_is_given_back(desk: Desk) -> None:
    anna = desk.person(7)
    desk.telegram.fail("sendMessage", BLOCKED)
    update = anna.says(QUESTION)
    await desk.feed(update, update)
    assert await desk.balance(anna) == 1
    history = await desk.book.people.token_history((await desk.user(anna)).id)
    assert [(row.amount, row.operation_type) for row in history][:2] == [(1, "refund"), (-1, "new_topic")]


async def test_an_expert_is_told_that_nobody_got_the_answer(desk: Desk) -> None:
    anna, admin = desk.person(7), desk.person(ADMIN)
    await desk.says(anna, UNKNOWN)
    await desk.deliver()
    shown = desk.telegram.last(ADMIN)
    await desk.feed(admin.replies(shown, "SAE 80W-90."))
    desk.telegram.fail("sendMessage", BLOCKED)
    await desk.deliver()
    assert desk.telegram.last(ADMIN).text.endswith("It is kept in the base.")


async def test_more_questions_are_offered_only_where_they_can_be_bought(tmp_path: Path) -> None:
    async with opened(str(tmp_path / "base.db"), follow_ups_included=0, welcome_tokens=2) as desk:
        anna, label = desk.person(7), "3 more questions for 1 token"
        first = await desk.says(anna, QUESTION)
        assert label in first.buttons
        await desk.says(anna, "/new")
        last = await desk.says(anna, QUESTION)
        assert label not in last.buttons
        assert last.text.endswith(texts("en")("tokens_from_owner"))
        refused = await desk.says(anna, "When do I water tomatoes?")
        assert label not in refused.buttons
        assert texts("en")("tokens_from_owner") in refused.text
        assert texts("en")("tokens_from_owner") in (await desk.says(anna, "/balance")).text


async def test_after_a_free_answer_nothing_is_offered(tmp_path: Path) -> None:
    async with opened(str(tmp_path / "base.db"), follow_ups_included=0, welcome_tokens=5) as desk:
        await desk.book.kb_insert("In late autumn.", question=QUESTION, category="berries")
        sent = await desk.says(desk.person(7), QUESTION)
        assert texts("en")("was_free") in sent.text
        assert not any("more questions" in label for label in sent.buttons)


async def test_a_base_without_prices_says_nothing_of_questions_that_are_used_up(tmp_path: Path) -> None:
    async with opened(str(tmp_path / "base.db"), price_new_topic=0) as desk:
        assert "used up" not in (await desk.says(desk.person(7), QUESTION)).text


async def test_an_admin_sees_people_blocks_them_and_takes_tokens_away(desk: Desk) -> None:
    anna, admin = desk.person(7, "ru"), desk.person(ADMIN)
    await desk.says(anna, "/start")
    assert "Anna · 7 · 1 token" in (await desk.says(admin, "/users")).text
    assert (await desk.says(admin, "/credit 7 -5")).text == "Anna has only 1 token. Nothing was changed."
    assert (await desk.says(admin, "/credit 7 4")).text == "Anna got 4 tokens; the balance is 5 tokens."
    assert (
        await desk.says(admin, "/credit 7 -2")
    ).text == "2 tokens taken from Anna; the balance is 3 tokens."
    assert desk.telegram.last(7).text == "С вашего баланса списано: 2 токена. Баланс: 3 токена."
    assert await desk.balance(anna) == 3
    assert (await desk.says(admin, "/block 7")).text == "Anna is blocked."
    assert (await desk.says(anna, QUESTION)).text == texts("ru")("blocked")
    assert "blocked" in (await desk.says(admin, "/users")).text
    assert (await desk.says(admin, "/unblock 7")).text == "Anna may ask again."
    assert (await desk.says(admin, f"/block {ADMIN}")).text == texts("en")("block_admin")
    assert (await desk.says(admin, "/block 99")).text.startswith("I do not know 99")
    assert (await desk.says(anna, "/users")).text == texts("ru")("unknown_command")


async def test_an_admin_sets_the_category(desk: Desk) -> None:
    admin = desk.person(ADMIN)
    await desk.says(desk.person(7), QUESTION)
    [item] = await desk.book.moderation.get_pending_moderation_items(5)
    done = await desk.says(admin, f"/category {item.id} berries / raspberry everbearing")
    assert "approved in the category “berries / raspberry everbearing”" in done.text
    [entry] = await desk.book.kb_list("default")
    assert (entry.category, entry.subcategory) == ("berries", "raspberry everbearing")
    again = await desk.says(admin, f"/category {item.id} berries")
    assert again.text == texts("en")("decided_approved", id=item.id)
    assert (await desk.says(admin, "/category")).text == texts("en")("category_usage")


async def test_a_bot_without_documents_says_at_its_start_what_to_do(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    told_to_stop = asyncio.Event()
    told_to_stop.set()
    async with TelegramServer() as telegram:
        given = {"telegram_token": TOKEN, "telegram_api_base": telegram.address}
        await run(Settings.model_validate({"db": str(tmp_path / "empty.db"), **given}), told_to_stop)
    assert "`sourcebook add PATH`" in caplog.text


async def test_a_base_that_met_another_server_answers_this_one(tmp_path: Path) -> None:
    for _ in range(2):
        async with opened(str(tmp_path / "base.db")) as desk:
            assert (await desk.says(desk.person(77), QUESTION)).text
