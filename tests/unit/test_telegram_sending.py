"""Sending to a Bot API server that refuses, asks for patience, or is gone."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest
from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.exceptions import TelegramNetworkError

from sourcebook.faces.telegram.messages import keyboards
from sourcebook.faces.telegram.messages.button_data import Action
from sourcebook.faces.telegram.messages.rich_text import bold, joined
from sourcebook.faces.telegram.outgoing.sender import ATTEMPTS, Sender, Undeliverable
from sourcebook.testing.telegram import TOKEN, Failure, TelegramServer

pytestmark = pytest.mark.anyio


@pytest.fixture
async def telegram() -> AsyncGenerator[TelegramServer, None]:
    async with TelegramServer() as server:
        yield server


@pytest.fixture
async def sender(telegram: TelegramServer) -> AsyncGenerator[Sender, None]:
    bot = Bot(TOKEN, session=AiohttpSession(api=TelegramAPIServer.from_base(telegram.address)))
    yield Sender(bot, pause=0.01)
    await bot.session.close()


async def test_text_is_sent_with_marks_and_without_previews(telegram: TelegramServer, sender: Sender) -> None:
    await sender.say(7, joined([bold("Вот 😀"), "<b>a</b> *b* https://evil.example/?d=1"]))
    sent = telegram.last(7)
    assert sent.text.endswith("<b>a</b> *b* https://evil.example/?d=1")
    assert sent.params["entities"] == [{"type": "bold", "offset": 0, "length": 6}]
    assert sent.params["link_preview_options"] == {"is_disabled": True}
    assert "parse_mode" not in sent.params


async def test_a_long_text_is_several_messages_with_buttons_under_the_last(
    telegram: TelegramServer, sender: Sender
) -> None:
    text = "Предложение о малине. " * 500
    await sender.say(7, text, markup=keyboards.rows([keyboards.button("ok", Action.BUY_QUESTIONS)]))
    assert " ".join(telegram.said(7)) == text.strip()
    assert [bool(sent.buttons) for sent in telegram.chats[7]] == [False, False, True]


async def test_what_telegram_cannot_mark_is_sent_plain(telegram: TelegramServer, sender: Sender) -> None:
    telegram.fail("sendMessage", Failure(400, "Bad Request: can't parse entities"))
    await sender.say(7, bold("Важно"), markup=keyboards.languages())
    assert telegram.said(7) == ["Важно"]
    assert "entities" not in telegram.last(7).params
    assert telegram.last(7).buttons


async def test_what_telegram_will_not_have_under_a_text_is_left_out(
    telegram: TelegramServer, sender: Sender
) -> None:
    telegram.fail("sendMessage", *[Failure(400, "Bad Request: BUTTON_DATA_INVALID")] * 2)
    await sender.say(7, bold("Важно"), markup=keyboards.languages())
    assert (telegram.said(7), telegram.last(7).buttons) == (["Важно"], {})


async def test_a_flood_wait_and_a_failing_server_are_waited_for(
    telegram: TelegramServer, sender: Sender
) -> None:
    telegram.fail(
        "sendMessage",
        Failure(429, "Too Many Requests", retry_after=1),
        Failure(500, "Internal"),
        Failure(None),
    )
    await sender.say(7, "still here")
    assert telegram.said(7) == ["still here"]
    assert len(telegram.called("sendMessage")) == 4


async def test_a_server_that_stays_gone_is_an_error_without_the_token(
    telegram: TelegramServer, sender: Sender
) -> None:
    telegram.fail("sendMessage", *[Failure(None)] * ATTEMPTS)
    with pytest.raises(TelegramNetworkError) as caught:
        await sender.say(7, "lost?")
    assert TOKEN not in str(caught.value)
    telegram.fail("sendMessage", *[Failure(502)] * ATTEMPTS)
    assert not await sender.try_to_say(7, "lost?")


@pytest.mark.parametrize(
    "failure",
    [Failure(403, "Forbidden: bot was blocked by the user"), Failure(400, "Bad Request: chat not found")],
)
async def test_a_chat_that_takes_nothing_is_not_tried_again(
    telegram: TelegramServer, sender: Sender, failure: Failure
) -> None:
    telegram.fail("sendMessage", failure)
    with pytest.raises(Undeliverable):
        await sender.say(7, "hello")
    assert len(telegram.called("sendMessage")) == 1


async def test_a_message_is_changed_in_its_place_or_said_anew(
    telegram: TelegramServer, sender: Sender
) -> None:
    message = await sender.say(7, "first")
    await sender.edit(7, message.message_id, "second", keyboards.languages())
    await sender.edit(7, message.message_id, "second", keyboards.languages())
    assert telegram.said(7) == ["second"]
    await sender.drop_buttons(7, message.message_id)
    assert telegram.last(7).buttons == {}
    await sender.edit(7, 999, "third")
    assert telegram.said(7) == ["second", "third"]


async def test_an_old_press_needs_no_answer(telegram: TelegramServer, sender: Sender) -> None:
    telegram.fail("answerCallbackQuery", Failure(400, "Bad Request: query is too old"))
    await sender.answer_press("1", "x" * 500)
    await sender.answer_press("1", "x" * 500)
    assert [len(call["text"]) for call in telegram.called("answerCallbackQuery")] == [200, 200]
