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
        begun: list[RowBlock] = []
        length = 0
        has_heading = False
        for block in blocks_of(rows):
            if is_named and not has_heading:
                self.built.add_heading(name, 1)
                has_heading = True
            if begun and (length + len(block.text) > PLACE_LENGTH or not _have_clear_rows([*begun, block])):
                self._flush(begun)
                begun, length = [], 0
            begun.append(block)
            length += len(block.text) + len(PARAGRAPH)
        self._flush(begun)
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
        if runs and number - runs[-1][1] in (0, 1):
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def _have_clear_rows(blocks: Sequence[RowBlock]) -> bool:
    """Whether one can tell from the place of some blocks which of them is which row.

    The gaps between their rows are few, and where rows are lines below each other, none has several lines.
    """
    have_one_line = all("\n" not in block.text for block in blocks)
    return len(_runs(blocks)) <= MOST_RUNS and (have_one_line or not any(block.is_line for block in blocks))


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
