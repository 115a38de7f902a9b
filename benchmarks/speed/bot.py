"""`python -m benchmarks.speed.bot`: many people ask the bot at once. Is anything lost or doubled, and what do we cost?

Updates go through the dispatcher into a real base. The chat model is a stub that takes 50 ms, Telegram one that takes
nothing, so what is measured beyond the model's time is ours: looking the person up, the ledger, search, checking the
citations, storing, the draft. Some updates are delivered twice, as Telegram does after a broken connection.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aiogram import Bot
from aiogram.client.session.base import BaseSession
from aiogram.methods import GetMe, SendMessage, TelegramMethod
from aiogram.types import Chat, Message, Update, User

from benchmarks.speed.machine import ROOT, commit, machine
from sourcebook import AsyncSourcebook, Settings
from sourcebook.faces.telegram.bot import settled_memory
from sourcebook.faces.telegram.bot_services import BotServices, BotTerms
from sourcebook.faces.telegram.outgoing.sender import Sender
from sourcebook.faces.telegram.updates.dispatch import make_dispatcher
from sourcebook.testing.fakes import FakeEmbedder, ScriptedChatModel
from sourcebook.testing.telegram import TOKEN

if TYPE_CHECKING:
    from aiogram.methods.base import TelegramType

MODEL_SECONDS = 0.05
BAR = 0.05
CROPS = (
    "raspberries",
    "blueberries",
    "tomatoes",
    "currants",
    "figs",
    "plums",
    "apples",
    "cherries",
    "grapes",
    "beans",
)
_SENTENCE = "The {crop} of bed {bed} are watered in week {week}, early in the morning, before the sun is over the wall."


@dataclass(frozen=True, slots=True)
class Load:
    users: int
    questions: int
    at_once: int = 4
    repeated: float = 0.05


@dataclass(frozen=True, slots=True)
class Outcome:
    asked: int
    delivered_twice: int
    lost: int
    doubled: int
    wrong_balances: int
    seconds: float
    own_p50_ms: float
    own_p95_ms: float
    own_p99_ms: float
    own_cpu_ms: float


@dataclass(frozen=True, slots=True)
class Spent:
    seconds: float
    cpu_seconds: float


class SilentTelegram(BaseSession):
    """Takes every message at once, and counts the answers of each chat."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: Counter[int] = Counter()
        self.last_answer: dict[int, float] = {}

    async def make_request(
        self,
        bot: Bot,
        method: TelegramMethod[TelegramType],
        timeout: int | None = None,  # noqa: ASYNC109 - as the library has it
    ) -> TelegramType:
        result: Any = True
        if isinstance(method, GetMe):
            result = User(id=42, is_bot=True, first_name="Sourcebook", username="sourcebook_bot")
        if isinstance(method, SendMessage):
            chat = int(method.chat_id)
            self.answers[chat] += 1
            self.last_answer[chat] = time.perf_counter()
            result = Message(message_id=1, date=datetime.now(UTC), chat=Chat(id=chat, type="private"))
        return result

    async def close(self) -> None:
        """There is nothing to close."""

    async def stream_content(
        self,
        url: str,
        headers: dict[str, Any] | None = None,
        timeout: int = 30,  # noqa: ASYNC109
        chunk_size: int = 65536,
        raise_for_status: bool = True,
    ) -> AsyncGenerator[bytes, None]:
        yield b""


def questions(load: Load) -> list[Update]:
    """Every person's questions in their order, people mixed."""
    updates = list[Update]()
    for turn in range(load.questions):
        for user in range(load.users):
            number = len(updates) + 1
            crop = CROPS[(turn + user) % len(CROPS)]
            message = {
                "message_id": number,
                "date": 1_800_000_000,
                "chat": {"id": 10_000 + user, "type": "private"},
                "from": {
                    "id": 10_000 + user,
                    "is_bot": False,
                    "first_name": f"P{user}",
                    "language_code": "en",
                },
                "text": f"In which week are {crop} of bed {user % 50} watered?",
            }
            updates.append(Update.model_validate({"update_id": number, "message": message}))
    return updates


