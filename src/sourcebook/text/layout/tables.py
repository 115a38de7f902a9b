"""Rows of tables, written with the names of their columns: "City: Lisbon · Hotel per night: 110 EUR"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

_RULER = re.compile(r"\|?[\s:|+-]*-[\s:|+-]*\|?")
_ROW = re.compile(r"\|.*\|")
_MARKS = re.compile(r"\*\*|__|`")
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
_YEAR = re.compile(r"(?:19|20)\d\d", re.ASCII)
BETWEEN_CELLS = " · "
"""What stands between the cells of a row that is written out."""
_MOST_NAMED = 12
"""A table with more columns is shown as it stands."""
_MOSTLY = 2 / 3
_ENOUGH_COLUMNS = 3

Span = tuple[int, int]
_NamedRow = tuple[Span, tuple[str, ...], str]


@dataclass(frozen=True, slots=True)
class _Row:
    span: Span
    cells: tuple[str, ...]


def named_rows(text: str) -> dict[Span, str]:
    """The rows of a text's tables by their span, each written with the names of its columns.

    Tables without a recognisable header are left out. A ruler below it marks a header; without one, its cells must be
    names and those below must not. A text that begins with a row may have lost the header.
    """
    return {span: said for span, _, said in _named_rows(text)} if "|" in text else {}


def names_of_columns(text: str) -> dict[Span, tuple[str, ...]]:
    """The names of the columns of those rows, by the row's span."""
    return {span: names for span, names, _ in _named_rows(text)} if "|" in text else {}


def is_row(line: str) -> bool:
    return _ROW.fullmatch(line.strip()) is not None


def is_ruler(line: str) -> bool:
    """Whether a line is what stands below the header of a table."""
    return _RULER.fullmatch(line.strip()) is not None


@lru_cache(256)
def _named_rows(text: str) -> tuple[_NamedRow, ...]:
    found: list[_NamedRow] = []
    table: list[_Row] = []
    is_ruled = False
    at = 0
    for line in [*text.splitlines(keepends=True), ""]:
        said = line.strip()
        start = at + len(line) - len(line.lstrip())
        at += len(line)
        if len(table) == 1 and not is_ruled and said and _RULER.fullmatch(said):
            is_ruled = True
        elif _ROW.fullmatch(said):
            table.append(_Row((start, start + len(said)), cells_between_bars(said)))
        elif table:
            found += _named(table, is_ruled=is_ruled)
            table, is_ruled = [], False
    return tuple(found)


def cells_between_bars(row: str) -> tuple[str, ...]:
    """The cells of a row that stands between bars."""
    return tuple(" ".join(cell.split()) for cell in _BETWEEN_CELLS.split(row.strip()[1:-1]))


def spans_between_bars(text: str, start: int, end: int) -> list[Span]:
    """Where the cells of such a row stand, without the blanks around them."""
    inner = _BETWEEN_CELLS.finditer(text[start + 1 : end - 1])
    bars = [start, *(start + 1 + bar.start() for bar in inner), end - 1]
    spans: list[Span] = []
    for bar, following in pairwise(bars):
        cell = text[bar + 1 : following]
        first = bar + 1 + len(cell) - len(cell.lstrip())
        spans.append((first, max(first, bar + 1 + len(cell.rstrip()))))
    return spans


def _named(table: Sequence[_Row], *, is_ruled: bool) -> list[_NamedRow]:
    header, *rows = table
    names = _names(header)
    in_groups = _in_groups(names, _names(rows[0])) if len(rows) > 1 and not is_ruled else ()
    if in_groups:
        names, rows = in_groups, rows[1:]
    is_named = 1 < len(names) <= _MOST_NAMED and (
        is_ruled or (header.span[0] > 0 and (bool(in_groups) or _is_header(names, rows)))
    )
    if not is_named:
        return []
    named = ((row.span, names, said_row(names, row.cells)) for row in rows if len(row.cells) == len(names))
    return [row for row in named if row[2]]


def _names(header: _Row) -> tuple[str, ...]:
    return tuple(_MARKS.sub("", cell).strip(" :") for cell in header.cells)


def _in_groups(above: Sequence[str], below: Sequence[str]) -> tuple[str, ...]:
    """The column names of a header in two rows, joined as in "Sunday, last"; none if the rows are not such a header.

    In the upper row a name also covers the empty cells after it. Below such a group every column must have a name of
    its own; below a name that covers one column the cell must be empty.
    """
    if len(above) != len(below) or not any(above) or not all(map(_may_be_name, filter(None, below))):
        return ()
    names: list[str] = []
    group = ""
    for over, following, name in zip(above, (*above[1:], "-"), below, strict=True):
        is_alone = bool(over) and bool(following)
        if is_alone == bool(name):
            return ()
        group = over or group
        names.append(f"{group}, {name}" if group and name else group or name)
    has_group = any(", " in name for name in names)
    return tuple(names) if has_group and len(set(names)) == len(names) else ()


def _may_be_name(cell: str) -> bool:
    return any(map(str.isalpha, cell)) or _YEAR.fullmatch(cell) is not None


def said_row(names: Sequence[str], cells: Sequence[str]) -> str:
    """The cells, each with the name of its column if that has one."""
    pairs = ((name, cell) for name, cell in zip(names, cells, strict=True) if cell)
    return BETWEEN_CELLS.join(f"{name}: {cell}" if name and name != cell else cell for name, cell in pairs)


def _is_header(names: Sequence[str], rows: Sequence[_Row]) -> bool:
    """Whether a first row without a ruler is a header: it has no numbers, and below are numbers or many columns."""
    # The corner may be empty if the first column names the rows.
    are_all = all(names[1:]) and (bool(names[0]) or all(row.cells[0] for row in rows))
    are_names = are_all and len(set(names)) == len(names) and not any(map(_has_digit, names))
    counting = sum(any(map(_has_digit, row.cells)) for row in rows)
    return are_names and bool(rows) and (len(names) >= _ENOUGH_COLUMNS or counting >= _MOSTLY * len(rows))


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)
