"""Chooses the stretch of units that answers best: what the best unit cannot do without, then its neighbours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.consult.excerpt.clean_markdown import clean_block
from sourcebook.consult.excerpt.excerpt_weights import excerpt_weights
from sourcebook.text.layout.blocks import BlockKind

if TYPE_CHECKING:
    from sourcebook.consult.excerpt.passage_units import Units

LONGEST = 396
"""The most characters of an excerpt: 400 with the marks around it. A longer unit is cut."""
SHORTEST = 60
"""An excerpt is not trimmed below this length."""
# A clause of a regulation stands by itself.
CLAUSE = re.compile(r"\d{1,2}\.\d{1,2}")
_LETTERS_THAT_TELL = 20

Room = Callable[[int, int], int]
"""How many more characters fit beside the units from one to another."""
Share = Callable[[str], float]
"""The share of the question that a text has."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """The units from `low` to `high`, around the best one, and their worth."""

    worth: float
    low: int
    high: int
    best: int


@dataclass(frozen=True, slots=True)
class Stretches:
    """The stretches of a text whose units have probabilities. `share`: that of the question in a part of it."""

    units: Units
    chances: Sequence[float]
    """The probability of each unit to answer."""
    share: Share
    told: str = ""
    """What is shown beside the excerpt: the title and the section."""
    wanted: Callable[[str], bool] | None = None
    """Whether a text has the wanted form: a time, if the question asks when."""
    goes_on: Callable[[int, int], bool] = lambda _, __: False
    """Whether a unit belongs to what the best one, given second, answers: a detail, a remedy."""

    def around(self, best: int) -> Stretch:
        """The best stretch around a unit, of those that fit."""
        sizes = [self.size(i) for i in range(len(self.units))]
        if sizes[best] > LONGEST:
            return Stretch(self.chances[best], best, best, best)

        def room(low: int, high: int) -> int:
            return LONGEST - sum(sizes[low : high + 1]) - (high - low)

        low, high = self._needed(best, room)
        longer = [(low, high)] if self._stands_alone(best) else self._stretches(low, high, best, room)
        return max(
            (Stretch(self._worth_of_stretch(*each, best), *each, best) for each in longer),
            key=lambda stretch: stretch.worth,
        )

    def trimmed(self, stretch: Stretch, best: int) -> tuple[int, int]:
        """A stretch without units at its ends that hardly answer, unless the best unit needs them."""
        low, high = stretch.low, stretch.high
        first, last = self._needed(best, lambda low, high: min(low - stretch.low, stretch.high - high))

        def length(low: int, high: int) -> int:
            return self.units[high].end - self.units[low].start

        for i in range(stretch.low, first):
            if not self._is_idle(i, best, "before"):
                break
            if (
                self._may_stand_first(i + 1)
                and length(i + 1, high) >= SHORTEST
                and not self._lacks(low, high, i + 1, high)
            ):
                low = i + 1
        for i in range(stretch.high, last, -1):
            if not self._is_idle(i, best, "behind"):
                break
            if (
                self._may_stand_last(i - 1, low)
                and not self._is_within_table(i - 1, best)
                and length(low, i - 1) >= SHORTEST
                and not self._lacks(low, high, low, i - 1)
            ):
                high = i - 1
        return low, high

    def _lacks(self, low: int, high: int, first: int, last: int) -> bool:
        """Whether a part of a stretch has less of the question than the whole."""

        def named(low: int, high: int) -> float:
            return self.share(
                f"{self.told}\n{self.units.content[self.units[low].start : self.units[high].end]}"
            )

        return named(first, last) < named(low, high)

    def _is_idle(self, i: int, best: int, side: str) -> bool:
        """Whether a unit answers much less probably than the best one. A longer one must be more probable."""
        if self.goes_on(i, best):
            return False
        prices = excerpt_weights().stretch
        share = prices[side] * (self.units[i].end - self.units[i].start) / 100
        # Of a list or a table, each item is a block of its own.
        is_apart = BlockKind.TEXT in (self.units[i].kind, self.units[best].kind)
        if is_apart and self.units[i].block != self.units[best].block:
            share = max(share, prices["apart"])
        if self.is_beside_wanted(i, best):
            share = max(share, prices["unwanted"])
        return self.chances[i] < share * self.chances[best]

    def is_beside_wanted(self, i: int, best: int) -> bool:
        """Whether the best unit has the wanted form, and another one does not."""
        if self.wanted is None:
            return False
        return self.wanted(self.units.row(best)) and not self.wanted(self.units.row(i))

    def _may_stand_first(self, i: int) -> bool:
        """Whether a stretch may begin with a unit: it needs nothing before it, and no list is cut."""
        return not self.units.needs_before(i) and not self.units.leads(i - 1) and not self.is_list_cut(i - 1)

    def _may_stand_last(self, i: int, low: int) -> bool:
        """Whether a stretch may end with a unit: it announces nothing, and is not inside a list that was announced."""
        kind, begin = self.units[i].kind, i
        if self.units.leads(i) or self.units[i].is_header:
            return False
        while begin > low and self.units[begin - 1].kind is kind:
            begin -= 1
        goes_on = kind in (BlockKind.ITEM, BlockKind.ROW) and self.units[i + 1].kind is kind
        return not (goes_on and begin > low and self.units.leads(begin - 1))

    def _is_within_table(self, i: int, best: int) -> bool:
        """Whether a table or list without the best unit continues after a unit: it is left out as a whole."""
        kind = self.units[i].kind
        is_other = kind in (BlockKind.ITEM, BlockKind.ROW) and kind is not self.units[best].kind
        return is_other and self.units[i + 1].kind is kind

    def _needed(self, best: int, room: Room) -> tuple[int, int]:
        """The stretch that a unit needs: what it refers to, and what it announces."""
        low = high = best
        while self.units.needs_before(low) and room(low - 1, high) >= 0:
            low -= 1
        while high + 1 < len(self.units) and room(low, high + 1) >= 0 and self._brings(high, best):
            high += 1
        return low, high

    def _stands_alone(self, i: int) -> bool:
        """Whether a row, a fact or an item is probable enough to be shown alone."""
        sure = excerpt_weights().stretch
        match self.units[i].kind:
            case BlockKind.ROW | BlockKind.RECORD:
                return self.chances[i] >= sure["row_alone"]
            case BlockKind.ITEM:
                return self.chances[i] >= sure["item_alone"]
            case _:
                return False

    def _stretches(self, low: int, high: int, best: int, room: Room) -> Iterator[tuple[int, int]]:
        """The needed stretch, and every longer one that fits."""
        waiting, seen = [(low, high)], {(low, high)}
        while waiting:
            stretch = waiting.pop()
            yield stretch
            for side, first, last in self._extensions(*stretch):
                if (first, last) not in seen and room(first, last) >= 0 and self._is_welcome(best, side):
                    seen.add((first, last))
                    waiting.append((first, last))

    def _worth_of_stretch(self, low: int, high: int, best: int) -> float:
        """The probability that it answers, less penalties for starting or ending inside a thought, and for length."""
        units, prices = self.units, excerpt_weights().stretch
        further = sum(self._is_another_paragraph(i) for i in range(low + 1, high + 1))
        worth = sum(self.chances[low : high + 1]) - prices["paragraph"] * further
        worth -= prices["hanging"] * (units.needs_before(low) + units.leads(high))
        is_begun = low > 0 and units[low - 1].block == units[low].block
        is_cut = high + 1 < len(units) and units[high + 1].block == units[high].block
        worth -= prices["midway"] * (is_begun + is_cut)
        worth -= prices["around"] * self._length_around(low, high, best) / 100
        return worth - prices["cut_list"] * (self.is_list_cut(high) + (low > 0 and self.is_list_cut(low - 1)))

    def _length_around(self, low: int, high: int, best: int) -> int:
        """How many characters are neither of the best unit's paragraph nor of a list or table announced here."""
        units, length, is_announced = self.units, 0, False
        for i in range(low, high + 1):
            goes_on = is_announced and units[i].kind in (BlockKind.ITEM, BlockKind.ROW)
            is_announced = i > low and (units.leads(i - 1) or goes_on)
            if not is_announced and units[i].block != units[best].block:
                length += units[i].end - units[i].start
        return length

    def _is_another_paragraph(self, i: int) -> bool:
        """Whether a unit begins a paragraph that the one before neither announces nor continues as a list."""
        here, before = self.units[i], self.units[i - 1]
        is_of_list = here.kind is before.kind and here.kind in (BlockKind.ITEM, BlockKind.ROW)
        return here.block != before.block and not is_of_list and not self.units.leads(i - 1)

    def _brings(self, i: int, best: int) -> bool:
        """Whether the next unit must be included: it was announced, or continues a list that was."""
        return self.is_listed(i, best) or self.units.leads(i) or (i == best and self.units.goes_on(i))

    def is_listed(self, i: int, best: int) -> bool:
        """Whether the next unit continues the list that the best one announced."""
        kinds = (self.units[i].kind, self.units[i + 1].kind)
        announces = self.units[best].kind is BlockKind.TEXT or (i > best and self.units.leads(best))
        return kinds == (BlockKind.ITEM, BlockKind.ITEM) and announces

    def _extensions(self, low: int, high: int) -> Iterator[tuple[int, int, int]]:
        """The neighbours that may be added, each with the resulting stretch."""
        if low and self._belong_together(low, low - 1):
            # A listing needs what leads into it.
            first = (
                low - 1 - (self.units[low - 1].kind is BlockKind.CODE and self.units.needs_before(low - 1))
            )
            if self._may_begin(first):
                yield first, first, high
        if high + 1 < len(self.units) and self._belong_together(high, high + 1):
            yield high + 1, low, high + 1 + self.units.leads(high + 1)
            if (last := self.units.end_of_list(high + 1)) > high + 1:
                yield high + 1, low, last

    def _belong_together(self, i: int, j: int) -> bool:
        """Whether j may be added to i: under the same heading, and a table only if its rows are probable."""
        here, there = self.units[i], self.units[j]
        if here.heading != there.heading:
            return False
        if (here.kind is BlockKind.ROW) == (there.kind is BlockKind.ROW):
            return True
        rows = [k for k in range(j, min(j + 2, len(self.units))) if self.units[k].kind is BlockKind.ROW]
        return there.kind is BlockKind.ROW and any(self.chances[k] > 0 for k in rows)

    def _may_begin(self, i: int) -> bool:
        """Whether a longer stretch may begin with a unit: not with the end of a list, nor with an improbable one."""
        if self.units[i].kind is BlockKind.CODE:
            return False
        if self.units[i].kind in (BlockKind.ITEM, BlockKind.ROW):
            return self.units[i + 1].kind is self.units[i].kind
        if self.units[i].block == self.units[i + 1].block:
            return True
        return self.units.leads(i) or (self.chances[i] > 0 and not self.units.is_lead_in(i))

    def _is_welcome(self, best: int, i: int) -> bool:
        """Whether a neighbour may be added: of the same part of a nested list, and in the same script."""
        if self._stands_alone(i):
            return False
        kinds = {self.units[i].kind, self.units[best].kind}
        if self.units[best].kind is BlockKind.ITEM and self._is_of_another_part(best, i):
            return False
        if kinds == {BlockKind.ITEM} and self._is_of_another_clause(best, i):
            return self._adds(best, i)
        if BlockKind.CODE in kinds:
            return True
        here, there = _is_cyrillic(self.units.text(best)), _is_cyrillic(self.units.text(i))
        return None in (here, there) or here is there

    def _is_of_another_clause(self, best: int, i: int) -> bool:
        """Whether a unit is in another clause of a regulation. A long clause has several units."""
        own = self.units[best].block
        if self.units[i].block == own:
            return False
        first = next(j for j in range(best + 1) if self.units[j].block == own)
        return CLAUSE.match(self.units.text(first)) is not None

    def _adds(self, best: int, i: int) -> bool:
        """Whether a probable clause has a word of the question that the best one lacks."""
        own = self.units.text(best)
        least = excerpt_weights().stretch["clause_beside"] * self.chances[best]
        is_likely = least <= self.chances[i] <= self.chances[best]
        return is_likely and self.share(f"{own}\n{self.units.text(i)}") > self.share(own)

    def _is_of_another_part(self, best: int, i: int) -> bool:
        """Whether a less indented item is between. Only the one that the best is part of may be added, as the first."""
        first, last = sorted((best, i))
        indents = [u.indent for u in self.units.all[first : last + 1] if u.kind is BlockKind.ITEM]
        own = self.units[best].indent
        return min(indents) < own and (i > best or min(indents[1:]) < own)

    def is_list_cut(self, high: int) -> bool:
        """Whether a list continues after the stretch."""
        if high + 1 >= len(self.units):
            return False
        last, following = self.units[high], self.units[high + 1]
        return (
            last.kind is following.kind is BlockKind.ITEM
            and last.heading == following.heading
            and last.indent <= following.indent
        )

    def size(self, i: int) -> int:
        """The length of a unit as it is shown, without the marks of code and emphasis."""
        return shown_size(self.units[i].kind, self.units.named_row(i) or self.units.text(i))


def shown_size(kind: BlockKind, text: str) -> int:
    shown = clean_block(kind, text)
    return len(shown) - shown.count("`") - shown.count("*")


def _is_cyrillic(text: str) -> bool | None:
    """Whether a sentence is in Cyrillic; None if it is too short to tell."""
    letters = [letter for letter in text if letter.isalpha()]
    cyrillic = sum("\u0400" <= letter <= "\u04ff" for letter in letters)
    return None if len(letters) < _LETTERS_THAT_TELL else 3 * cyrillic > len(letters)