async def measure(load: Load, folder: Path) -> Outcome:
    settings = Settings.model_validate(
        {"db": str(folder / "base.db"), "follow_ups_included": load.questions - 1, "welcome_tokens": 1}
    )
    model = ScriptedChatModel(
        "They are watered early in the morning, before the sun is over the wall [1].", pause=MODEL_SECONDS
    )
    async with AsyncSourcebook(
        settings=settings, embedder=FakeEmbedder(), chat_model=model, face="telegram"
    ) as book:
        await _fill(book)
        silent = SilentTelegram()
        bot = Bot(TOKEN, session=silent)
        office = BotServices(book, bot, Sender(bot), BotTerms(frozenset(), book.people.prices))
        dispatcher = make_dispatcher(office)
        before = time.process_time()
        with settled_memory():
            taken, seconds, repeated = await _run(dispatcher.feed_update, bot, silent, questions(load), load)
        spent = Spent(seconds, time.process_time() - before)
        return await _judged(book, silent, load, taken, spent, repeated)


async def _fill(book: AsyncSourcebook) -> None:
    for week, crop in enumerate(CROPS):
        beds = " ".join(_SENTENCE.format(crop=crop, bed=bed, week=20 + week) for bed in range(50))
        await book.add_text(beds, id=crop, title=crop.title(), subcategory=crop)


async def _run(
    feed: Any, bot: Bot, silent: SilentTelegram, updates: Sequence[Update], load: Load
) -> tuple[list[float], float, int]:
    """Hand the updates out, so many at once; returns how long each person waited, how long it took, what came twice."""
    waiting = iter(updates)
    taken = list[float]()
    repeated = 0

    async def work() -> None:
        nonlocal repeated
        for update in waiting:
            begun = time.perf_counter()
            twice = update.update_id % round(1 / load.repeated) == 0
            repeated += twice
            await asyncio.gather(*(feed(bot, update) for _ in range(1 + twice)))
            if update.message is not None:
                taken.append(silent.last_answer.get(update.message.chat.id, time.perf_counter()) - begun)

    begun = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(load.at_once)))
    return taken, time.perf_counter() - begun, repeated


async def _judged(
    book: AsyncSourcebook,
    silent: SilentTelegram,
    load: Load,
    taken: list[float],
    spent: Spent,
    repeated: int,
) -> Outcome:
    lost = doubled = wrong = 0
    for user in range(load.users):
        person = await book.people.get_or_create_user(10_000 + user)
        topics = await book.people.list_topics(person.id)
        sessions = [await book.stores.sessions.messages(topic.session_id, person.id) for topic in topics]
        stored = sum(len(messages) for messages in sessions) // 2
        for count in (stored, silent.answers[10_000 + user]):
            lost += max(0, load.questions - count)
            doubled += max(0, count - load.questions)
        ledger = sum(row.amount for row in await book.people.token_history(person.id, 1000))
        wrong += (person.token_balance, ledger, len(topics)) != (0, 0, 1)
    own = sorted(1000 * (one - MODEL_SECONDS) for one in taken)
    shares = statistics.quantiles(own, n=100)
    return Outcome(
        len(taken),
        repeated,
        lost,
        doubled,
        wrong,
        round(spent.seconds, 1),
        *(round(shares[n], 1) for n in (49, 94, 98)),
        own_cpu_ms=round(1000 * spent.cpu_seconds / len(taken), 1),
    )


def main(words: Sequence[str] | None = None) -> int:
    made = argparse.ArgumentParser(prog="python -m benchmarks.speed.bot", description=__doc__)
    made.add_argument("--users", type=int, default=1000)
    made.add_argument("--questions", type=int, default=10)
    made.add_argument(
        "--at-once", type=int, default=8, help="how many people wait for an answer at any moment"
    )
    made.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results")
    given = made.parse_args(words)
    load = Load(given.users, given.questions, given.at_once)
    with tempfile.TemporaryDirectory() as folder:
        outcome = asyncio.run(measure(load, Path(folder)))
    date = datetime.now(UTC).date().isoformat()
    path = given.out / f"bot-{date}.json"
    given.out.mkdir(parents=True, exist_ok=True)
    earlier: dict[str, object] = json.loads(path.read_text("utf-8"))["runs"] if path.exists() else {}
    bar = {"own_p95_ms": 1000 * BAR, "reached": outcome.own_p95_ms <= 1000 * BAR}
    facts = {"load": asdict(load), "outcome": asdict(outcome), "bar": bar}
    report = {
        "date": date,
        "commit": commit(),
        "machine": machine(),
        "model_ms": 1000 * MODEL_SECONDS,
        "runs": earlier | {f"{load.users} people, {load.at_once} at once": facts},
    }
    path.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    print(f"{outcome}\n{path}", file=sys.stderr)
    return int(bool(outcome.lost or outcome.doubled or outcome.wrong_balances))


if __name__ == "__main__":
    sys.exit(main())
