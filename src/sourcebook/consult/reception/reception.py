"""Answers a person's question from start to finish, the same on every face.

One transaction logs the question and reserves its price. After the question is answered, another stores the answer and
settles the price; then a draft is made. All of this happens once for the key of a question: the same key, at the same
time or after a restart, gets the same reply.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import anyio

from sourcebook.consult.question.conversation.small_talk import small_talk
from sourcebook.consult.reception.answer_again import answer_again
from sourcebook.consult.reception.paid_answer import Attendant, Onlooker, OvertakenError, ReceptionPolicy
from sourcebook.errors import (
    Conflict,
    NothingAsked,
    NothingToSearchFor,
    SourcebookError,
    StillAnswering,
    UsageError,
    UserBlocked,
)
from sourcebook.model.chat import Role, Tier
from sourcebook.model.consultations import Direction
from sourcebook.ports.people import Answered, Entered

if TYPE_CHECKING:
    from sourcebook.consult.ask import Consultation
    from sourcebook.consult.reception.paid_answer import OnEvent
    from sourcebook.consult.review_protocols import ExpertQueue
    from sourcebook.model.consultations import LoggedMessage, Reply, Topic, Visit
    from sourcebook.model.moderation import Draft
    from sourcebook.people.users import People
    from sourcebook.ports.stores import Stores
    from sourcebook.retrieve.question_context import QuestionContext

_log = logging.getLogger(__name__)
_SOONEST, _LATEST = 0.02, 0.5


class Reception:
    """Takes people's questions, and makes sure that each is answered and charged once."""

    def __init__(
        self,
        *,
        stores: Stores,
        people: People,
        consultation: Consultation,
        drafting: ExpertQueue | None = None,
        policy: ReceptionPolicy | None = None,
    ) -> None:
        self._stores = stores
        self._people = people
        self._drafting = drafting
        self._policy = policy or ReceptionPolicy()
        self._attendant = Attendant(consultation, stores.visits, self._policy)
        self._turns: WeakValueDictionary[tuple[int, str], anyio.Lock] = WeakValueDictionary()

    async def ask(
        self,
        visit: Visit,
        on_event: OnEvent | None = None,
        *,
        is_looking: bool = True,
        is_given_up: Callable[[], bool] | None = None,
    ) -> Reply:
        """Answer a person's question, log both, take what it costs, and make a draft of the answer.

        A person without tokens or questions left still gets curated answers that cost nothing; any other answer is an
        error. An answer that is stopped halfway is charged if part of it had been shown, and refunded otherwise, or if
        `is_given_up` then says that it was not the person who stopped it. With `is_looking` false, nothing counts as
        shown before the answer is complete, whatever `on_event` does.
        """
        if not visit.question.strip():
            raise NothingToSearchFor("The question is empty", hint="Ask something.")
        _require_question(visit)
        _require_key(visit)
        async with self._turn(visit.user_id, visit.channel_key):
            reply, context = await self._asked(visit, Onlooker(on_event, is_looking, is_given_up))
        if reply.was_repeated or reply.answer.tier is Tier.CURATED:
            return reply
        return replace(reply, draft_id=await self._draft(visit, reply, context))

    async def buy_questions(self, user_id: int, channel_key: str, key: str) -> Topic:
        """Buy more questions for the consultation that is open at this place. The same key buys once."""
        prices = self._policy.prices
        return await self._stores.ledger.buy_questions(
            user_id, channel_key, key, prices.more_questions, prices.questions_in_a_purchase
        )

    async def new_topic(
        self, user_id: int, channel_key: str, *, culture: str | None = None, category: str | None = None
    ) -> Topic:
        """End the consultation that is open at this place, and begin another. It is charged with its first answer."""
        return await self._stores.topics.replace_open_topic(
            user_id, channel_key, face=self._policy.face, culture=culture, category=category
        )

    async def call_human(self, visit: Visit) -> Draft:
        """Pass a question to an expert; without words, the last one that was asked. The same key passes it once.

        The same key with other words is refused, so that no question is lost.
        """
        drafting = self._expert()
        if visit.question.strip():
            _require_question(visit)
        _require_key(visit)
        user = await self._people.get_user(visit.user_id)
        if user.is_blocked:
            raise UserBlocked(f"{user.shown_name} is blocked")
        async with self._turn(visit.user_id, visit.channel_key):
            topic = await self._stores.topics.get_or_create_open_topic(
                visit.user_id, visit.channel_key, face=self._policy.face
            )
            question = visit.question.strip() or await self._last_question(topic)
            logged = await self._called(visit, topic, question)
            known = logged.meta.get("draft_id")
            if isinstance(known, int):
                return await drafting.get_item(known)
            draft = await drafting.call_human(
                question,
                user_id=visit.user_id,
                topic_id=topic.id,
                session_id=topic.session_id,
                category=visit.category or topic.category,
                subcategory=visit.subcategory or topic.culture,
                attachments=visit.attachments,
                language=visit.language or user.language,
                collection_id=self._collections(visit)[0],
            )
            await self._stores.messages.update_message_meta(logged.id, {"draft_id": draft.id})
            return draft

    async def cancel_human(self, user_id: int, draft_id: int) -> Draft:
        """Withdraw a question that waits for an expert."""
        return await self._expert().cancel_item(draft_id, user_id)

    async def sweep(self) -> int:
        """Clean up after dead processes: return the tokens they reserved, and make their missing drafts."""
        swept = await self._people.sweep_reservations()
        for owed in await self._stores.visits.owed_drafts():
            await self._draft(owed.visit, owed.reply)
            swept += 1
        return swept

    @asynccontextmanager
    async def _turn(self, user_id: int, channel_key: str) -> AsyncGenerator[None, None]:
        """One question at a time at one place in this process. Between processes, the base takes care of that."""
        place = (user_id, channel_key)
        lock = self._turns.get(place)
        if lock is None:
            lock = self._turns[place] = anyio.Lock(fast_acquire=True)
        async with lock:
            yield

    async def _asked(self, visit: Visit, onlooker: Onlooker) -> tuple[Reply, QuestionContext | None]:
        policy, visits = self._policy, self._stores.visits
        end_of_patience = time.monotonic() + 5 * policy.seconds
        pause = _SOONEST
        while time.monotonic() < end_of_patience:
            entry = await visits.enter(visit, policy.prices, face=policy.face, seconds=policy.seconds)
            if isinstance(entry, Answered):
                given = await answer_again(entry.reply.answer, self._stores)
                return replace(entry.reply, answer=given), None
            if isinstance(entry, Entered):
                with suppress(OvertakenError):
                    attended = await self._attendant.attend(entry, onlooker)
                    return attended.reply, attended.context
            await anyio.sleep(pause)
            pause = min(2 * pause, _LATEST)
        raise StillAnswering

    async def _draft(self, visit: Visit, reply: Reply, context: QuestionContext | None = None) -> int | None:
        """Make the draft for the answer. If that fails, a later sweep makes it; the answer is given anyway."""
        try:
            draft = None
            if self._drafting is not None:
                draft = await self._considered(self._drafting, visit, reply, context)
            if draft is None:
                await self._stores.visits.note_draft(visit, None)
        except SourcebookError as error:
            _log.warning("no draft of the answer to %s: %s", visit.key, error.message)
            return None
        return None if draft is None else draft.id

    async def _considered(
        self, drafting: ExpertQueue, visit: Visit, reply: Reply, context: QuestionContext | None
    ) -> Draft | None:
        return await drafting.consider(
            reply.answer,
            user_id=visit.user_id,
            topic_id=reply.topic.id,
            category=visit.category or reply.topic.category,
            subcategory=visit.subcategory or reply.topic.culture,
            attachments=visit.attachments,
            collections=self._collections(visit),
            visit_key=visit.key,
            context=context,
        )

    async def _called(self, visit: Visit, topic: Topic, question: str) -> LoggedMessage:
        messages = self._stores.messages
        logged = await messages.log_message(
            visit.user_id,
            Direction.INCOMING,
            text=question,
            topic_id=topic.id,
            session_id=topic.session_id,
            external_id=visit.key,
            meta={"human": True},
        ) or await messages.find_message(visit.key)
        if logged is None or logged.user_id != visit.user_id or logged.meta.get("human") is not True:
            raise UsageError(f"The key {visit.key!r} belongs to another message")
        if visit.question.strip() and logged.text != question:
            raise Conflict(
                "This key belongs to another question to an expert.",
                hint="Send another key with each question.",
            )
        return logged

    async def _last_question(self, topic: Topic) -> str:
        turns = await self._stores.sessions.messages(topic.session_id, topic.user_id, last=2)
        asked = [message.content for message in turns if message.role is Role.USER]
        if not asked:
            raise NothingToSearchFor("There is no question yet", hint="Ask something.")
        return asked[-1]

    def _collections(self, visit: Visit) -> Sequence[str]:
        return tuple(visit.collections or self._policy.collections)

    def _expert(self) -> ExpertQueue:
        if self._drafting is None:
            raise UsageError("There is no expert to ask", hint="Open the base with its moderation.")
        return self._drafting


def _require_question(visit: Visit) -> None:
    """NothingAsked for greetings and thanks: they cost nothing, and no expert sees them."""
    if not visit.attachments and (kind := small_talk(visit.question)) is not None:
        raise NothingAsked(kind=kind.value)


def _require_key(visit: Visit) -> None:
    if not visit.key:
        raise UsageError("A question needs its own key")
