"""A reception that has been open for long, as a bot's is, answers from the base as it is now."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import count

import pytest

from sourcebook import AsyncSourcebook, Settings, Tier, Visit
from sourcebook.errors import SessionNotFound
from sourcebook.model.answer_thresholds import Thresholds
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.anyio

ENGLISH = "Everbearing raspberries fruit twice. Prune everbearing raspberries in late autumn."
RUSSIAN = "Голубика любит кислую почву. Взрослому кусту голубики нужно десять литров воды в день."
PORTUGUESE = "O mirtilo gosta de solo ácido. A poda do mirtilo é feita no inverno, antes da floração."
QUESTION = "When do I prune everbearing raspberries?"


class Asker:
    """Somebody who asks at a reception that stays open."""

    def __init__(self, book: AsyncSourcebook, user_id: int) -> None:
        self._book = book
        self._user_id = user_id
        self._keys = count()

    async def tier_of(self, question: str) -> Tier:
        visit = Visit(self._user_id, f"chat:{next(self._keys)}", question, f"key:{next(self._keys)}")
        return (await self._book.reception.ask(visit)).answer.tier


@asynccontextmanager
async def client(db: str, embedder: FakeEmbedder | None = None) -> AsyncGenerator[AsyncSourcebook, None]:
    settings = Settings(db=db, welcome_tokens=50)
    async with AsyncSourcebook(settings=settings, embedder=embedder or FakeEmbedder()) as book:
        yield book


@asynccontextmanager
async def running(db: str) -> AsyncGenerator[Asker, None]:
    """A reception that has answered its first question on an English base."""
    async with client(db) as book:
        await book.add_text(ENGLISH, id="en")
        person = await book.people.get_or_create_user(7)
        asker = Asker(book, person.id)
        assert await asker.tier_of(QUESTION) is Tier.DOCUMENTS
        yield asker


async def test_languages_that_another_process_adds_are_answered_in(db: str) -> None:
    async with running(db) as asker, client(db) as other:
        await other.add_text(RUSSIAN, id="ru")
        await other.add_text(PORTUGUESE, id="pt")
        assert await asker.tier_of("Сколько литров воды нужно взрослому кусту голубики?") is Tier.DOCUMENTS
        assert await asker.tier_of("Quando é feita a poda do mirtilo?") is Tier.DOCUMENTS


async def test_a_calibration_of_another_process_holds_from_the_next_question_on(db: str) -> None:
    async with running(db) as asker, client(db) as other:
        strict = Thresholds("fake", needed=1_000.0, distance=None)
        await other.stores.library.change_collection_settings("default", {"thresholds": strict.as_settings()})
        tier = await asker.tier_of("In which season are everbearing raspberries pruned?")
        assert tier is Tier.NONE
        await other.stores.library.change_collection_settings("default", {"thresholds": None})
        assert await asker.tier_of("Which raspberries fruit twice, everbearing ones?") is Tier.DOCUMENTS


async def test_a_model_that_another_process_changes_to_is_followed(db: str) -> None:
    async with running(db) as asker, client(db) as other:
        await other.reindex(model=FakeEmbedder(32, "other"))
        # Its own embedder is for the old model, so it goes on by words.
        assert await asker.tier_of("When are everbearing raspberries pruned, in autumn?") is Tier.DOCUMENTS


async def test_a_question_continues_a_conversation_wherever_that_was_begun(db: str) -> None:
    async with client(db) as book:
        await book.add_text(ENGLISH, id="en")
        anna, ben = [(await book.people.get_or_create_user(number)).id for number in (7, 8)]
        first = await book.reception.ask(Visit(anna, "chat:1", QUESTION, "k1"))
        begun = first.answer.session_id
        second = await book.reception.ask(Visit(anna, "web:9", "And why twice?", "k2", session_id=begun))
        assert (second.topic.id, second.answer.session_id, second.charged) == (first.topic.id, begun, 0)

        # A conversation that nobody paid in has no topic yet.
        free = (await book.ask(QUESTION, user=anna)).session_id
        third = await book.reception.ask(Visit(anna, "web:9", QUESTION, "k3", session_id=free))
        assert (third.answer.session_id, third.charged) == (free, 1)

        for session in (begun, "nowhere"):
            with pytest.raises(SessionNotFound):
                await book.reception.ask(Visit(ben, "web:9", QUESTION, f"k4{session}", session_id=session))
