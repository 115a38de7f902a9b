"""A Bot API server on loopback: holds updates until they are fetched, records what a bot sends, fails when told to.

`async with TelegramServer() as telegram:` gives one at `telegram.address`, for `telegram_api_base`. It needs the extra
`telegram`.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from types import TracebackType
from typing import Any, Self, TypeAlias

from aiohttp import web

Json: TypeAlias = dict[str, Any]

LONGEST_MESSAGE = 4096
LONGEST_CAPTION = 1024
LONGEST_DATA = 64
BOT_ID = 42
TOKEN = f"{BOT_ID}:a-token-for-tests-and-nothing-else-at-all"


@dataclass(frozen=True, slots=True)
class Call:
    """A method that the bot called, with its parameters read from their JSON."""

    method: str
    params: Json


@dataclass(frozen=True, slots=True)
class Failure:
    """How the next call of a method fails. Without a status, the connection breaks."""

    status: int | None
    description: str = "Bad Request: told to fail"
    retry_after: int | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """A message as it stands in a chat now."""

    chat_id: int
    message_id: int
    text: str
    params: Json

    @property
    def buttons(self) -> dict[str, str]:
        """What the buttons under it say, and what they send."""
        return {button["text"]: button.get("callback_data", "") for button in _buttons(self.params)}


@dataclass
class Person:
    """Somebody with Telegram. Each message and press is an update with a number of its own."""

    server: TelegramServer
    id: int
    first_name: str = "Anna"
    language_code: str | None = "en"
    username: str | None = None

    @property
    def user(self) -> Json:
        known = {"id": self.id, "is_bot": False, "first_name": self.first_name}
        more = {"language_code": self.language_code, "username": self.username}
        return known | {key: value for key, value in more.items() if value is not None}

    @property
    def chat(self) -> Json:
        return {"id": self.id, "type": "private", "first_name": self.first_name}

    def says(self, text: str, **more: Any) -> Json:
        return self.sends(text=text, entities=_commands(text), **more)

    def replies(self, to: Sent, text: str) -> Json:
        return self.says(text, reply_to_message=self.server.as_message(to))

    def sends(self, **content: Any) -> Json:
        """An update with a message of this person, ready to be delivered."""
        message = {"message_id": self.server.next_message(), "date": 1_800_000_000, "chat": self.chat}
        return self.server.update(message=message | {"from": self.user} | content)

    def presses(self, on: Sent, data: str) -> Json:
        """An update with a press of the button that sends this; `on.buttons[label]` is what a button sends."""
        query = {"id": str(self.server.next_message()), "from": self.user, "chat_instance": "1", "data": data}
        return self.server.update(callback_query=query | {"message": self.server.as_message(on)})


def _commands(text: str) -> list[Json]:
    if not text.startswith("/"):
        return []
    return [{"type": "bot_command", "offset": 0, "length": len(text.split()[0])}]


@dataclass
class TelegramServer:
    """The server. `calls` is what the bot did; `chats` what people see. Updates are numbered from `first_update`."""

    token: str = TOKEN
    # A base remembers what it handled: a second server must not count from where the first one did.
    first_update: int = field(default_factory=lambda: time.time_ns() // 1000)
    calls: list[Call] = field(default_factory=list[Call])
    chats: dict[int, list[Sent]] = field(default_factory=lambda: defaultdict[int, list[Sent]](list))
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def __post_init__(self) -> None:
        self._waiting: list[Json] = []
        self._arrived = asyncio.Event()
        self._failures: dict[str, deque[Failure]] = defaultdict(deque)
        self._numbers = count(self.first_update)
        self._messages = count(1)
        self._runner: web.AppRunner | None = None
        self.address = ""

    async def __aenter__(self) -> Self:
        application = web.Application(client_max_size=64 * 1024 * 1024)
        application.router.add_route("*", "/bot{token}/{method}", self._answer)
        application.router.add_get("/file/bot{token}/{path:.*}", self._file)
        self._runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.address = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    def person(
        self, id: int, first_name: str = "Anna", language: str | None = "en", username: str | None = None
    ) -> Person:
        return Person(self, id, first_name, language, username)

    def update(self, **content: Any) -> Json:
        return {"update_id": next(self._numbers)} | content

    def next_message(self) -> int:
        return next(self._messages)

    def deliver(self, *updates: Json) -> None:
        """Let the bot fetch these."""
        self._waiting.extend(updates)
        self._arrived.set()

    @property
    def unconfirmed(self) -> list[int]:
        """The numbers of the updates that a bot would get if it started anew."""
        return [update["update_id"] for update in self._waiting]

    def fail(self, method: str, *failures: Failure) -> None:
        """Let the next calls of the method fail, each in its turn."""
        self._failures[method].extend(failures)

    def said(self, chat_id: int) -> list[str]:
        """The texts in a chat, oldest first."""
        return [sent.text for sent in self.chats[chat_id]]

    def last(self, chat_id: int) -> Sent:
        return self.chats[chat_id][-1]

    def called(self, method: str) -> list[Json]:
        return [call.params for call in self.calls if call.method == method]

    def as_message(self, sent: Sent) -> Json:
        bot = {"id": BOT_ID, "is_bot": True, "first_name": "Sourcebook", "username": "sourcebook_bot"}
        message = {
            "message_id": sent.message_id,
            "date": 1_800_000_000,
            "chat": {
                "id": sent.chat_id,
                "type": "private" if sent.chat_id > 0 else "supergroup",
                "title": "Group",
            },
            "from": bot,
        }
        if _buttons(sent.params):
            message["reply_markup"] = sent.params["reply_markup"]
        return message | {"text": sent.text}

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if request.match_info["token"] != self.token:
            return _refused(401, "Unauthorized")
        method, params = request.match_info["method"], await _params(request)
        self.calls.append(Call(method, params))
        if self._failures[method]:
            return await _failed(request, self._failures[method].popleft())
        try:
            return web.json_response({"ok": True, "result": await self._do(method, params)})
        except _Refusal as refusal:
            return _refused(refusal.status, refusal.description)

    async def _do(self, method: str, params: Json) -> object:
        handlers: Mapping[str, Callable[[Json], Awaitable[object]]] = {
            "getMe": self._me,
            "getUpdates": self._updates,
            "getFile": self._file_facts,
            "editMessageText": self._edit,
            "editMessageReplyMarkup": self._edit,
            "deleteMessage": self._delete,
        }
        if method in handlers:
            return await handlers[method](params)
        if method in ("copyMessage", "forwardMessage") or method in _SENDING:
            return self._keep(method, params)
        if method in _TRUE:
            return True
        raise _Refusal(404, f"Not Found: method {method}")

    async def _me(self, params: Json) -> Json:
        return {"id": BOT_ID, "is_bot": True, "first_name": "Sourcebook", "username": "sourcebook_bot"}

    async def _updates(self, params: Json) -> list[Json]:
        offset = int(params.get("offset", 0))
        self._waiting = [update for update in self._waiting if update["update_id"] >= offset]
        if not self._waiting and int(params.get("timeout", 0)):
            self._arrived.clear()
            try:
                await asyncio.wait_for(self._arrived.wait(), float(params["timeout"]))
            except TimeoutError:
                return []
        return self._waiting[: int(params.get("limit", 100))]

    async def _file_facts(self, params: Json) -> Json:
        name = str(params["file_id"])
        if name not in self.files:
            raise _Refusal(400, "Bad Request: wrong file_id")
        return {
            "file_id": name,
            "file_unique_id": name,
            "file_size": len(self.files[name]),
            "file_path": name,
        }

    async def _file(self, request: web.Request) -> web.Response:
        name = request.match_info["path"]
        if request.match_info["token"] != self.token or name not in self.files:
            raise web.HTTPNotFound
        return web.Response(body=self.files[name])

    async def _edit(self, params: Json) -> Json:
        chat = self.chats[int(params["chat_id"])]
        place = next((i for i, sent in enumerate(chat) if sent.message_id == int(params["message_id"])), None)
        if place is None:
            raise _Refusal(400, "Bad Request: message to edit not found")
        before = chat[place]
        text = params.get("text", before.text)
        _require_sendable(text, params, LONGEST_MESSAGE)
        if text == before.text and params.get("reply_markup") == before.params.get("reply_markup"):
            raise _Refusal(400, "Bad Request: message is not modified")
        chat[place] = Sent(before.chat_id, before.message_id, text, params)
        return self.as_message(chat[place])

    async def _delete(self, params: Json) -> bool:
        chat, gone = self.chats[int(params["chat_id"])], int(params["message_id"])
        if all(sent.message_id != gone for sent in chat):
            raise _Refusal(400, "Bad Request: message to delete not found")
        chat[:] = [sent for sent in chat if sent.message_id != gone]
        return True

    def _keep(self, method: str, params: Json) -> Json:
        text = str(params.get("text" if method == "sendMessage" else "caption", ""))
        if method == "sendMessage":
            _require_sendable(text, params, LONGEST_MESSAGE)
        else:
            _require_short(text, LONGEST_CAPTION)
        sent = Sent(int(params["chat_id"]), self.next_message(), text, params | {"method": method})
        self.chats[sent.chat_id].append(sent)
        return {"message_id": sent.message_id} if method == "copyMessage" else self.as_message(sent)


_SENDING = frozenset({"sendMessage", "sendPhoto", "sendDocument", "sendInvoice"})
_TRUE = frozenset(
    {"deleteWebhook", "setWebhook", "sendChatAction", "answerCallbackQuery", "setMyCommands"}
    | {"answerPreCheckoutQuery", "refundStarPayment"}
)


class _Refusal(Exception):
    def __init__(self, status: int, description: str) -> None:
        super().__init__(description)
        self.status = status
        self.description = description


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _require_short(text: str, limit: int) -> None:
    if _units(text) > limit:
        raise _Refusal(400, "Bad Request: message is too long")


def _require_sendable(text: str, params: Json, limit: int) -> None:
    """As strict as Telegram: a text, not too long, marks inside it, buttons that fit."""
    if not text.strip():
        raise _Refusal(400, "Bad Request: message text is empty")
    _require_short(text, limit)
    entities: Iterable[Json] = params.get("entities") or []
    for entity in entities:
        if entity["length"] <= 0 or entity["offset"] + entity["length"] > _units(text):
            raise _Refusal(400, "Bad Request: can't parse entities")
    for button in _buttons(params):
        if not 0 < len(str(button.get("callback_data", "x")).encode()) <= LONGEST_DATA:
            raise _Refusal(400, "Bad Request: BUTTON_DATA_INVALID")


def _buttons(params: Json) -> list[Json]:
    markup: Json = params.get("reply_markup") or {}
    rows: list[list[Json]] = markup.get("inline_keyboard", [])
    return [button for row in rows for button in row]


async def _params(request: web.Request) -> Json:
    """The parameters; what is JSON inside a form is read. Uploaded files stay bytes."""
    if request.content_type == "application/json":
        return await request.json()
    found: Json = {}
    for name, value in (await request.post()).items():
        found[name] = value.file.read() if isinstance(value, web.FileField) else _value(value)
    return found


def _value(text: object) -> object:
    if isinstance(text, str) and text[:1] in "[{":
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text


def _refused(status: int, description: str, retry_after: int | None = None) -> web.Response:
    body: Json = {"ok": False, "error_code": status, "description": description}
    if retry_after is not None:
        body["parameters"] = {"retry_after": retry_after}
    return web.json_response(body, status=status)


async def _failed(request: web.Request, failure: Failure) -> web.StreamResponse:
    if failure.status is None:
        if request.transport is not None:
            request.transport.close()
        return web.Response()
    return _refused(failure.status, failure.description, failure.retry_after)
