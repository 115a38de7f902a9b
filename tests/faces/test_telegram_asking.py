"""People and the bot: greetings, questions, sources, topics, experts, tokens."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.faces.telegram_desk import ADMIN, QUESTION, UNKNOWN, Desk, opened

from sourcebook import Tier
from sourcebook.errors import ProviderUnreachable
from sourcebook.testing.fakes import ScriptedChatModel

pytestmark = pytest.mark.anyio


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk, None]:
    async with opened(str(tmp_path / "base.db")) as made:
        yield made


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "You have 1 token"),
        ("ru", "Баланс: 1 токен"),
        ("pt-br", "Saldo: 1 token"),
        ("de", "Balance: 1 token"),
    ],
)
async def test_start_greets_in_the_persons_language_and_tells_the_balance(
    desk: Desk, language: str, said: str
) -> None:
    sent = await desk.says(desk.person(7, language), "/start")
    assert said.replace("You have", "Balance:") in sent.text
    assert list(sent.buttons) == ["English", "Русский", "Português"]


async def test_start_gives_examples_that_have_an_approved_answer(desk: Desk) -> None:
    await desk.book.kb_insert("Осенью.", category="ягоды", question="Когда обрезать?", language="ru")
    sent = await desk.says(desk.person(7, "ru"), "/start")
    assert "• Когда обрезать?" in sent.text


async def test_a_language_can_be_chosen(desk: Desk) -> None:
    anna = desk.person(7, "en")
    sent = await desk.presses(anna, await desk.says(anna, "/language"), "Português")
    assert sent.text.startswith("Vou falar português.")
    assert (await desk.says(anna, "/balance")).text == "Tem 1 token."


async def test_a_question_is_answered_with_numbered_sources(desk: Desk) -> None:
    sent = await desk.says(desk.person(7), QUESTION)
    assert "late autumn" in sent.text
    assert "Sources\n[1] Pruning" in sent.text
    assert "3 more questions are included" in sent.text
    assert desk.telegram.called("sendChatAction")[0]["action"] == "typing"
    assert sent.params["link_preview_options"] == {"is_disabled": True}


async def test_a_source_is_shown_in_its_own_words(desk: Desk) -> None:
    anna = desk.person(7)
    sent = await desk.presses(anna, await desk.says(anna, QUESTION), "[1]")
    assert "Prune everbearing raspberries in late autumn" in sent.text
    assert {mark["type"] for mark in sent.params["entities"]} == {"bold", "blockquote"}


async def test_follow_ups_are_free_until_they_are_used_up_and_more_can_be_bought(desk: Desk) -> None:
    anna = desk.person(7)
    await desk.feed(*(anna.says(QUESTION) for _ in range(4)))
    assert await desk.balance(anna) == 0
    assert "used up" in desk.telegram.last(7).text
    refused = await desk.says(anna, QUESTION)
    assert refused.text.startswith("The included questions are used up.")
    assert refused.buttons == {}
    admin = desk.person(ADMIN)
    await desk.feed(admin.says(f"/credit {anna.id} 1"))
    refused = await desk.says(anna, QUESTION)
    bought = await desk.presses(anna, refused, "3 more questions for 1 token")
    assert bought.text == "Done. 3 questions more in this consultation."
    assert "late autumn" in (await desk.says(anna, QUESTION)).text
    assert await desk.balance(anna) == 0


async def test_a_new_consultation_costs_again(desk: Desk) -> None:
    anna = desk.person(7)
    await desk.says(anna, QUESTION)
    assert "next question" in (await desk.says(anna, "/new")).text
    assert "no tokens left" in (await desk.says(anna, QUESTION)).text


async def test_a_declined_question_goes_to_an_expert_and_can_be_taken_back(desk: Desk) -> None:
    anna = desk.person(7)
    sent = await desk.says(anna, UNKNOWN)
    assert "I found no answer" in sent.text
    assert "An expert will answer here" in sent.text
    assert await desk.balance(anna) == 1
    assert (await desk.presses(anna, sent, "Withdraw the question")).text == "The question was withdrawn."
    assert await desk.book.moderation.get_pending_moderation_items() == []
    assert (await desk.says(anna, "/cancel")).text == "There is nothing to cancel."


async def test_a_person_can_be_asked_at_any_time(desk: Desk) -> None:
    anna = desk.person(7)
    assert (await desk.says(anna, "/human")).text == "Write your question for the expert, or /cancel."
    assert "went to an expert" in (await desk.says(anna, "May I call?")).text
    assert "went to an expert" in (await desk.says(anna, "/human Where are you?")).text
    answer = await desk.says(anna, QUESTION)
    await desk.presses(anna, answer, "Ask an expert")
    drafts = await desk.book.moderation.items_of((await desk.user(anna)).id)
    asked = [draft.question for draft in drafts if draft.kind == "declined"]
    assert asked == [QUESTION, "Where are you?", "May I call?"]
    assert (await desk.says(anna, "/cancel")).text == "The question was withdrawn."
    assert len(await desk.book.moderation.get_pending_moderation_items(kind=drafts[0].kind)) == 2


async def test_cancel_gives_up_what_the_bot_waits_for(desk: Desk) -> None:
    anna = desk.person(7)
    await desk.says(anna, "/human")
    assert (await desk.says(anna, "/cancel")).text == "Cancelled."
    assert "late autumn" in (await desk.says(anna, QUESTION)).text


async def test_topics_come_from_the_base_and_narrow_the_questions(desk: Desk) -> None:
    anna = desk.person(7)
    categories = await desk.says(anna, "/topics")
    assert list(categories.buttons) == ["Berries", "Tomato", "Everything"]
    inside = await desk.presses(anna, categories, "Berries")
    assert list(inside.buttons) == ["Blueberry", "Raspberry everbearing", "Everything", "Back"]
    assert (await desk.presses(anna, inside, "Blueberry")).text == "Questions are now about: Blueberry."
    topic = (await desk.book.people.list_topics((await desk.user(anna)).id))[0]
    assert (topic.category, topic.culture) == ("berries", "blueberry")
    assert "pH" in (await desk.says(anna, "What pH does the soil for blueberries have?")).text
    assert (await desk.presses(anna, inside, "Everything")).text == "Questions are now about everything."


@pytest.mark.parametrize("kind", ["photo", "voice", "document", "location"])
async def test_what_is_sent_without_words_is_not_ignored(desk: Desk, kind: str) -> None:
    anna = desk.person(7)
    await desk.feed(anna.sends(**MEDIA[kind]))
    assert "our question" in desk.telegram.last(7).text
    await desk.says(anna, UNKNOWN)
    (draft,) = await desk.book.moderation.get_pending_moderation_items()
    assert [found["kind"] for found in draft.attachments] == [kind]


async def test_a_caption_is_the_question_and_the_picture_goes_to_the_expert(desk: Desk) -> None:
    anna = desk.person(7)
    update = anna.sends(**MEDIA["photo"], caption=UNKNOWN)
    await desk.feed(update)
    assert "An expert will see the rest" in desk.telegram.last(7).text
    await desk.deliver()
    assert UNKNOWN in desk.telegram.last(ADMIN).text
    copied = desk.telegram.called("copyMessage")[0]
    assert (int(copied["chat_id"]), int(copied["message_id"])) == (ADMIN, update["message"]["message_id"])


_FILE = {"file_id": "F1", "file_unique_id": "u"}
MEDIA = {
    "photo": {"photo": [_FILE | {"width": 1, "height": 1}]},
    "voice": {"voice": _FILE | {"duration": 3}},
    "document": {"document": _FILE | {"file_name": "a.pdf"}},
    "location": {"location": {"latitude": 1.0, "longitude": 2.0}},
}


async def test_an_unknown_command_is_answered(desk: Desk) -> None:
    assert (await desk.says(desk.person(7), "/frobnicate")).text.startswith("I do not know this command")
    assert "For the staff" not in (await desk.says(desk.person(7), "/help")).text


async def test_a_curated_answer_is_free_and_says_who_stands_behind_it(desk: Desk) -> None:
    anna = desk.person(7)
    source = await desk.book.kb_source("pruning", supports="In late autumn.")
    await desk.book.kb_insert("In late autumn.", category="berries", question=QUESTION, sources=[source])
    sent = await desk.says(anna, QUESTION)
    assert "Approved by an expert." in sent.text
    assert "This answer was free." in sent.text
    assert await desk.balance(anna) == 1


async def test_a_model_that_fails_costs_nothing_and_admins_are_told_once_and_when_it_is_over(
    tmp_path: Path,
) -> None:
    answers = iter([ProviderUnreachable("gone")] * 2 + ["In late autumn [1]."])
    model = ScriptedChatModel(write=lambda messages: [next(answers)])
    async with opened(str(tmp_path / "base.db"), chat_model=model) as desk:
        anna = desk.person(7, "ru")
        for _ in range(2):
            assert (await desk.says(anna, QUESTION)).text.startswith("Сейчас ответить не получилось.")
        assert await desk.balance(anna) == 1
        assert desk.telegram.said(ADMIN) == [
            "The model is not responding: gone. Users are asked to try again."
        ]
        assert "late autumn" in (await desk.says(anna, QUESTION)).text
        assert desk.telegram.said(ADMIN)[1:] == ["Working again: the model."]
        assert await desk.balance(anna) == 0


async def test_an_answer_that_nothing_supports_says_so(tmp_path: Path) -> None:
    model = ScriptedChatModel("Prune everbearing raspberries in March 1987 [1].")
    async with opened(str(tmp_path / "base.db"), chat_model=model) as desk:
        sent = await desk.says(desk.person(7), QUESTION)
        assert "Not everything here is supported" in sent.text


async def test_the_answer_is_stored_under_the_face_of_the_bot(desk: Desk) -> None:
    anna = desk.person(7)
    await desk.says(anna, QUESTION)
    user = await desk.user(anna)
    (session,) = await desk.book.stores.sessions.list_sessions(user.id)
    messages = await desk.book.stores.sessions.messages(session.id, user.id)
    assert (session.face, messages[1].tier) == ("telegram", Tier.DOCUMENTS)
