"""A small base with a model that writes what a test tells it to."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook import AsyncSourcebook, Settings
from sourcebook.assembly import Embedders, Rerankers, make_consultation, make_retriever
from sourcebook.consult.question.inquiry import Inquiry
from sourcebook.model.chat import AnswerEvent
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from sourcebook.consult.ask import Consultation
    from sourcebook.ports.chat import ChatModel

PRUNING = "Everbearing raspberries fruit twice. Prune everbearing raspberries in late autumn, after the last berries."
SOIL = "Blueberries want sour soil. The pH of the soil for blueberries is between 4.0 and 5.0."
WATER = "Tomatoes are watered in the morning. Two litres of water for each tomato plant are enough."
NOTES = {"pruning": PRUNING, "soil": SOIL, "water": WATER}
QUESTION = "When do I prune everbearing raspberries?"
UNKNOWN = "Which gearbox oil suits a tractor?"


@dataclass
class Desk:
    """An open base, and the way of a question through it."""

    book: AsyncSourcebook
    consultation: Consultation
    events: list[AnswerEvent] = field(default_factory=list[AnswerEvent])

    async def ask(self, question: str = QUESTION, **limits: object) -> list[AnswerEvent]:
        inquiry = Inquiry(question, ("default",), **limits)  # type: ignore[arg-type]
        async with aclosing(self.consultation.ask(inquiry)) as events:
            return [event async for event in events]

    async def turns(self) -> int:
        return sum([session.message_count for session in await self.book.sessions()])


@asynccontextmanager
async def desk(
    folder: Path,
    chat_model: ChatModel | None = None,
    notes: dict[str, str] | None = None,
    settings: Settings | None = None,
) -> AsyncGenerator[Desk, None]:
    settings = (settings or Settings()).model_copy(update={"db": str(folder / "base.db")})
    embedder = FakeEmbedder()
    async with AsyncSourcebook(settings=settings, embedder=embedder, chat_model=chat_model) as book:
        for name, text in (notes or NOTES).items():
            await book.add_text(text, id=name, title=name.title())
        embedders = Embedders(settings, embedder)
        retriever = make_retriever(book.stores, embedders, Rerankers(settings), settings)
        yield Desk(book, make_consultation(book.stores, retriever, embedders, chat_model, settings))


def kinds(events: Sequence[AnswerEvent]) -> list[str]:
    """The names of the events, repeated ones once."""
    names = [type(event).__name__ for event in events]
    return [name for place, name in enumerate(names) if place == 0 or names[place - 1] != name]
