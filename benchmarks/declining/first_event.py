"""How soon something is shown: the time of the events of an answer on a base of ten thousand passages."""

from __future__ import annotations

import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, TypedDict

from sourcebook import AsyncSourcebook, Settings
from sourcebook.model.chat import PassagesFound, TokenWritten

if TYPE_CHECKING:
    from benchmarks.declining.cases import CaseSet
    from sourcebook.model.chat import AnswerEvent
    from sourcebook.ports.chat import PromptMessage
    from sourcebook.ports.providers import Embedder


class EventTimes(TypedDict):
    """Milliseconds: until passages are shown, and from there until the first word; with a model that writes at once."""

    documents: int
    passages: int
    questions: int
    answered: int
    found_p50: float
    found_p95: float
    quoted_p50: float
    quoted_p95: float
    written_p50: float
    written_p95: float


class _Instant:
    """A chat model that needs no time: what is measured is ours."""

    name = "instant"

    async def stream(self, messages: Sequence[PromptMessage]) -> AsyncGenerator[str, None]:
        yield "It is said there [1]."


async def event_times(cases: CaseSet, embedder: Embedder) -> EventTimes:
    questions = [case.question for case in cases.cases if case.is_answerable]
    with tempfile.TemporaryDirectory(prefix="sourcebook-events-") as place:
        settings = Settings(db=str(Path(place) / "base.db"), chat_model="none")
        async with AsyncSourcebook(settings=settings, embedder=embedder) as book:
            for record in cases.records:
                await book.add_text(
                    record.text, id=record.id, title=record.title, metadata={"record": record.id}
                )
            passages = (await book.stores.vectors.list_collections())[0].chunk_count
            await _timed(book, questions[:5])
            quoted = await _timed(book, questions)
        async with AsyncSourcebook(settings=settings, embedder=embedder, chat_model=_Instant()) as book:
            await _timed(book, questions[:5])
            written = await _timed(book, questions)
    return {
        "documents": len(cases.records),
        "passages": passages,
        "questions": len(questions),
        "answered": sum(first is not None for _, first in quoted),
        "found_p50": _at([found for found, _ in quoted], 0.5),
        "found_p95": _at([found for found, _ in quoted], 0.95),
        "quoted_p50": _at([first for _, first in quoted if first is not None], 0.5),
        "quoted_p95": _at([first for _, first in quoted if first is not None], 0.95),
        "written_p50": _at([first for _, first in written if first is not None], 0.5),
        "written_p95": _at([first for _, first in written if first is not None], 0.95),
    }


async def _timed(book: AsyncSourcebook, questions: Sequence[str]) -> list[tuple[float, float | None]]:
    """For each question: until its passages were found, and from then until the first word if there was one."""
    times: list[tuple[float, float | None]] = []
    for question in questions:
        started = time.perf_counter()
        moments: dict[type[AnswerEvent], float] = {}

        def note(event: AnswerEvent, moments: dict[type[AnswerEvent], float] = moments) -> None:
            moments.setdefault(type(event), time.perf_counter())

        await book.ask(question, on_event=note)
        found = moments[PassagesFound]
        first = moments.get(TokenWritten)
        times.append((1000 * (found - started), None if first is None else 1000 * (first - found)))
    return times


def _at(values: Sequence[float], share: float) -> float:
    if not values:
        return 0.0
    ordered = sorted(values)
    return round(
        median(ordered) if share == 0.5 else ordered[min(len(ordered) - 1, int(share * len(ordered)))], 1
    )
