"""A table of an RTF file: its rows are lines, and each cell stays in its column."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.ingest.parsers.sections import LINE, PARAGRAPH
from sourcebook.ingest.parsers.table_lines import rows_in_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sourcebook.ingest.parsers.sections import TextBuilder

_SAME_EDGE = 60
"""In twentieths of a point: edges that are nearer are one, set by hand."""
_MOST_COLUMNS = 64


class _Row(NamedTuple):
    cells: Sequence[str]
    edges: Sequence[int]


class RtfTable:
    """The rows of a table, until it ends. Only then its columns are known."""

    def __init__(self) -> None:
        self._rows: list[_Row] = []

    def add(self, cells: Sequence[str], edges: Sequence[int]) -> None:
        """Add a row: the texts of its cells, and where each ends on the page."""
        if any(cell.strip() for cell in cells):
            self._rows.append(_Row(tuple(cells), tuple(edges)))

    def write(self, built: TextBuilder) -> None:
        """Write the rows, and forget them. A cell over several columns leaves the others empty."""
        columns = _columns([edge for row in self._rows for edge in row.edges])
        gap = PARAGRAPH
        for row in self._rows:
            for cells in rows_in_cells(_in_columns(row, columns)):
                built.add(f"| {' | '.join(cells)} |", gap)
                gap = LINE
        self._rows = []


def _columns(edges: Sequence[int]) -> list[int]:
    """The right edges of the columns of a table."""
    ordered = sorted(set(edges))
    far = ordered[-1] + 2 * _SAME_EDGE if ordered else 0
    return [edge for edge, after in pairwise([*ordered, far]) if after - edge > _SAME_EDGE]


def _in_columns(row: _Row, columns: Sequence[int]) -> list[str]:
    if len(row.edges) != len(row.cells) or not len(row.cells) <= len(columns) <= _MOST_COLUMNS:
        return list(row.cells)
    placed: list[str] = []
    for text, edge in zip(row.cells, row.edges, strict=True):
        end = sum(column <= edge + _SAME_EDGE for column in columns)
        placed += [text, *[""] * (end - len(placed) - 1)]
    return placed
