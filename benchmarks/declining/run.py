"""Every question is asked of a base as a user would ask it, without a chat model."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sourcebook import AsyncSourcebook, Settings, Tier
from sourcebook.text.case_and_accents import folded

if TYPE_CHECKING:
    from benchmarks.declining.cases import Case, CaseSet
    from sourcebook import Answer
    from sourcebook.ports.providers import Embedder


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a question. `closeness` is its score above what is needed, `similarity` the nearest vector's.

    `holds_answer`: whether a cited quote holds the words of the answer; None if nothing was answered, or they are not
    known.
    """

    question: str
    is_answerable: bool
    is_answered: bool
    closeness: float
    similarity: float
    holds_answer: bool | None


async def asked(
    cases: CaseSet, embedder: Embedder, tell: Callable[[str], None]
) -> tuple[int, Sequence[Outcome]]:
    """How many passages and children the base had, and what became of every question."""
    with tempfile.TemporaryDirectory(prefix="sourcebook-declining-") as place:
        settings = Settings(db=str(Path(place) / "base.db"), chat_model="none")
        async with AsyncSourcebook(settings=settings, embedder=embedder) as book:
            await _fill(book, cases)
            chunks = (await book.collections())[0].chunk_count
            tell(f"{cases.name}: {chunks} chunks, {len(cases.cases)} questions")
            outcomes = [_outcome(case, await book.ask(case.question)) for case in cases.cases]
    return chunks, outcomes


async def _fill(book: AsyncSourcebook, cases: CaseSet) -> None:
    if cases.file is not None:
        await book.add(cases.file)
    for record in cases.records:
        await book.add_text(record.text, id=record.id, title=record.title, metadata={"record": record.id})


def _outcome(case: Case, answer: Answer) -> Outcome:
    passages = cast("Sequence[Mapping[str, Any]]", answer.details.get("passages") or ())
    is_answered = answer.tier is Tier.DOCUMENTS
    known = is_answered and case.is_answerable and bool(case.answers)
    quotes = [folded(" ".join(citation.quote.split())) for citation in answer.citations]
    return Outcome(
        case.question,
        case.is_answerable,
        is_answered,
        _closeness(cast("Mapping[str, Any] | None", answer.details.get("judgement"))),
        max((float(p["similarity"]) for p in passages), default=0.0),
        any(_holds(quote, wanted) for quote in quotes for wanted in case.answers) if known else None,
    )


def _closeness(judgement: Mapping[str, Any] | None) -> float:
    return float(judgement["score"] - judgement["needed"]) if judgement else -10.0


def _holds(quote: str, wanted: str) -> bool:
    return folded(" ".join(wanted.split())) in quote
