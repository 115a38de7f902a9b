"""What the processes do that take people's questions and tokens. Each function is the whole life of one of them."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from tests.unit.consulting import NOTES

from sourcebook.assembly import (
    Embedders,
    OpenBase,
    Rerankers,
    make_consultation,
    make_ingest,
    make_moderation,
    make_people,
    make_reception,
    make_retriever,
    open_base,
)
from sourcebook.errors import NoQuestionsLeft, NotEnoughTokens
from sourcebook.model.token_ledger import OperationType
from sourcebook.settings import Settings
from sourcebook.testing.fakes import FakeEmbedder, FixedClock, ScriptedChatModel

if TYPE_CHECKING:
    from tests.faults.processes import Line

    from sourcebook.consult.reception.reception import Reception
    from sourcebook.curate.moderation import Moderation
    from sourcebook.model.consultations import Visit
    from sourcebook.people.users import People

ANSWER = ("Prune everbearing raspberries ", "in late autumn, ", "after the last berries [1].")


@dataclass(frozen=True, slots=True)
class Office:
    base: OpenBase
    people: People
    reception: Reception
    moderation: Moderation
    clock: FixedClock


@asynccontextmanager
async def office(db: str, now: int = 1_800_000_000, pause: float = 0.0) -> AsyncGenerator[Office]:
    """A base with a reception, at a moment."""
    clock, settings, embedder = FixedClock(now), Settings(db=db), FakeEmbedder()
    base = await open_base(settings, clock)
    try:
        embedders, model = Embedders(settings, embedder), ScriptedChatModel(*ANSWER, pause=pause)
        retriever = make_retriever(base.stores, embedders, Rerankers(settings), settings)
        people = make_people(base.stores, settings, "python")
        consultation = make_consultation(base.stores, retriever, embedders, model, settings)
        moderation = make_moderation(base, retriever, embedders, None, settings)
        reception = make_reception(base.stores, people, consultation, moderation, settings, "python")
        yield Office(base, people, reception, moderation, clock)
    finally:
        await base.close()


async def furnish(db: str, persons: int, tokens: int) -> list[int]:
    """A base with a few documents, and people with so many tokens; their numbers."""
    async with office(db) as opened:
        ingest = make_ingest(opened.base.stores, FakeEmbedder(), Settings(db=db))
        for name, text in NOTES.items():
            await ingest.add_text(text, id=name, title=name.title())
        made = [await opened.people.get_or_create_user(100 + n, f"p{n}") for n in range(persons)]
        for user in made:
            more = tokens - opened.people.prices.welcome_tokens
            await opened.people.add_tokens(user.id, more, OperationType.ADMIN_CREDIT)
        return [user.id for user in made]


def take_tokens(db: str, user_id: int, times: int, keys: Sequence[str | None]) -> None:
    """Take a token as often as that at the same time. Whoever gets none must hear that there are not enough."""

    async def work() -> None:
        async with office(db) as opened, anyio.create_task_group() as tasks:
            for number in range(times):
                tasks.start_soon(take, opened.people, keys[number % len(keys)])

    async def take(people: People, key: str | None) -> None:
        try:
            await people.deduct_tokens(user_id, 1, OperationType.NEW_TOPIC, idempotency_key=key)
        except NotEnoughTokens:
            return

    anyio.run(work)


def deliver(db: str, visit: Visit, times: int, file: Path) -> None:
    """Bring the same question as often as that at the same time, and write down the replies."""

    replies: list[object] = []

    async def work() -> None:
        async def ask(reception: Reception) -> None:
            reply = await reception.ask(visit)
            replies.append([reply.answer.message_id, reply.charged, reply.balance, reply.follow_ups_left])

        async with office(db, pause=0.01) as opened, anyio.create_task_group() as tasks:
            for _ in range(times):
                tasks.start_soon(ask, opened.reception)

    anyio.run(work)
    file.write_text(json.dumps(replies), "utf-8")


def consult(line: Line, db: str, visits: Sequence[Visit], now: int) -> None:
    """Answer questions of several people at the same time, and acknowledge each reply."""

    async def work() -> None:
        async with office(db, now, pause=0.002) as opened:
            line.send("ready")
            async with anyio.create_task_group() as tasks:
                for user_id in {visit.user_id for visit in visits}:
                    tasks.start_soon(one_after_another, opened.reception, user_id)
        line.send("done")

    async def one_after_another(reception: Reception, user_id: int) -> None:
        for visit in visits:
            if visit.user_id == user_id:
                try:
                    reply = await reception.ask(visit)
                except (NotEnoughTokens, NoQuestionsLeft):
                    line.send((visit.key, None, 0))
                else:
                    line.send((visit.key, reply.answer.message_id, reply.charged))

    anyio.run(work)
