"""Sheets of any spreadsheet as text: each is a section, and each row says what its cells mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sourcebook.errors import FileOverLimit
from sourcebook.ingest.parsers.sections import LINE, LONGEST_NAME, PARAGRAPH, Heading, TextBuilder
from sourcebook.ingest.parsers.shown_beginning import ShownBeginning
from sourcebook.ingest.parsers.table_rows import blocks_of

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.table_rows import Row, RowBlock

MOST_CHARACTERS = 50_000_000
"""A longer text would be refused anyway; this refuses it before it takes the memory."""
PLACE_LENGTH = 700
"""Rows of so many characters have one place, the range of their cells: they are one passage."""
MOST_RUNS = 5
"""A place names so many runs of rows at most."""
_NO_NAME = re.compile(r"(?:sheet|table|tabelle|лист|таблица|planilha|folha|feuil|hoja) ?\d*", re.IGNORECASE)


class _Place:
    """Blocks that have one place together. What it knows of them grows with each, so none is looked at again."""

    def __init__(self) -> None:
        self.blocks: list[RowBlock] = []
        self._length = 0
        self._runs = 0
        self._has_line = False
        self._has_several_lines = False

    def has_room_for(self, block: RowBlock) -> bool:
        """Whether the place stays short, and one can tell from it which of its blocks is which row.

        The gaps between their rows are few, and where rows are lines below each other, none has several lines.
        """
        if not self.blocks:
            return True
        if self._length + len(block.text) > PLACE_LENGTH or self._runs + self._begins_run(block) > MOST_RUNS:
            return False
        has_line = self._has_line or block.is_line
        return not (has_line and (self._has_several_lines or "\n" in block.text))

    def add(self, block: RowBlock) -> None:
        self._runs += self._begins_run(block)
        self._length += len(block.text) + len(PARAGRAPH)
        self._has_line = self._has_line or block.is_line
        self._has_several_lines = self._has_several_lines or "\n" in block.text
        self.blocks.append(block)

    def _begins_run(self, block: RowBlock) -> bool:
        return not self.blocks or not _follows(self.blocks[-1].row.number, block.row.number)


class SheetText:
    """The text of the sheets that are written into it."""

    def __init__(self) -> None:
        self.built = TextBuilder()
        self._beginning = ShownBeginning(self.built)

    def add(self, name: str, rows: Iterable[Row], beside: Iterable[str] = (), *, is_only: bool) -> None:
        """Write a sheet, and what stands beside its cells.

        The name that a program gave to the only one says nothing.
        """
        is_named = not (is_only and _NO_NAME.fullmatch(name.strip()))
        place = _Place()
        has_heading = False
        for block in blocks_of(rows):
            if is_named and not has_heading:
                self.built.add_heading(name, 1)
                has_heading = True
            if not place.has_room_for(block):
                self._flush(place.blocks)
                place = _Place()
            place.add(block)
        self._flush(place.blocks)
        drawn = [text for text in beside if text.strip()]
        if drawn:
            if is_named and not has_heading:
                self.built.add_heading(name, 1)
            # What is drawn on a sheet belongs to all of it, not to its last rows.
            start = len(self.built) + (len(PARAGRAPH) if len(self.built) else 0)
            self.built.headings.append(Heading(start, 1, name[:LONGEST_NAME] if is_named else ""))
        for text in drawn:
            self.built.add(text)

    def _flush(self, blocks: list[RowBlock]) -> None:
        if not blocks:
            return
        if len(self.built) > MOST_CHARACTERS:
            raise FileOverLimit(f"The sheets contain more than {MOST_CHARACTERS:,} characters.")
        columns = [column for block in blocks for column in block.row.cells]
        place = ", ".join(_range(min(columns), top, max(columns), bottom) for top, bottom in _runs(blocks))
        is_beside = len({block.row.number for block in blocks}) < len(blocks)
        before: RowBlock | None = None
        for block in blocks:
            start = len(self.built)
            self.built.add(block.text, _gap(before, block, is_beside=is_beside))
            if before is None:
                gap = len(PARAGRAPH) if start else 0
                self.built.headings.append(Heading(start + gap, 2, place[:LONGEST_NAME]))
            before = block
        self._beginning.grown()


def _gap(before: RowBlock | None, block: RowBlock, *, is_beside: bool) -> str:
    """What parts two blocks. Where tables stand beside each other, each row is a paragraph with a line for each."""
    if before is None:
        return PARAGRAPH
    if is_beside:
        return LINE if before.row.number == block.row.number else PARAGRAPH
    return LINE if before.is_line and block.is_line else PARAGRAPH


def _runs(blocks: Sequence[RowBlock]) -> list[tuple[int, int]]:
    """The numbers of the first and the last row of each run of rows that follow each other."""
    runs: list[tuple[int, int]] = []
    for number in (block.row.number for block in blocks):
        if runs and _follows(runs[-1][1], number):
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def _follows(before: int, number: int) -> bool:
    return number - before in (0, 1)


def _range(left: int, top: int, right: int, bottom: int) -> str:
    return f"{column_name(left)}{top}:{column_name(right)}{bottom}"


def column_name(number: int) -> str:
    """The letters of a column, counted from 0."""
    name = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        name = chr(ord("A") + letter) + name
    return name
