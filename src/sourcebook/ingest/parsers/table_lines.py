"""Rows of a table whose cells hold several lines each, set so that those side by side belong together."""

from __future__ import annotations

from collections.abc import Sequence

from sourcebook.ingest.parsers.clean_text import one_line
from sourcebook.ingest.parsers.table_headers import is_number

_FEWEST = 3
"""Two lines are often one text that did not fit."""


def rows_in_cells(cells: Sequence[str]) -> list[list[str]]:
    """The rows that a row of cells shows, each cell in one line.

    It is one, unless several cells have the same number of lines and one of them is a column of numbers: then a reader
    takes each line with those beside it.
    """
    lines = [[one_line(line) for line in cell.rstrip().split("\n")] for cell in cells]
    count = max(map(len, lines), default=0)
    tall = [cell for cell in lines if len(cell) > 1]
    is_aligned = count >= _FEWEST and len(tall) > 1 and all(len(cell) == count for cell in tall)
    if not is_aligned or not any(map(_is_numbers, tall)):
        return [[one_line(cell) for cell in cells]]
    rows = [[cell[place] if place < len(cell) else "" for cell in lines] for place in range(count)]
    return [row for row in rows if any(row)]


def _is_numbers(lines: Sequence[str]) -> bool:
    """Whether most of the lines that say something are numbers."""
    said = [line for line in lines if line]
    return sum(map(is_number, said)) * 2 > len(said)
