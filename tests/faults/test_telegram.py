"""The same update again and again, restarts in the middle, a Bot API that fails: one charge, one answer, one state."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from aiogram import Bot
from aiogram.client.telegram import TelegramAPIServer
from aiogram.exceptions import TelegramNetworkError
from aiogram.methods import GetMe
from aiohttp import ClientSession
from tests.faces.telegram_desk import QUESTION, Desk, opened

from sourcebook import Settings
from sourcebook.faces.telegram.bot import Ended, Session, run
from sourcebook.faces.telegram.updates import poller as poller_module
from sourcebook.faces.telegram.updates.poller import Poller
from sourcebook.testing.telegram import Failure, TelegramServer

pytestmark = pytest.mark.anyio


async def settled(desk: Desk, person_id: int = 7) -> tuple[int, int, int, int]:
    """What is left of it all: balance, questions left, messages of the conversation, answers in the chat."""
    user = await desk.book.people.get_or_create_user(person_id)
    (topic,) = await desk.book.people.list_topics(user.id)
    messages = await desk.book.stores.sessions.messages(topic.session_id, user.id)
    answers = [text for text in desk.telegram.said(person_id) if "late autumn" in text]
    return user.token_balance, topic.follow_ups_left, len(messages), len(answers)


async def test_the_same_update_twenty_times_is_one_question_one_charge_one_answer(db: str) -> None:
    """In parallel, out of order, and after a restart."""
    async with opened(db) as desk:
        anna = desk.person(7)
        first, second = anna.says(QUESTION), anna.says(QUESTION)
        updates = [first] * 10 + [second] * 10
        random.Random(5).shuffle(updates)
        await desk.feed_at_once(*updates)
        assert await settled(desk) == (0, 2, 4, 2)
        async with opened(db, telegram=desk.telegram, notes={}) as again:
            await again.feed_at_once(*updates)
            assert await settled(again) == (0, 2, 4, 2)


async def test_an_answer_that_was_paid_but_not_sent_is_sent_after_the_restart_without_another_charge(
    tmp_path: Path,
) -> None:
    db = str(tmp_path / "base.db")
    async with opened(db) as desk:
        update = desk.person(7).says(QUESTION)
        desk.telegram.fail("sendMessage", *[Failure(400, "Bad Request: no")] * 3)
        await desk.feed(update)
        assert await settled(desk) == (0, 3, 2, 0)
        async with opened(db, telegram=desk.telegram, notes={}) as again:
            await again.feed(update, update)
            assert await settled(again) == (0, 3, 2, 1)


async def test_buttons_pressed_twice_and_at_once_buy_once_each(tmp_path: Path) -> None:
    async with opened(str(tmp_path / "base.db"), welcome_tokens=10) as desk:
        anna = desk.person(7)
        await desk.says(anna, QUESTION)
        press = anna.presses(desk.telegram.last(7), "b")
        await desk.feed_at_once(*[press] * 10)
        assert (await settled(desk))[:2] == (8, 6)


async def test_what_the_bot_waits_for_survives_a_restart(tmp_path: Path) -> None:
    db = str(tmp_path / "base.db")
    async with opened(db) as desk:
        await desk.says(desk.person(7), "/human")
        async with opened(db, telegram=desk.telegram, notes={}) as again:
            assert "went to an expert" in (await again.says(again.person(7), "May I call?")).text


class Slow:
    """A bot that takes its time; some updates are never done before it is stopped."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.begun: list[int] = []
        self.done: list[int] = []

    async def feed(self, update: object) -> None:
        number = int(getattr(update, "update_id"))  # noqa: B009 - any update will do
        self.begun.append(number)
        await asyncio.sleep(self.seconds)
        self.done.append(number)


async def so(condition: Callable[[], bool]) -> None:
    """Wait until it is so."""
    async with asyncio.timeout(200):
        while not condition():  # noqa: ASYNC110 - the server has no event
            await asyncio.sleep(0.02)


async def polled(telegram: TelegramServer, handler: Slow, until: int) -> None:
    """Poll until so many updates were done."""
    stop = asyncio.Event()
    poller = Poller(_bot(telegram), handler.feed, timeout=1)
    task = asyncio.create_task(poller.run(stop))
    await so(lambda: len(handler.done) >= until)
    stop.set()
    await task
    await poller.bot.session.close()


