"""The rows of a sheet that a citation speaks of: a passage holds several, and is named by all their cells."""

from __future__ import annotations

import re

_CELLS = re.compile(r"([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})")


def rows_at(cells: str, content: str, start: int, end: int) -> str:
    """The cells of the rows from one place of the content to another, as `A12:F13`; all if that is not clear."""
    found = _CELLS.fullmatch(cells)
    if found is None:
        return cells
    left, first, right, last = found[1], int(found[2]), found[3], int(found[4])
    for gap in ("\n\n", "\n"):
        ends = [match.start() for match in re.finditer(gap, content)]
        # The name of the sheet may stand above its first row.
        above = len(ends) - (last - first)
        if above in (0, 1):
            top, bottom = (first + sum(at < place for at in ends) - above for place in (start, end))
            return f"{left}{top}:{right}{bottom}" if first <= top <= bottom else cells
    return cells
