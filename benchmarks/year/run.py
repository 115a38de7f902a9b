"""A year, day by day: people ask, the expert decides, and every week is counted."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from benchmarks.year.expert import Expert, is_right
from sourcebook.model.chat import Tier

if TYPE_CHECKING:
    from benchmarks.year.cases import Manner, Wish
    from sourcebook import AsyncSourcebook
    from sourcebook.model.chat import Answer

DAYS = 364
DRAFTS_A_DAY = 5


class WeekRow(TypedDict):
    """Shares are of the questions of the week; `precision` of the curated answers that were given."""

    week: int
    questions: int
    curated: float
    documents: float
    declined: float
    wrong: float
    repeats: int
    repeats_curated: float | None
    precision: float | None
    minutes_per_100: float
    entries: int
    waiting: int


@dataclass
class Week:
    number: int
    tiers: Counter[Tier] = field(default_factory=Counter[Tier])
    wrong: int = 0
    repeats: int = 0
    repeats_curated: int = 0
    curated_wrong: int = 0


@dataclass(frozen=True)
class Asked:
    """One question of the year and what became of it."""

    week: int
    wish: str
    question: str
    manner: Manner
    tier: Tier
    is_right: bool
    is_repeat: bool
    is_new_wording: bool
    """Whether nobody had used these very words before."""
    is_curatable: bool
    """Whether an approved answer to this wish was there when it was asked."""


@dataclass
class Year:
    """The simulation."""

    book: AsyncSourcebook
    wishes: Sequence[Wish]
    chance: random.Random
    questions: int = 3000
    asked: list[Asked] = field(default_factory=list[Asked])
    weeks: list[WeekRow] = field(default_factory=list[WeekRow])
    decisions: dict[str, int] = field(default_factory=dict[str, int])

    async def run(self, on_day: Callable[[int, int], None]) -> None:
        expert = Expert(self.book)
        # A few things are asked all the time, most of them hardly ever: the n-th is asked 1/n as often as the first.
        weights = [1 / rank for rank in range(1, len(self.wishes) + 1)]
        drawn = self.chance.choices(self.wishes, weights, k=self.questions)
        days = sorted(self.chance.randrange(DAYS) for _ in drawn)
        seen: set[str] = set()
        week, minutes, place = Week(1), 0.0, 0
        for day in range(DAYS):
            while place < len(days) and days[place] == day:
                await self._ask(drawn[place], expert, week, seen)
                place += 1
            await expert.work(DRAFTS_A_DAY)
            on_day(day + 1, DAYS)
            if (day + 1) % 7 == 0:
                self.weeks.append(await self._row(week, expert, expert.minutes - minutes))
                minutes, week = expert.minutes, Week(week.number + 1)
        self.decisions = dict(expert.done)

    async def _ask(self, wish: Wish, expert: Expert, week: Week, seen: set[str]) -> None:
        question, manner = wish.asked(self.chance)
        answer = await self.book.ask(question)
        draft_id = answer.details.get("draft_id")
        if isinstance(draft_id, int):
            expert.wishes[draft_id] = wish
        right = _is_right(answer, wish, expert)
        is_repeat, is_new_wording = wish.name in seen, question not in seen
        seen.update((wish.name, question))
        week.tiers[answer.tier] += 1
        week.wrong += not right
        week.repeats += is_repeat
        week.repeats_curated += is_repeat and answer.tier is Tier.CURATED
        week.curated_wrong += answer.tier is Tier.CURATED and not right
        self.asked.append(
            Asked(
                week.number,
                wish.name,
                question,
                manner,
                answer.tier,
                right,
                is_repeat,
                is_new_wording,
                wish.name in expert.entries.values(),
            )
        )

    async def _row(self, week: Week, expert: Expert, minutes: float) -> WeekRow:
        count = sum(week.tiers.values())
        curated = week.tiers[Tier.CURATED]
        waiting = await self.book.moderation.count_pending()
        return {
            "week": week.number,
            "questions": count,
            "curated": _share(curated, count) or 0.0,
            "documents": _share(week.tiers[Tier.DOCUMENTS], count) or 0.0,
            "declined": _share(week.tiers[Tier.NONE], count) or 0.0,
            "wrong": _share(week.wrong, count) or 0.0,
            "repeats": week.repeats,
            "repeats_curated": _share(week.repeats_curated, week.repeats),
            "precision": _share(curated - week.curated_wrong, curated),
            "minutes_per_100": round(100 * minutes / count, 1) if count else 0.0,
            "entries": len(expert.entries),
            "waiting": sum(waiting.values()),
        }


def _is_right(answer: Answer, wish: Wish, expert: Expert) -> bool:
    """A curated answer is right if it was approved for this wish. Declining is never wrong: it is counted by itself."""
    if answer.tier is Tier.CURATED:
        return expert.entries.get(answer.curated_id or 0) == wish.name
    if answer.tier is Tier.NONE:
        return True
    paths = [citation.document_path for citation in answer.citations]
    return is_right(answer.answer, [citation.document_id for citation in answer.citations], paths, wish)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