def _bot(telegram: TelegramServer) -> Bot:
    return Bot(telegram.token, session=Session(api=TelegramAPIServer.from_base(telegram.address)))


async def test_every_update_is_handled_once_and_confirmed_when_it_is_done() -> None:
    async with TelegramServer(first_update=1) as telegram:
        anna = telegram.person(7)
        telegram.deliver(*[anna.says(str(n)) for n in range(30)])
        telegram.fail("getUpdates", Failure(429, retry_after=0))
        handler = Slow(0.05)
        await polled(telegram, handler, 30)
        assert sorted(handler.done) == list(range(1, 31))
        assert telegram.unconfirmed == []


async def test_an_update_that_is_not_done_is_not_confirmed() -> None:
    """A bot that is killed in the middle gets it again."""
    async with TelegramServer(first_update=1) as telegram:
        anna = telegram.person(7)
        telegram.deliver(*[anna.says(str(n)) for n in range(3)])
        handler = Slow(30)
        poller = Poller(_bot(telegram), handler.feed, timeout=1)
        task = asyncio.create_task(poller.run(asyncio.Event()))
        await so(lambda: handler.begun == [1, 2, 3])
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await poller.bot.session.close()
        assert telegram.unconfirmed == [1, 2, 3]


async def test_an_answer_that_telegram_does_not_take_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(poller_module, "AGAIN", (0.01,))
    tries = list[int]()

    async def feed(update: object) -> None:
        tries.append(1)
        if len(tries) == 1:
            raise TelegramNetworkError(GetMe(), "gone")

    async with TelegramServer() as telegram:
        telegram.deliver(telegram.person(7).says("hello"))
        stop = asyncio.Event()
        poller = Poller(_bot(telegram), feed, timeout=1)
        task = asyncio.create_task(poller.run(stop))
        await so(lambda: poller.handled > 0)
        stop.set()
        await task
        await poller.bot.session.close()
    assert len(tries) == 2


def settings_for(telegram: TelegramServer, db: Path, **more: object) -> Settings:
    known = {"db": str(db), "telegram_token": telegram.token, "telegram_api_base": telegram.address}
    return Settings.model_validate(known | {"embedder": "none"} | more)


async def ran(settings: Settings, ready: asyncio.Event, stop: asyncio.Event) -> Ended:
    return await run(settings, stop, lambda name, where: ready.set())


async def test_the_whole_bot_polls_answers_and_stops(tmp_path: Path) -> None:
    db = tmp_path / "base.db"
    async with TelegramServer() as telegram:
        ready, stop = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(ran(settings_for(telegram, db), ready, stop))
        await asyncio.wait_for(ready.wait(), 200)
        telegram.deliver(telegram.person(7).says("/start"), telegram.person(8).says("/help"))
        await so(lambda: bool(telegram.chats[7] and telegram.chats[8]))
        stop.set()
        ended = await asyncio.wait_for(task, 200)
        assert (ended.username, ended.mode, ended.handled) == ("sourcebook_bot", "polling", 2)
        assert telegram.unconfirmed == []
        assert telegram.called("deleteWebhook")


async def test_the_whole_bot_listens_behind_its_secret(tmp_path: Path) -> None:
    async with TelegramServer() as telegram:
        stop, where = asyncio.Event(), asyncio.get_running_loop().create_future()
        settings = settings_for(
            telegram,
            tmp_path / "base.db",
            telegram_webhook_url="https://bot.example/hook",
            telegram_webhook_secret="secret",
            telegram_webhook_port=0,
        )
        task = asyncio.create_task(run(settings, stop, lambda name, place: where.set_result(place)))
        address = f"http://{await asyncio.wait_for(where, 200)}/hook"
        update = telegram.person(7).says("/start")
        async with ClientSession() as client:
            for secret, status in (("wrong", 401), ("secret", 200), ("secret", 200)):
                headers = {"X-Telegram-Bot-Api-Secret-Token": secret}
                async with client.post(address, json=update, headers=headers) as answer:
                    assert answer.status == status
        stop.set()
        assert (await task).mode == "webhook"
        assert len(telegram.chats[7]) == 1
        (hook,) = telegram.called("setWebhook")
        assert (hook["url"], hook["secret_token"]) == ("https://bot.example/hook", "secret")
