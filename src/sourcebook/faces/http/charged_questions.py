"""Questions of callers: each is answered, stored and charged once, whichever route it comes through."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any
from uuid import uuid4

from fastapi import Depends, FastAPI, Request

from sourcebook.client import AsyncSourcebook
from sourcebook.errors import Conflict, ProviderError, SessionNotFound
from sourcebook.faces.http.auth.caller import Caller, Reader, allowed_collections
from sourcebook.faces.http.metrics import Metrics
from sourcebook.faces.http.shutdown import Stopping
from sourcebook.model.chat import PassagesFound, TokenWritten
from sourcebook.model.consultations import Visit
from sourcebook.settings import Settings
from sourcebook.text.case_and_accents import made_storable

if TYPE_CHECKING:
    from sourcebook.model.chat import Answer, AnswerEvent, ChatSession
    from sourcebook.model.consultations import Reply
    from sourcebook.model.moderation import Draft
    from sourcebook.ports.chat import PromptMessage


@dataclass(frozen=True, slots=True)
class SentQuestion:
    """A question as a caller sends it. The same `key` again gets the same answer, and is charged once."""

    question: str
    session: str | None = None
    collections: Sequence[str] | None = None
    category: str | None = None
    subcategory: str | None = None
    key: str | None = None
    earlier: Sequence[PromptMessage] = ()
    """What was said before, in a conversation that the caller keeps."""
    similar: int | None = None
    """The approved answer that was chosen among those that were offered for this question."""


def server_book(settings: Settings, **given: Any) -> AsyncSourcebook:
    """The base as the server opens it. Who asks here pays nothing, unless that was said: they may be colleagues."""
    prices = {} if settings.http_charges else {"price_new_topic": 0}
    return AsyncSourcebook(settings=settings.model_copy(update=prices), face="http", **given)


@dataclass(frozen=True, slots=True)
class QuestionDesk:
    """Takes the questions of one caller. Every face of the server asks here."""

    book: AsyncSourcebook
    settings: Settings
    caller: Caller
    metrics: Metrics | None = None
    stopping: Stopping | None = None

    async def ask(self, asked: SentQuestion, on_event: Callable[[AnswerEvent], None] | None = None) -> Answer:
        """The answer, with its session and draft. Cancelled, it ends the model's request.

        What is held is given back then, unless the caller has seen text and left; a server that stops charges nothing.
        """
        key = _key_of(asked)
        visit = Visit(
            user_id=self.caller.user_id,
            channel_key=f"http:{asked.session or key}",
            question=asked.question,
            key=f"http:{self.caller.user_id}:{key}",
            category=asked.category,
            subcategory=asked.subcategory,
            collections=await self._collections(asked),
            session_id=asked.session,
            similar=asked.similar,
            earlier=tuple((each.role, each.content) for each in asked.earlier),
        )
        reply = await self._answered(visit, on_event)
        if reply.was_repeated:
            await self._require_the_same(visit, reply)
        details = dict(reply.answer.details)
        return replace(
            reply.answer,
            details=details if reply.draft_id is None else {**details, "draft_id": reply.draft_id},
        )

    async def call_expert(self, asked: SentQuestion) -> Draft:
        """Take a question to an expert; with the same key, once."""
        key = _key_of(asked)
        visit = Visit(
            user_id=self.caller.user_id,
            channel_key=f"http:expert:{key}",
            question=asked.question,
            key=f"http:{self.caller.user_id}:expert:{key}",
            category=asked.category,
            subcategory=asked.subcategory,
            collections=asked.collections,
        )
        draft = await self.book.reception.call_human(visit)
        if asked.collections and draft.collection_id not in asked.collections:
            raise _key_taken("a question about another collection")
        return draft

    async def _require_the_same(self, visit: Visit, reply: Reply) -> None:
        """Refuse a key of another question, and of an answer from what this caller may not see.

        All keys of an account share its questions, but one may see less than another.
        """
        if made_storable(visit.question) != reply.answer.question:
            raise _key_taken("another question")
        searched = set(reply.collections or (self.settings.collection,))
        if searched != set(visit.collections or ()):
            raise _key_taken("a question about other collections")
        session = await self.book.stores.sessions.get_session(reply.topic.session_id, self.caller.user_id)
        if session is None or not sees_session(self.caller, session, self.settings):
            raise _key_taken("a question in another conversation")

    async def _answered(self, visit: Visit, on_event: Callable[[AnswerEvent], None] | None) -> Reply:
        watch = _Stopwatch(on_event, self.metrics)
        try:
            reply = await self.book.reception.ask(
                visit, watch.see, is_looking=on_event is not None, is_given_up=self._is_stopping
            )
        except ProviderError as error:
            if self.metrics is not None:
                self.metrics.provider_errors.labels(error.code).inc()
            raise
        if self.metrics is not None:
            self.metrics.answers.labels(reply.answer.tier.value).inc()
            watch.note("answer")
        return reply

    def _is_stopping(self) -> bool:
        return self.stopping is not None and self.stopping.is_set

    async def _collections(self, asked: SentQuestion) -> list[str]:
        """Those that the question names, or its conversation, or the default: all must be the caller's to see."""
        named = list(asked.collections or ())
        if asked.session is not None:
            # What was said there goes into the answer, so it must be the caller's to see as well.
            session = await own_session(self.book, self.settings, self.caller, asked.session)
            named = named or collections_of(session, self.settings)
        return allowed_collections(self.caller, named or None, self.settings)


