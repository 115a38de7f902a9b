"""Lines that a PDF draws later than those below them: heads of pages, listings, the marks of lists."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sourcebook.ingest.parsers.pdf.lines import Line

_MARK = re.compile(r"[•◦▪‣·–—*-]|\(?(?:\d{1,3}|[^\W\d_]|[ivxl]{2,5})[.)]")
_MOST_LINES = 1_000
_MARK_GAP = 3.0
"""A mark stands so many times its size before its item at most."""


def in_place(lines: Sequence[Line]) -> list[Line]:
    """The lines as they are drawn, but those that jump back up into a free place of the page stand there.

    What is drawn beside other lines stays where it is: it may be a column, a remark in the margin or a cell.
    """
    if len(lines) > _MOST_LINES:
        return list(lines)
    placed: list[Line] = []
    for run in _runs(lines):
        if placed and run[0].baseline > placed[-1].baseline and all(_is_free(line, placed) for line in run):
            for line in run:
                heights = [-other.baseline for other in placed]
                placed.insert(bisect_left(heights, -line.baseline - 0.5 * line.size), line)
        else:
            placed += run
    return placed


def _runs(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines in pieces that go down the page."""
    runs: list[list[Line]] = []
    for line in lines:
        if runs and line.baseline <= runs[-1][-1].baseline + 0.5 * line.size:
            runs[-1].append(line)
        else:
            runs.append([line])
    return runs


def _is_free(line: Line, placed: Sequence[Line]) -> bool:
    """Whether no line stands beside this one, but for the item that it is the mark of."""
    beside = [other for other in placed if abs(other.baseline - line.baseline) < max(line.size, other.size)]
    if not beside:
        return True
    is_mark = bool(_MARK.fullmatch(line.text.strip()))
    return is_mark and any(
        abs(other.baseline - line.baseline) < 0.3 * line.size
        and 0 <= other.left - line.right < _MARK_GAP * line.size
        for other in beside
    )
