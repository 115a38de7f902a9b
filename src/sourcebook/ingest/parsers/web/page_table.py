"""The rows of a table of a page, with every cell in its column."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_NUMBER = re.compile(r"\d{1,4}", re.ASCII)
_WIDEST = 64
_TALLEST = 1_000
_ARRANGES = "table, h1, h2, h3, h4"
_LONG_CELLS = "ul, ol, pre, p + p"


def only_arranges(table: LexborNode) -> bool:
    """Whether a table only places things beside each other: no cell of a table of facts holds so much.

    A table that names its columns or rows may have lists and paragraphs in its cells.
    """
    # The table itself is found too.
    if any(found.mem_id != table.mem_id for found in table.css(_ARRANGES)):
        return True
    return table.css_first("th") is None and table.css_first(_LONG_CELLS) is not None


class TableRows:
    """The cells of one table, row by row. Those beside and below a merged cell stay in their columns."""

    def __init__(self) -> None:
        self._cells: list[str] = []
        self._width = self._height = 1
        self._below: dict[int, int] = {}
        """The columns that cells above reach into, with the number of rows that they still take."""
        self._next_below: dict[int, int] = {}

    def begin_cell(self, cell: LexborNode) -> None:
        attributes = cell.attributes
        self._width = min(_number(attributes.get("colspan")), _WIDEST)
        self._height = min(_number(attributes.get("rowspan")), _TALLEST)

    def add(self, text: str) -> None:
        """The text of the cell that was begun."""
        self._skip_covered()
        first = len(self._cells)
        self._cells += [text, *[""] * (self._width - 1)]
        if self._height > 1:
            self._next_below.update(dict.fromkeys(range(first, len(self._cells)), self._height - 1))
        self._width = self._height = 1

    def end_row(self) -> list[str]:
        """The cells of the row that ends."""
        if self._cells:
            self._skip_covered()
        left = {column: rows - 1 for column, rows in self._below.items() if rows > 1}
        self._below, self._next_below = {**left, **self._next_below}, {}
        cells, self._cells = self._cells, []
        return cells

    def _skip_covered(self) -> None:
        while len(self._cells) in self._below and len(self._cells) < _WIDEST:
            self._cells.append("")


def _number(said: str | None) -> int:
    return max(int(said), 1) if said and _NUMBER.fullmatch(said) else 1
