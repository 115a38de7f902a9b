"""Answers one question, and settles or returns its reserved price once, however the answer ends."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import anyio

from sourcebook.consult.question.inquiry import Inquiry
from sourcebook.errors import NoQuestionsLeft, NotEnoughTokens, StorageError
from sourcebook.model.chat import Declined, Done, Failed, PassagesFound, TokenWritten
from sourcebook.model.token_prices import Lacking, Prices
from sourcebook.ports.chat import PromptMessage
from sourcebook.ports.people import Leaving

if TYPE_CHECKING:
    from sourcebook.consult.ask import Consultation
    from sourcebook.consult.question.inquiry import Keep
    from sourcebook.model.chat import Answer, AnswerEvent
    from sourcebook.model.consultations import Reply
    from sourcebook.ports.people import Entered, Visits
    from sourcebook.retrieve.question_context import QuestionContext

OnEvent: TypeAlias = "Callable[[AnswerEvent], None]"


@dataclass(frozen=True, slots=True)
class ReceptionPolicy:
    """What questions cost, for how many seconds a price stays reserved without a sign of life, and what is searched."""

    prices: Prices = field(default_factory=Prices)
    seconds: int = 60
    face: str = "python"
    collections: Sequence[str] = ("default",)


@dataclass(frozen=True, slots=True)
class Attended:
    """A reply that was stored and charged, and the context of its question."""

    reply: Reply
    context: QuestionContext


class OvertakenError(Exception):
    """Another process has taken over this question."""


@dataclass(frozen=True, slots=True)
class Onlooker:
    """The person waiting for an answer, and what they see of it before it is complete."""

    on_event: OnEvent | None = None
    is_looking: bool = True
    """Whether they see the text as it is written, and not only the whole answer at the end."""
    is_given_up: Callable[[], bool] | None = None
    """Whether it was us who stopped the answer, so that it costs nothing."""


@dataclass(slots=True)
class _Shown:
    """What the person has seen of the answer so far."""

    onlooker: Onlooker
    is_begun: bool = False
    """Whether text of an answer was shown."""
    is_costly: bool = False
    """Whether the answer comes from documents or a model, and so has a price."""
    is_stopped: bool = False
    """Whether showing it failed, because nobody is looking any more."""

    def show(self, event: AnswerEvent) -> None:
        if self.onlooker.on_event is None:
            return
        try:
            self.onlooker.on_event(event)
        except BaseException:
            self.is_stopped = True
            raise
        self.is_begun = self.is_begun or (self.onlooker.is_looking and isinstance(event, TokenWritten))

    def is_paid_after(self, error: BaseException) -> bool:
        """Whether the person stopped the answer after seeing a part of it."""
        was_stopped = self.is_stopped or not isinstance(error, Exception)
        is_ours = self.onlooker.is_given_up is not None and self.onlooker.is_given_up()
        return self.is_begun and was_stopped and not is_ours


class Attendant:
    """Answers questions whose price is reserved."""

    def __init__(self, consultation: Consultation, visits: Visits, policy: ReceptionPolicy) -> None:
        self._consultation = consultation
        self._visits = visits
        self._policy = policy

    async def attend(self, entered: Entered, onlooker: Onlooker) -> Attended:
        """The reply, stored and charged. On an error, the reserved price is settled or returned first."""
        shown = _Shown(onlooker)
        try:
            async with self._alive(entered):
                return await self._answered(entered, shown)
        except OvertakenError:
            raise
        except BaseException as error:
            how = Leaving.SETTLE if shown.is_paid_after(error) else Leaving.REFUND
            # If the base fails too, a sweep gives back what is held.
            with anyio.CancelScope(shield=True), suppress(StorageError):
                await self._visits.leave(entered, how, self._policy.prices)
            raise

    async def _answered(self, entered: Entered, shown: _Shown) -> Attended:
        attended: list[Attended] = []

        async def keep(answer: Answer, context: QuestionContext) -> Answer:
            reply = await self._visits.finish(entered, answer, self._policy.prices, self._policy.seconds)
            if reply is None:
                raise OvertakenError
            attended.append(Attended(reply, context))
            return reply.answer

        async with aclosing(self._consultation.ask(self._inquiry(entered, keep))) as events:
            async for event in events:
                self._require_means(entered, event, shown)
                if isinstance(event, Failed):
                    raise event.error
                shown.show(event)
                if isinstance(event, Done | Declined):
                    break
        return attended[0]

    def _inquiry(self, entered: Entered, keep: Keep) -> Inquiry:
        visit, topic = entered.visit, entered.topic
        return Inquiry(
            visit.question,
            tuple(visit.collections or ()),
            session_id=topic.session_id,
            is_new_session=entered.is_new_conversation,
            user_id=visit.user_id,
            face=self._policy.face,
            category=visit.category or topic.category,
            subcategory=visit.subcategory or topic.culture,
            language=visit.language,
            similar=visit.similar,
            otherwise=tuple(self._policy.collections),
            earlier=tuple(PromptMessage(role, words) for role, words in visit.earlier),
            keep=keep,
        )

    def _require_means(self, entered: Entered, event: AnswerEvent, shown: _Shown) -> None:
        """NoQuestionsLeft or NotEnoughTokens when an answer begins that the person cannot pay."""
        lacking, balance = entered.charge.lacking, entered.balance
        is_costly = shown.is_costly and isinstance(event, TokenWritten)
        if isinstance(event, PassagesFound):
            shown.is_costly = True
            is_costly = bool(event.passages)
        if lacking is None or not is_costly:
            return
        prices = self._policy.prices
        if lacking is Lacking.QUESTIONS:
            raise NoQuestionsLeft(balance=balance, price=prices.more_questions)
        raise NotEnoughTokens(
            f"This costs {prices.new_topic} tokens, and the balance is {balance}",
            balance=balance,
            price=prices.new_topic,
        )

    @asynccontextmanager
    async def _alive(self, entered: Entered) -> AsyncGenerator[None, None]:
        """Keep the reservation alive, so that no other process takes over the question."""
        failure: Exception | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._show_signs, entered)
            try:
                yield
            except Exception as error:
                failure = error  # raised below, as it is, and not as one of a group
            tasks.cancel_scope.cancel()
        if failure is not None:
            raise failure

    async def _show_signs(self, entered: Entered) -> None:
        is_ours = True
        while is_ours:
            await anyio.sleep(self._policy.seconds / 3)
            with suppress(StorageError):
                is_ours = await self._visits.extend(entered, self._policy.seconds)
