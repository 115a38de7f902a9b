"""A base with people at its reception, and a moderation that only counts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING

from tests.unit.consulting import NOTES, QUESTION

from sourcebook import AsyncSourcebook, Settings
from sourcebook.consult.reception.paid_answer import ReceptionPolicy
from sourcebook.consult.reception.reception import Reception
from sourcebook.errors import DraftNotFound
from sourcebook.model.chat import Answer, Tier
from sourcebook.model.consultations import Direction, Visit
from sourcebook.model.moderation import Draft, DraftKind, DraftStatus
from sourcebook.model.token_ledger import OperationType
from sourcebook.model.token_prices import Prices
from sourcebook.people.users import People
from sourcebook.testing.fakes import FakeEmbedder, FixedClock

if TYPE_CHECKING:
    from sourcebook.model.consultations import LoggedMessage, Reply, Topic
    from sourcebook.model.people import User
    from sourcebook.ports.chat import ChatModel
    from sourcebook.ports.people import Visits

CHANNEL = "telegram:7:0"
WRITTEN = ("Prune everbearing raspberries ", "in late autumn, after the last berries [1].")


class CountingDrafts:
    """Drafts in memory, as a queue keeps them."""

    def __init__(self) -> None:
        self.drafts: list[Draft] = []
        self.failure: Exception | None = None
        self.visits: Visits | None = None

    async def consider(
        self,
        answer: Answer,
        *,
        user_id: int = 1,
        topic_id: int | None = None,
        attachments: Sequence[object] = (),
        visit_key: str | None = None,
        **_: object,
    ) -> Draft | None:
        if self.failure is not None:
            raise self.failure
        if answer.tier is Tier.CURATED:
            return None
        known = [draft for draft in self.drafts if draft.chat_message_id == answer.message_id]
        made = known[0] if known else self._made(answer, user_id, topic_id, attachments)
        if visit_key is not None and self.visits is not None:
            await self.visits.note_draft(Visit(user_id, CHANNEL, answer.question, visit_key), made.id)
        return made

    def _made(
        self, answer: Answer, user_id: int, topic_id: int | None, attachments: Sequence[object]
    ) -> Draft:
        kind = DraftKind.DECLINED if answer.tier is Tier.NONE else DraftKind.ANSWER
        made = Draft(
            len(self.drafts) + 1,
            user_id,
            kind,
            answer.question,
            topic_id=topic_id,
            chat_message_id=answer.message_id,
            attachments=attachments,  # type: ignore[arg-type]
        )
        self.drafts.append(made)
        return made

    async def call_human(
        self, question: str, *, user_id: int = 1, topic_id: int | None = None, **_: object
    ) -> Draft:
        made = Draft(len(self.drafts) + 1, user_id, DraftKind.DECLINED, question, topic_id=topic_id)
        self.drafts.append(made)
        return made

    async def get_item(self, draft_id: int) -> Draft:
        if not 1 <= draft_id <= len(self.drafts):
            raise DraftNotFound
        return self.drafts[draft_id - 1]

    async def cancel_item(self, draft_id: int, user_id: int) -> Draft:
        draft = replace(await self.get_item(draft_id), status=DraftStatus.CANCELLED)
        self.drafts[draft_id - 1] = draft
        return draft


@dataclass
class Desk:
    """An open base with a person who asks."""

    book: AsyncSourcebook
    people: People
    reception: Reception
    drafts: CountingDrafts
    clock: FixedClock
    person: User
    numbers: count[int]

    def visit(self, question: str = QUESTION, key: str | None = None, **more: object) -> Visit:
        key = key or f"tg:{next(self.numbers)}"
        return Visit(self.person.id, CHANNEL, question, key, **more)  # type: ignore[arg-type]

    async def ask(self, question: str = QUESTION, key: str | None = None, **more: object) -> Reply:
        return await self.reception.ask(self.visit(question, key, **more))

    async def credit(self, amount: int) -> None:
        await self.people.add_tokens(self.person.id, amount, OperationType.ADMIN_CREDIT)

    async def balance(self) -> int:
        """The balance, which is the sum of the rows of the ledger."""
        balance = await self.people.get_token_balance(self.person.id)
        rows = await self.people.token_history(self.person.id, 10_000)
        assert balance == sum(row.amount for row in rows)
        return balance

    async def topic(self) -> Topic:
        topic = await self.people.get_open_topic(self.person.id, CHANNEL)
        assert topic is not None
        return topic

    async def messages(self) -> list[LoggedMessage]:
        found: list[LoggedMessage] = []
        for topic in reversed(await self.people.list_topics(self.person.id)):
            found += await self.people.get_topic_messages(topic.id)
        return found

    async def turns(self) -> int:
        sessions = await self.book.stores.sessions.list_sessions(self.person.id)
        return sum(session.message_count for session in sessions) // 2

    async def answers(self) -> list[str]:
        return [m.text for m in await self.messages() if m.direction is Direction.OUTGOING]


@asynccontextmanager
async def reception_desk(
    db: str, chat_model: ChatModel | None = None, prices: Prices | None = None, seconds: int = 60
) -> AsyncGenerator[Desk, None]:
    """A base with notes about berries, and Ada with one token."""
    prices = prices or Prices()
    settings = Settings(
        db=db,
        welcome_tokens=prices.welcome_tokens,
        price_new_topic=prices.new_topic,
        follow_ups_included=prices.follow_ups_included,
        reservation_seconds=seconds,
    )
    async with AsyncSourcebook(settings=settings, embedder=FakeEmbedder(), chat_model=chat_model) as book:
        for name, text in NOTES.items():
            await book.add_text(text, id=name, title=name.title())
        drafts, clock = CountingDrafts(), FixedClock()
        drafts.visits = book.stores.visits
        stores = replace(book.stores, **at_clock(book, clock))
        people = People(
            users=stores.users,
            topics=stores.topics,
            messages=stores.messages,
            ledger=stores.ledger,
            prices=prices,
            reservation_seconds=seconds,
        )
        reception = Reception(
            stores=stores,
            people=people,
            consultation=book._consultation(),  # pyright: ignore[reportPrivateUsage]
            drafting=drafts,  # type: ignore[arg-type]
            policy=ReceptionPolicy(prices, seconds),
        )
        ada = await people.get_or_create_user(7, "ada", "Ada", "Lovelace", "en")
        yield Desk(book, people, reception, drafts, clock, ada, count(1))


def at_clock(book: AsyncSourcebook, clock: FixedClock) -> dict[str, object]:
    """The stores of people, with a clock that the test moves."""
    from sourcebook.storage.people.messages import SqlMessages
    from sourcebook.storage.people.token_ledger import SqlLedger
    from sourcebook.storage.people.topics import SqlTopics
    from sourcebook.storage.people.users import SqlUsers
    from sourcebook.storage.people.visits import SqlVisits

    database = book._opened().database  # pyright: ignore[reportPrivateUsage]
    return {
        "users": SqlUsers(database, clock),
        "topics": SqlTopics(database, clock),
        "messages": SqlMessages(database, clock),
        "ledger": SqlLedger(database, clock),
        "visits": SqlVisits(database, clock),
    }
