"""Makes the excerpt around the unit that answers best: what it cannot do without, then its neighbours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from sourcebook.consult.excerpt.clean_markdown import clean_block, markdown_of
from sourcebook.consult.excerpt.excerpt_weights import excerpt_weights
from sourcebook.text.layout.blocks import BlockKind

if TYPE_CHECKING:
    from sourcebook.consult.excerpt.passage_units import Unit, Units

LONGEST = 396
"""The most characters of an excerpt: 400 with the marks around it. A longer unit is cut."""
SHORTEST = 60
"""An excerpt is not trimmed below this length."""
# A clause of a regulation stands by itself.
_CLAUSE = re.compile(r"\d{1,2}\.\d{1,2}")
_SIGN_OF_MORE = "…"
_LETTERS_THAT_TELL = 20
_MOST_CUTS = 200
_WORTH_OF_LENGTH = 0.2
_WORTH_OF_THE_BEGINNING = 0.1
_CLAUSE_END = re.compile(r"[,;:.!?](?=\s)\s*|\s[—–-](?=\s)")
_LINE_END = re.compile(r"\n")

Room = Callable[[int, int], int]
"""How many more characters fit beside the units from one to another."""
Share = Callable[[str], float]
"""The share of the question that a text has."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a text, and how it is shown. `highlight` are the spans of the stretch that answer."""

    start: int
    end: int
    text: str
    highlight: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Stretch:
    """The units from `low` to `high`, around the best one, and their worth."""

    worth: float
    low: int
    high: int
    best: int


