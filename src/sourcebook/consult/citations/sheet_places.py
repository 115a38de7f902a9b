"""Finds the cells of a sheet that a citation quotes: a passage has several rows, and its section names all cells."""

from __future__ import annotations

import re

_CELLS = re.compile(r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})")
_RUNS = re.compile(rf"{_CELLS.pattern}(?:, {_CELLS.pattern})*")
_MOST_ROWS = 2_000


def rows_at(cells: str, content: str, start: int, end: int, sheet: str = "") -> str:
    """The cells of the rows from `start` to `end`, such as `A12:F13`; all cells if that is not clear.

    `cells` are all rows in the content, such as `A1:F1, A3:F20`. The name of the sheet may be above the first row.
    """
    if not _RUNS.fullmatch(cells):
        return cells
    runs = [(found[1], int(found[2]), found[3], int(found[4])) for found in _CELLS.finditer(cells)]
    if sum(max(last - first, 0) + 1 for _, first, _, last in runs) > _MOST_ROWS:
        return cells
    rows = [(left, row, right) for left, first, right, last in runs for row in range(first, last + 1)]
    above = 1 if sheet and content.startswith(f"{sheet}\n") else 0
    for gap in ("\n\n", "\n+"):
        ends = [match.start() for match in re.finditer(gap, content)]
        if len(ends) + 1 - above == len(rows):
            top, bottom = (sum(at < place for at in ends) - above for place in (start, end))
            if not 0 <= top <= bottom:
                return cells
            (left, first, right), (_, last, _) = rows[top], rows[bottom]
            return f"{left}{first}:{right}{last}"
    return cells
