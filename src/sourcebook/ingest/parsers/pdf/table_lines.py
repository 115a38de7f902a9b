"""Lines of a page that are rows of a table: entries of a list of prices, and rows whose cells have several lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sourcebook.ingest.parsers.pdf.lines import Line

ENTRY_GAP = 2.0
"""In an entry, the name and the amount are further apart than this many times the size of their letters."""
MOST_LINES = 5
"""So many lines a cell may have, to be told from a column of text."""
_AMOUNT = re.compile(
    r"[-+(]?(?:[A-Z]{3}|[€$£¥₽])?\s?\d[\d\s.,:/–-]{0,20}\)?\s?(?:[%€$£¥₽]|[^\W\d_]{1,4}\.?)?"
)


def is_entry(row: Sequence[Line], gaps: Sequence[float]) -> bool:
    """Whether a row is a name and an amount at the other end of the line: `Lime, 5 kg      €4.95`."""
    is_apart = len(row) == 2 and len(gaps) == 1 and gaps[0] >= ENTRY_GAP * row[0].size
    return is_apart and bool(_AMOUNT.fullmatch(row[1].text))


def with_whole_rows(lines: Sequence[Line]) -> list[Line]:
    """The lines in the same order, those of a row with a cell of several lines as one.

    Such a row is written cell by cell: what comes last stands as high as what came first, right of all between them.
    """
    whole: list[Line] = []
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else None
        count = _lines_of_row(whole, line) if _is_end(line, following) else 0
        if count:
            cells = [*whole[-count:], line]
            del whole[-count:]
            whole.append(_as_row(cells))
        else:
            whole.append(line)
    return whole


def _is_end(line: Line, following: Line | None) -> bool:
    """Whether nothing goes on below a line: the next one begins further left, or higher."""
    if following is None:
        return True
    return following.left < line.left - line.size or following.baseline > line.baseline + line.size


def _lines_of_row(before: Sequence[Line], line: Line) -> int:
    """How many of the lines before this one are of the same row; 0 if it begins one."""
    left, between = line.left, list[Line]()
    for count, first in enumerate(reversed(before[-MOST_LINES - 1 :]), start=1):
        if first.right > left - 0.5 * line.size or first.is_hyphenated:
            return 0
        if abs(first.baseline - line.baseline) < 0.3 * line.size and between:
            return count if _are_cells(first, between) else 0
        between.append(first)
    return 0


def _are_cells(first: Line, between: Sequence[Line]) -> bool:
    """Whether lines are not left of the first of their row, close to it, and in letters of its size."""
    reach = 2.2 * first.size * len(between)
    return all(
        other.left >= first.left - 0.2 * first.size
        and abs(other.baseline - first.baseline) <= reach
        and abs(other.size - first.size) <= 0.25 * first.size
        for other in between
    )


def _as_row(cells: Sequence[Line]) -> Line:
    row = replace(cells[0], text=" ".join(cell.text for cell in cells), right=cells[-1].right)
    return replace(row, baseline=min(cell.baseline for cell in cells), is_listing=True, is_table=True)
