"""Those who try: forged ids and buttons, groups, edits, markup in names, secrets in logs, a webhook without one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from aiohttp import ClientSession, web
from tests.faces.shell import Here
from tests.faces.telegram_desk import ADMIN, QUESTION, Desk, opened

from sourcebook import Settings
from sourcebook.errors import AuthError, BadSetting
from sourcebook.faces.logs import Lines
from sourcebook.faces.telegram.bot import run
from sourcebook.faces.telegram.messages.button_data import Action, Press, encode
from sourcebook.faces.telegram.updates.webhook import HEADER, LARGEST, make_app
from sourcebook.model.moderation import DraftStatus
from sourcebook.model.people import UserRole
from sourcebook.settings import load, masked
from sourcebook.testing.fakes import ScriptedChatModel
from sourcebook.testing.telegram import TOKEN, Failure, Json, Sent, TelegramServer

pytestmark = pytest.mark.anyio

SECRET = "a-secret-that-nobody-guesses_0123456789"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncGenerator[Desk, None]:
    async with opened(str(tmp_path / "base.db")) as made:
        yield made


async def shown_draft(desk: Desk) -> Sent:
    await desk.says(desk.person(7), QUESTION)
    return await desk.says(desk.person(ADMIN), "/moderate")


async def test_a_press_counts_for_what_the_base_says_of_the_person_now(desk: Desk) -> None:
    """Buttons of a draft, pressed by somebody else, and by an admin who is one no more."""
    shown = await shown_draft(desk)
    for data in shown.buttons.values():
        await desk.feed(desk.person(7).presses(shown, data))
    assert set(desk.notes()) == {"This button is not for you."}
    admin = desk.person(ADMIN)
    await desk.book.people.set_role((await desk.user(admin)).id, UserRole.USER)
    await desk.feed(admin.presses(shown, shown.buttons["Approve"]))
    assert desk.notes()[-1] == "This button is not for you."
    assert await desk.book.kb_list() == []


async def test_what_was_begun_as_an_admin_cannot_be_finished_as_none(desk: Desk) -> None:
    shown = await shown_draft(desk)
    admin = desk.person(ADMIN)
    await desk.presses(admin, shown, "Edit")
    await desk.book.people.set_role((await desk.user(admin)).id, UserRole.USER)
    await desk.feed(admin.says("Mine now."), admin.replies(shown, "Mine now."))
    assert await desk.book.kb_list() == []


async def test_a_blocked_person_is_told_so_and_nothing_else(desk: Desk) -> None:
    anna = desk.person(7)
    user = await desk.user(anna)
    await desk.book.people.block_user(user.id)
    await desk.feed(
        anna.says(QUESTION), anna.presses(Sent(7, 1, "x", {}), encode(Press(Action.BUY_QUESTIONS)))
    )
    assert desk.telegram.said(7) == ["You cannot use this bot. Ask the person who runs it."]
    assert await desk.balance(anna) == 1


COMMANDS = ["/moderate", "/credit 7 5", "/terms a = b", "/stats", "/digest", "/refund 7 x"]


async def test_commands_of_admins_do_not_exist_for_others_or_in_groups(desk: Desk) -> None:
    """Also not for who has the name, the user name or the words of an admin."""
    liar = desk.telegram.person(7, "Admin", "en", "admin")
    for command in COMMANDS:
        await desk.feed(liar.says(command), liar.says(command, forward_origin=_from_admin()))
        await desk.feed(in_group(desk, desk.person(ADMIN).says(command)))
    assert set(desk.telegram.said(7)) == {"I do not know this command. /help lists them."}
    assert desk.telegram.chats[-100] == []
    assert await desk.book.get_all_terms() == []


def _from_admin() -> Json:
    return {"type": "user", "date": 1, "sender_user": {"id": ADMIN, "is_bot": False, "first_name": "Boss"}}


def in_group(desk: Desk, update: Json) -> Json:
    update["message"]["chat"] = {"id": -100, "type": "supergroup", "title": "Garden"}
    return update


FORGED = """a a:999999 a:-1 a:1:2:3 zzz k:0:0000000000000000 s:0:ffff l:0:xx q:1:5 q:99:1 i:1:5 i:99:1 i f:0:none t:1
    h:77 p:0 b n:1 w:1 r:1 g:1 m:0 c e \u202e é:1 a:１ a:1: a::1 A:1"""


async def test_a_forged_or_stale_button_does_nothing(desk: Desk) -> None:
    anna = desk.person(7)
    sent = await desk.says(anna, "/help")
    forged = [*FORGED.split(), "", "a:" + "9" * 60]
    for data in forged:
        await desk.feed(anna.presses(sent, data))
    assert len(desk.telegram.called("answerCallbackQuery")) == len(forged)
    assert await desk.balance(anna) == 1
    assert await desk.book.kb_list() == []
    assert not any("did not work" in text for text in desk.telegram.said(7))


async def test_nobody_sees_the_sources_of_somebody_elses_answer(desk: Desk) -> None:
    answer = await desk.says(desk.person(7), QUESTION)
    other = desk.person(8)
    for label in ("[1]", "Ask an expert"):
        await desk.feed(other.presses(answer, answer.buttons[label]))
    assert desk.notes() == ["This button is out of date."] * 2
    assert desk.telegram.chats[8] == []


async def test_nobody_takes_back_somebody_elses_question(desk: Desk) -> None:
    declined = await desk.says(desk.person(7), "Which gearbox oil suits a tractor?")
    await desk.feed(desk.person(8).presses(declined, declined.buttons["Withdraw the question"]))
    (draft,) = await desk.book.moderation.get_pending_moderation_items()
    assert draft.status is DraftStatus.PENDING


async def test_in_a_group_only_what_is_meant_for_the_bot_is_a_question(desk: Desk) -> None:
    anna = desk.person(7)
    await desk.feed(in_group(desk, anna.says(QUESTION)))
    assert desk.telegram.chats[-100] == []
    mention = [{"type": "mention", "offset": 0, "length": len("@sourcebook_bot")}]
    asked = anna.sends(text=f"@Sourcebook_Bot {QUESTION}", entities=mention)
    await desk.feed(in_group(desk, asked))
    (sent,) = desk.telegram.chats[-100]
    assert "late autumn" in sent.text
    assert int(sent.params["reply_parameters"]["message_id"]) == asked["message"]["message_id"]
    assert await desk.balance(anna) == 0


async def test_bots_and_channels_are_not_people(desk: Desk) -> None:
    bot = desk.person(7).says(QUESTION)
    bot["message"]["from"]["is_bot"] = True
    channel = desk.person(8).says(QUESTION)
    del channel["message"]["from"]
    await desk.feed(
        bot, channel, desk.telegram.update(channel_post=channel["message"]), desk.telegram.update()
    )
    assert await desk.book.people.count_all_users() == 1
    assert not desk.telegram.called("sendMessage")


async def test_an_edited_message_is_not_asked_again(desk: Desk) -> None:
    anna = desk.person(7)
    first = anna.says(QUESTION)
    await desk.feed(first)
    edited = desk.telegram.update(
        edited_message=first["message"] | {"text": "And in spring?", "edit_date": 5}
    )
    await desk.feed(edited, edited)
    assert desk.telegram.said(7)[1:] == ["I cannot see edits. Send the question again as a new message."]
    assert (await desk.book.people.list_topics((await desk.user(anna)).id))[0].follow_ups_left == 3


HOSTILE = "<b>bold</b> *x* _y_ `z` [l](tg://user?id=1) &amp; </pre>\u202e\x00😀" + "a" * 300


async def test_hostile_names_and_questions_never_break_a_message(desk: Desk) -> None:
    mallory = desk.telegram.person(7, HOSTILE, "en", "mallory")
    await desk.feed(mallory.says(HOSTILE))
    assert "parse_mode" not in desk.telegram.last(7).params
    admin = desk.person(ADMIN)
    credited = await desk.says(admin, "/credit mallory 1")
    assert "<b>bold</b> *x*" in credited.text
    assert "\u202e" not in credited.text
    shown = await desk.says(admin, "/moderate")
    assert "<b>bold</b>" in shown.text
    assert not any("did not work" in text for text in desk.telegram.said(7))


async def test_a_message_with_half_a_letter_is_understood(desk: Desk) -> None:
    await desk.feed(desk.person(7).says("When \ud83d do I prune everbearing raspberries?"))
    assert "late autumn" in desk.telegram.last(7).text


async def test_what_a_model_writes_is_shown_as_text_and_previews_nothing(tmp_path: Path) -> None:
    links = "![x](https://evil.example/?d=1) <img src=https://evil.example> [a](https://evil.example)"
    model = ScriptedChatModel(f"Prune everbearing raspberries in late autumn [1]. {links}")
    async with opened(str(tmp_path / "base.db"), chat_model=model) as desk:
        await desk.says(desk.person(7), QUESTION)
        for sent in desk.telegram.called("sendMessage"):
            assert sent["link_preview_options"] == {"is_disabled": True}
            assert {mark["type"] for mark in sent.get("entities", [])} <= {
                "bold",
                "italic",
                "blockquote",
                "code",
            }


@pytest.mark.parametrize(
    ("given", "status"), [(None, 401), ("", 401), (SECRET[:-1], 401), ("é", 401), (SECRET, 200)]
)
async def test_a_webhook_takes_only_what_brings_the_secret(given: str | None, status: int) -> None:
    received = list[object]()

    async def feed(update: object) -> None:
        received.append(update)

    async with Served(make_app(feed, SECRET)) as address, ClientSession() as client:
        headers = {} if given is None else {HEADER: given}
        async with client.post(address, json={"update_id": 1}, headers=headers) as answer:
            assert answer.status == status
        assert len(received) == (status == 200)
        headers = {HEADER: SECRET}
        async with client.post(address, data=b"{", headers=headers) as answer:
            assert answer.status == 400
        async with client.post(address, data=b" " * (LARGEST + 1), headers=headers) as answer:
            assert answer.status == 413
        async with client.get(address, headers=headers) as answer:
            assert answer.status == 405


class Served:
    def __init__(self, app: web.Application) -> None:
        self._runner = web.AppRunner(app, access_log=None)

    async def __aenter__(self) -> str:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}/hook"

    async def __aexit__(self, *error: object) -> None:
        await self._runner.cleanup()


async def test_a_webhook_without_a_secret_is_refused_before_anything_else(tmp_path: Path) -> None:
    settings = Settings.model_validate(
        {
            "db": str(tmp_path / "b.db"),
            "telegram_token": TOKEN,
            "telegram_webhook_url": "https://bot.example/hook",
        }
    )
    with pytest.raises(BadSetting, match="needs `telegram_webhook_secret`"):
        await run(settings, asyncio.Event())
    assert not (tmp_path / "b.db").exists()


@pytest.mark.parametrize("secret", ["a b", "ключ", "x" * 257])
def test_a_secret_that_no_header_can_carry_is_refused_and_not_shown(secret: str) -> None:
    with pytest.raises(BadSetting, match=r"cannot be '\*\*\*'") as caught:
        load({"telegram_webhook_secret": secret})
    assert secret not in str(caught.value)


async def test_a_token_that_telegram_refuses_is_an_error_without_the_token(tmp_path: Path) -> None:
    async with TelegramServer(token="1:other-other-other-other-other-other-other") as telegram:
        settings = Settings.model_validate(
            {"db": str(tmp_path / "b.db"), "telegram_token": TOKEN, "telegram_api_base": telegram.address}
        )
        with pytest.raises(AuthError) as caught:
            await run(settings, asyncio.Event())
        assert TOKEN not in f"{caught.value!r} {caught.value.hint} {settings!r}"


async def test_the_token_is_in_no_log_and_no_error(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    admin = desk.person(ADMIN)
    found = {"file_id": "gone", "file_unique_id": "u", "file_name": "gone.md"}
    desk.telegram.files["gone"] = b"x"
    desk.telegram.fail("getFile", Failure(500, "Internal"))
    await desk.feed(admin.sends(document=found, caption="figs"))
    desk.telegram.fail("sendMessage", Failure(None))
    await desk.feed(admin.says("/help"))
    shown = "\n".join(Lines().format(record) for record in caplog.records)
    assert TOKEN not in shown + str(desk.telegram.chats)
    url = f"404, message='Not Found', url='https://api.telegram.org/file/bot{TOKEN}/a.pdf'"
    assert masked(url) == url.replace(TOKEN, "42:***")


def test_config_shows_neither_token_nor_secret(tmp_path: Path) -> None:
    environment = {
        "SOURCEBOOK_TELEGRAM_TOKEN": TOKEN,
        "SOURCEBOOK_TELEGRAM_WEBHOOK_SECRET": SECRET,
        "SOURCEBOOK_TELEGRAM_PROXY": "socks5://me:hidden@10.0.0.1:1080",
    }
    done = Here(tmp_path).run("config", "show", "--json", **environment)
    assert done.returncode == 0
    assert not any(secret in done.stdout + done.stderr for secret in (TOKEN, SECRET, "hidden"))
