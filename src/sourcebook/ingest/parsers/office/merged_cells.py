"""Cells of a sheet that reach over several rows or columns, and columns that nobody sees."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.table_headers import Row

_MOST_COLUMNS = 1_000
"""A cell that reaches over more is a ruler or a fill."""


class Area(NamedTuple):
    """What a merged cell covers. Rows are counted from 1, columns from 0; the last of both is covered too."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def width(self) -> int:
        return min(self.right - self.left + 1, _MOST_COLUMNS)


class _Covering(NamedTuple):
    text: str
    bottom: int


def with_merged(rows: Iterable[Row], areas: Mapping[tuple[int, int], Area]) -> Iterator[Row]:
    """The rows, with what a merged cell says in each of its rows, and with the widths of merged cells.

    `areas` are found by the row and column where they begin, and may be found while the rows are read. A row that holds
    nothing of its own stays empty.
    """
    covering: dict[int, _Covering] = {}
    for row in rows:
        if not covering and not areas:
            yield row
            continue
        covering = {column: above for column, above in covering.items() if row.number <= above.bottom}
        own = {at: area for at in row.cells if (area := areas.get((row.number, at))) is not None}
        cells = row.cells
        if covering and cells:
            above = {column: cover.text for column, cover in covering.items() if column not in cells}
            cells = dict(sorted({**cells, **above}.items()))
        widths = {at: area.width for at, area in own.items() if area.width > 1}
        yield row._replace(cells=cells, widths=widths)
        for at, area in own.items():
            if area.bottom > row.number:
                covering[at] = _Covering(row.cells[at], area.bottom)


def without_columns(rows: Iterable[Row], hidden: Container[int]) -> Iterator[Row]:
    """The rows without the cells of columns that are not shown."""
    for row in rows:
        yield row._replace(cells={at: text for at, text in row.cells.items() if at not in hidden})
