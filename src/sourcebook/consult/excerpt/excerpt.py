"""Shows a stretch of a text as an excerpt: as clean Markdown, with the spans that answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from sourcebook.consult.excerpt.clean_markdown import clean_block, markdown_of
from sourcebook.consult.excerpt.excerpt_weights import excerpt_weights
from sourcebook.consult.excerpt.stretches import CLAUSE, LONGEST, shown_size
from sourcebook.text.layout.blocks import BlockKind

if TYPE_CHECKING:
    from sourcebook.consult.excerpt.passage_units import Unit, Units
    from sourcebook.consult.excerpt.stretches import Stretch, Stretches

_SIGN_OF_MORE = "…"
_MOST_CUTS = 200
_WORTH_OF_LENGTH = 0.2
_WORTH_OF_THE_BEGINNING = 0.1
_CLAUSE_END = re.compile(r"[,;:.!?](?=\s)\s*|\s[—–-](?=\s)")
_LINE_END = re.compile(r"\n")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a text, and how it is shown. `highlight` are the spans of the stretch that answer."""

    start: int
    end: int
    text: str
    highlight: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class ExcerptMaker:
    """Makes excerpts of a text from its stretches."""

    stretches: Stretches
    is_trimmed: bool = True
    """Whether units that hardly answer are left out at the ends. Not if two things are asked."""

    @property
    def units(self) -> Units:
        return self.stretches.units

    def shown(self, stretch: Stretch) -> Excerpt:
        """A stretch as it is shown: with the names of its columns, or the heading above it, if that adds something."""
        best = self._best_of(stretch)
        if self.stretches.size(best) > LONGEST:
            return self._cut(best)
        low, high = self.stretches.trimmed(stretch, best) if self.is_trimmed else (stretch.low, stretch.high)
        room = LONGEST - sum(self.stretches.size(i) for i in range(low, high + 1)) - (high - low)
        header = self._header_apart(low, best, room)
        heading = self._heading_over(low, high, room) if header is None else None
        return self.of(low, high, best, heading, header)

    def _best_of(self, stretch: Stretch) -> int:
        within = range(stretch.low, stretch.high + 1)
        return max(within, key=lambda i: (self.stretches.chances[i], i == stretch.best))

    def _header_apart(self, low: int, best: int, room: int) -> int | None:
        """The header row, if it is to be shown above the row that answers, without the rows between."""
        header = self.units.header_of(best)
        is_apart = header is not None and header < low
        return header if header is not None and is_apart and self.stretches.size(header) < room else None

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
        if low < high and self.stretches.is_list_cut(high) and not CLAUSE.match(content[taken[-1].start :]):
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

    def _heading_over(self, low: int, high: int, room: int) -> tuple[int, int] | None:
        """The heading right above a stretch, if it has something of the question that the stretch lacks."""
        heading = self.units[low].heading
        if heading is None or (low and self.units[low - 1].heading == heading):
            return None
        content = self.units.content
        if shown_size(BlockKind.HEADING, content[slice(*heading)]) + 2 > room:
            return None
        above, below = content[slice(*heading)], content[self.units[low].start : self.units[high].end]
        share = self.stretches.share
        is_needed = share(f"{above}\n{below}") > share(below) or self._is_given_above(above, below)
        return heading if is_needed else None

    def _is_given_above(self, heading: str, said: str) -> bool:
        """Whether only the heading has the date or number asked for: "4.2 (3 November)" in release notes."""
        wanted = self.stretches.wanted
        is_number = any(letter.isdigit() for letter in heading)
        return wanted is not None and is_number and wanted(heading) and not wanted(said)

    def _marked(self, low: int, high: int, best: int) -> set[int]:
        """The units marked as the answer: the best one, or one about as likely with more of the question.

        So if "spent fixer" is asked about, "spent developer" beside it is not marked instead. If the best one has
        nothing of the question, because its heading does, both are marked.
        """

        def held(i: int) -> float:
            return self.stretches.share(self.units.row(i))

        least, own = excerpt_weights().stretch["marked"] * self.stretches.chances[best], held(best)
        rivals = [
            i
            for i in range(low, high + 1)
            if self.stretches.chances[i] >= least
            and held(i) > own
            and not self.stretches.is_beside_wanted(i, best)
        ]
        rival = max(rivals, key=lambda i: (held(i), self.stretches.chances[i]), default=best)
        return {rival} if own else {best, rival}

    def _carrying(self, best: int, high: int) -> Iterator[tuple[int, int]]:
        """The spans that answer: the best unit, and the list or listing that it leads into."""
        yield self.units[best].start, self.units[best].end
        last = best
        while last < high and (self.units.leads(last) or self.stretches.is_listed(last, best)):
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
            self.stretches.share(said[start:end])
            + _WORTH_OF_LENGTH * fullness
            + _WORTH_OF_THE_BEGINNING * (not start)
        )


def _without_bullet(kind: BlockKind, text: str) -> str:
    """One item as it is shown alone: a bullet before it would promise a list."""
    is_item = kind in (BlockKind.ITEM, BlockKind.ROW, BlockKind.RECORD)
    return text.removeprefix("- ") if is_item and "\n" not in text else text
