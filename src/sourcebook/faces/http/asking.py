"""Questions of callers: each is answered, stored and charged once, whichever route it comes through."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from uuid import uuid4

from sourcebook.errors import Conflict, ProviderError, SessionNotFound
from sourcebook.faces.http.caller import allowed_collections
from sourcebook.model.chat import PassagesFound, TokenWritten
from sourcebook.model.people import Visit
from sourcebook.text.normal_form import made_storable

if TYPE_CHECKING:
    from sourcebook.client import AsyncSourcebook
    from sourcebook.faces.http.caller import Caller
    from sourcebook.faces.http.metrics import Metrics
    from sourcebook.model.chat import Answer, AnswerEvent, ChatSession
    from sourcebook.model.moderation import Draft
    from sourcebook.ports.chat import PromptMessage
    from sourcebook.settings import Settings


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


async def ask(
    book: AsyncSourcebook,
    settings: Settings,
    caller: Caller,
    asked: SentQuestion,
    on_event: Callable[[AnswerEvent], None] | None = None,
    metrics: Metrics | None = None,
) -> Answer:
    """The answer, with its session and draft. Cancelled, it ends the model's request and gives back what is held."""
    collections = await _collections(book, settings, caller, asked)
    key = _key_of(asked)
    visit = Visit(
        user_id=caller.user_id,
        channel_key=f"http:{asked.session or key}",
        question=asked.question,
        key=f"http:{caller.user_id}:{key}",
        category=asked.category,
        subcategory=asked.subcategory,
        collections=collections,
        session_id=asked.session,
        similar=asked.similar,
        earlier=tuple((each.role, each.content) for each in asked.earlier),
    )
    watch = _Stopwatch(on_event, metrics)
    try:
        reply = await book.reception.ask(visit, watch.see, is_looking=on_event is not None)
    except ProviderError as error:
        if metrics is not None:
            metrics.provider_errors.labels(error.code).inc()
        raise
    if reply.was_repeated and made_storable(asked.question) != reply.answer.question:
        raise Conflict(
            "This Idempotency-Key belongs to another question.", hint="Send another key with each question."
        )
    if metrics is not None:
        metrics.answers.labels(reply.answer.tier.value).inc()
        watch.note("answer")
    details = dict(reply.answer.details)
    return replace(
        reply.answer,
        details=details if reply.draft_id is None else {**details, "draft_id": reply.draft_id},
    )


async def own_session(
    book: AsyncSourcebook, settings: Settings, caller: Caller, session_id: str
) -> ChatSession:
    """A conversation of the caller, about collections that the caller may see. Any other is not found."""
    session = await book.stores.sessions.get_session(session_id, caller.user_id)
    if session is None or not sees_session(caller, session, settings):
        raise SessionNotFound(f"there is no session {session_id!r}")
    return session


def sees_session(caller: Caller, session: ChatSession, settings: Settings) -> bool:
    return all(caller.sees(name) for name in collections_of(session, settings))


def collections_of(session: ChatSession, settings: Settings) -> list[str]:
    """The collections that a conversation is about; without any, the default one."""
    remembered = session.scope.get("collections")
    named = [name for name in remembered if isinstance(name, str)] if isinstance(remembered, list) else []
    return named or [settings.collection]


async def _collections(
    book: AsyncSourcebook, settings: Settings, caller: Caller, asked: SentQuestion
) -> list[str]:
    """Those that the question names, or else its conversation, or else the default: all must be the caller's to see."""
    named = list(asked.collections or ())
    if asked.session is not None:
        # What was said there goes into the answer, so it must be the caller's to see as well.
        session = await own_session(book, settings, caller, asked.session)
        named = named or collections_of(session, settings)
    return allowed_collections(caller, named or None, settings)


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


async def call_expert(book: AsyncSourcebook, caller: Caller, asked: SentQuestion) -> Draft:
    """Take a question to an expert; with the same key, once."""
    key = _key_of(asked)
    visit = Visit(
        user_id=caller.user_id,
        channel_key=f"http:expert:{key}",
        question=asked.question,
        key=f"http:{caller.user_id}:expert:{key}",
        category=asked.category,
        subcategory=asked.subcategory,
        collections=asked.collections,
    )
    return await book.reception.call_human(visit)


def _key_of(asked: SentQuestion) -> str:
    return uuid4().hex if asked.key is None else hashlib.sha256(asked.key.encode()).hexdigest()