def desk_of(app: FastAPI, caller: Caller) -> QuestionDesk:
    """Where this caller's questions are taken now: another base may have been opened since the last one."""
    state = app.state
    return QuestionDesk(state.book, state.settings, caller, state.metrics, state.stopping)


async def _desk(request: Request, caller: Reader) -> QuestionDesk:
    return desk_of(request.app, caller)


Questions = Annotated[QuestionDesk, Depends(_desk)]


async def own_session(
    book: AsyncSourcebook, settings: Settings, caller: Caller, session_id: str
) -> ChatSession:
    """A conversation of the caller, about collections that the caller may see. Any other is not found."""
    session = await book.stores.sessions.get_session(session_id, caller.user_id)
    if session is None or not sees_session(caller, session, settings):
        raise SessionNotFound(f"There is no session {session_id!r}")
    return session


def sees_session(caller: Caller, session: ChatSession, settings: Settings) -> bool:
    return all(caller.sees(name) for name in collections_of(session, settings))


def collections_of(session: ChatSession, settings: Settings) -> list[str]:
    """The collections that a conversation is about; without any, the default one."""
    remembered = session.scope.get("collections")
    named = [name for name in remembered if isinstance(name, str)] if isinstance(remembered, list) else []
    return named or [settings.collection]


class _Stopwatch:
    """Hands events on, and notes how long it took until the passages and the first text were there."""

    def __init__(self, on_event: Callable[[AnswerEvent], None] | None, metrics: Metrics | None) -> None:
        self._on_event = on_event
        self._metrics = metrics
        self._begun = time.perf_counter()
        self._noted: set[str] = set()

    def see(self, event: AnswerEvent) -> None:
        if isinstance(event, PassagesFound):
            self.note("passages")
        elif isinstance(event, TokenWritten):
            self.note("first_text")
        if self._on_event is not None:
            self._on_event(event)

    def note(self, stage: str) -> None:
        if self._metrics is not None and stage not in self._noted:
            self._noted.add(stage)
            self._metrics.stages.labels(stage).observe(time.perf_counter() - self._begun)


def _key_taken(by: str) -> Conflict:
    return Conflict(f"This Idempotency-Key belongs to {by}.", hint="Send another key with each question.")


def _key_of(asked: SentQuestion) -> str:
    return uuid4().hex if asked.key is None else hashlib.sha256(asked.key.encode()).hexdigest()