@dataclass(frozen=True, slots=True)
class ExcerptMaker:
    """Makes excerpts of a text whose units have probabilities. `share`: that of the question in a part of it."""

    units: Units
    chances: Sequence[float]
    """The probability of each unit to answer."""
    share: Share
    told: str = ""
    """What is shown beside the excerpt: the title and the section."""
    is_trimmed: bool = True
    """Whether units that hardly answer are left out at the ends. Not if two things are asked."""
    wanted: Callable[[str], bool] | None = None
    """Whether a text has the wanted form: a time, if the question asks when."""
    goes_on: Callable[[int], bool] = lambda _: False
    """Whether a unit adds detail to what the one before it answers."""

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

    def shown(self, stretch: Stretch) -> Excerpt:
        """A stretch as it is shown: with the names of its columns, or the heading above it, if that adds something."""
        best = self._best_of(stretch)
        if self.size(best) > LONGEST:
            return self._cut(best)
        low, high = self._trimmed(stretch, best) if self.is_trimmed else (stretch.low, stretch.high)
        room = LONGEST - sum(self.size(i) for i in range(low, high + 1)) - (high - low)
        header = self._header_apart(low, best, room)
        heading = self._heading_over(low, high, room) if header is None else None
        return self.of(low, high, best, heading, header)

    def _best_of(self, stretch: Stretch) -> int:
        within = range(stretch.low, stretch.high + 1)
        return max(within, key=lambda i: (self.chances[i], i == stretch.best))

    def _trimmed(self, stretch: Stretch, best: int) -> tuple[int, int]:
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
        if i == best + 1 and self.goes_on(i):
            return False
        prices = excerpt_weights().stretch
        share = prices[side] * (self.units[i].end - self.units[i].start) / 100
        # Of a list or a table, each item is a block of its own.
        is_apart = BlockKind.TEXT in (self.units[i].kind, self.units[best].kind)
        if is_apart and self.units[i].block != self.units[best].block:
            share = max(share, prices["apart"])
        if self._is_beside_wanted(i, best):
            share = max(share, prices["unwanted"])
        return self.chances[i] < share * self.chances[best]

    def _is_beside_wanted(self, i: int, best: int) -> bool:
        """Whether the best unit has the wanted form, and another one does not."""
        if self.wanted is None:
            return False
        return self.wanted(self.units.row(best)) and not self.wanted(self.units.row(i))

    def _may_stand_first(self, i: int) -> bool:
        """Whether a stretch may begin with a unit: it needs nothing before it, and no list is cut."""
        return not self.units.needs_before(i) and not self.units.leads(i - 1) and not self._is_list_cut(i - 1)

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

    def _header_apart(self, low: int, best: int, room: int) -> int | None:
        """The header row, if it is to be shown above the row that answers, without the rows between."""
        header = self.units.header_of(best)
        is_apart = header is not None and header < low
        return header if header is not None and is_apart and self.size(header) < room else None

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
        return worth - prices["cut_list"] * (
            self._is_list_cut(high) + (low > 0 and self._is_list_cut(low - 1))
        )

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

    def of(
        self,
        low: int,
        high: int,
        best: int,
        heading: tuple[int, int] | None = None,
        header: int | None = None,
    ) -> Excerpt:
        """The excerpt of the units from `low` to `high`, with a heading or a header row above if given.

        Its span then begins with that heading or row; what is between is not shown.
        """
        taken = self.units.all[low : high + 1]
        start = taken[0].start if header is None else self.units[header].start
        start = heading[0] if heading else start
        content = self.units.content
        pieces = [(BlockKind.HEADING, content[slice(*heading)])] if heading else []
        if header is not None and self.units.named_row(best) is None:
            pieces.append((BlockKind.ROW, self.units.text(header)))
        margin = min((unit.indent for unit in taken if unit.kind is BlockKind.ITEM), default=0)
        for _, of_block in groupby(taken, key=lambda unit: unit.block):
            part = list(of_block)
            if part[0].is_header and self._is_named_below(part[0], taken):
                continue
            nested = " " * (part[0].indent - margin) if part[0].kind is BlockKind.ITEM else ""
            row = self.units.named.get((part[0].start, part[0].end))
            pieces.append((part[0].kind, row or nested + content[part[0].start : part[-1].end]))
        text = markdown_of(pieces)
        if text.endswith(":"):
            # What it leads into is not quoted.
            text = f"{text[:-1].rstrip()}."
        if low < high and self._is_list_cut(high) and not _CLAUSE.match(content[taken[-1].start :]):
            is_bulleted = text.rpartition("\n")[2].lstrip().startswith("- ")
            text += f"\n- {_SIGN_OF_MORE}" if is_bulleted else f"\n\n{_SIGN_OF_MORE}"
        elif len(pieces) == 1 + (heading is not None):
            above, gap, last = text.rpartition("\n\n")
            text = above + gap + _without_bullet(pieces[-1][0], last)
        carrying = {span for i in self._marked(low, high, best) for span in self._carrying(i, high)}
        highlight = tuple((first - start, last - start) for first, last in sorted(carrying))
        return Excerpt(start, taken[-1].end, text, highlight)

    def of_rows(self, rows: Sequence[int], *, is_open: bool) -> Excerpt:
        """Rows as a list, without those between. `is_open`: the table may have more of them."""
        units = self.units
        text = markdown_of([(BlockKind.ROW, units.row(i)) for i in rows])
        text = _without_bullet(BlockKind.ROW, text) if len(rows) == 1 and not is_open else text
        start = units[rows[0]].start
        highlight = tuple((units[i].start - start, units[i].end - start) for i in rows)
        return Excerpt(
            start, units[rows[-1]].end, text + (f"\n- {_SIGN_OF_MORE}" if is_open else ""), highlight
        )

    def _is_named_below(self, header: Unit, taken: Sequence[Unit]) -> bool:
        """Whether the rows below a header are shown with the names of their columns."""
        rows = [unit for unit in taken if unit.kind is BlockKind.ROW and unit.start > header.start]
        return bool(rows) and (rows[0].start, rows[0].end) in self.units.named

    def size(self, i: int) -> int:
        """The length of a unit as it is shown, without the marks of code and emphasis."""
        return _size(self.units[i].kind, self.units.named_row(i) or self.units.text(i))

    def _brings(self, i: int, best: int) -> bool:
        """Whether the next unit must be included: it was announced, or continues a list that was."""
        return self._is_listed(i, best) or self.units.leads(i) or (i == best and self.units.goes_on(i))

    def _is_listed(self, i: int, best: int) -> bool:
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
        return _CLAUSE.match(self.units.text(first)) is not None

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

    def _heading_over(self, low: int, high: int, room: int) -> tuple[int, int] | None:
        """The heading right above a stretch, if it has something of the question that the stretch lacks."""
        heading = self.units[low].heading
        if heading is None or (low and self.units[low - 1].heading == heading):
            return None
        content = self.units.content
        if _size(BlockKind.HEADING, content[slice(*heading)]) + 2 > room:
            return None
        above, below = content[slice(*heading)], content[self.units[low].start : self.units[high].end]
        is_needed = self.share(f"{above}\n{below}") > self.share(below) or self._is_given_above(above, below)
        return heading if is_needed else None

    def _is_given_above(self, heading: str, said: str) -> bool:
        """Whether only the heading has the date or number asked for: "4.2 (3 November)" in release notes."""
        is_number = any(letter.isdigit() for letter in heading)
        return self.wanted is not None and is_number and self.wanted(heading) and not self.wanted(said)

    def _is_list_cut(self, high: int) -> bool:
        """Whether a list continues after the stretch."""
        if high + 1 >= len(self.units):
            return False
        last, following = self.units[high], self.units[high + 1]
        return (
            last.kind is following.kind is BlockKind.ITEM
            and last.heading == following.heading
            and last.indent <= following.indent
        )

    def _marked(self, low: int, high: int, best: int) -> set[int]:
        """The units marked as the answer: the best one, or one about as likely with more of the question.

        So if "spent fixer" is asked about, "spent developer" beside it is not marked instead. If the best one has
        nothing of the question, because its heading does, both are marked.
        """

        def held(i: int) -> float:
            return self.share(self.units.row(i))

        least, own = excerpt_weights().stretch["marked"] * self.chances[best], held(best)
        rivals = [
            i
            for i in range(low, high + 1)
            if self.chances[i] >= least and held(i) > own and not self._is_beside_wanted(i, best)
        ]
        rival = max(rivals, key=lambda i: (held(i), self.chances[i]), default=best)
        return {rival} if own else {best, rival}

    def _carrying(self, best: int, high: int) -> Iterator[tuple[int, int]]:
        """The spans that answer: the best unit, and the list or listing that it leads into."""
        yield self.units[best].start, self.units[best].end
        last = best
        while last < high and (self.units.leads(last) or self._is_listed(last, best)):
            last += 1
            yield self.units[last].start, self.units[last].end

    def _cut(self, best: int) -> Excerpt:
        """The part of a long unit that answers best: whole lines of a listing, whole clauses of a sentence."""
        unit, said = self.units[best], self.units.text(best)
        ends = _LINE_END if unit.kind in (BlockKind.CODE, BlockKind.RECORD) else _CLAUSE_END
        cuts = [0, *(match.end() for match in ends.finditer(said)), len(said)][:_MOST_CUTS]
        parts = [
            (start, max(fitting))
            for i, start in enumerate(cuts)
            if (fitting := [end for end in cuts[i + 1 :] if end - start < LONGEST])
        ]
        start, end = max(parts, key=lambda part: self._worth(said, *part), default=(0, LONGEST))
        end = start + len(said[start:end].rstrip())
        text = _without_bullet(unit.kind, clean_block(unit.kind, said[start:end]))
        if unit.kind is not BlockKind.CODE:
            text = f"… {text}" if start else text
            text = text.rstrip(",;:—– ") + " …" if end < len(said.rstrip()) else text
        return Excerpt(unit.start + start, unit.start + end, text, ((0, end - start),))

    def _worth(self, said: str, start: int, end: int) -> float:
        fullness = (end - start) / LONGEST
        return (
            self.share(said[start:end]) + _WORTH_OF_LENGTH * fullness + _WORTH_OF_THE_BEGINNING * (not start)
        )


def _size(kind: BlockKind, text: str) -> int:
    shown = clean_block(kind, text)
    return len(shown) - shown.count("`") - shown.count("*")


def _without_bullet(kind: BlockKind, text: str) -> str:
    """One item as it is shown alone: a bullet before it would promise a list."""
    is_item = kind in (BlockKind.ITEM, BlockKind.ROW, BlockKind.RECORD)
    return text.removeprefix("- ") if is_item and "\n" not in text else text


def _is_cyrillic(text: str) -> bool | None:
    """Whether a sentence is in Cyrillic; None if it is too short to tell."""
    letters = [letter for letter in text if letter.isalpha()]
    cyrillic = sum("\u0400" <= letter <= "\u04ff" for letter in letters)
    return None if len(letters) < _LETTERS_THAT_TELL else 3 * cyrillic > len(letters)
