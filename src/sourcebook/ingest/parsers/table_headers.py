"""Which rows of a table name its columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from sourcebook.ingest.parsers.clean_text import one_line

_NUMBER = re.compile(r"[-+($€£¥₽]*[\d\s.,/:%-]*\d[\d\s.,/:%€£¥₽)-]*")
_YEAR_OR_DATE = re.compile(r"(?:19|20)\d\d|\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4}", re.ASCII)
_NO_WIDTHS: Mapping[int, int] = {}
_LONGEST = 120
"""A longer text is neither a name nor a number."""
_MOST_ROWS = 4
"""A header that stands in groups takes no more."""
_LIST_MARK = re.compile(r"[•·–-]\s|\(?(?:\d{1,2}|[ivx]{1,4}|\w)[).](?:\s|$)|.*:$", re.DOTALL | re.IGNORECASE)
"""What begins an item, or announces what stands beside it, names no column."""
_COUNTS = ("№", "#", "%")
"""Signs that name a column by themselves."""
_PAIR = 2
"""Rows of two cells above a table of more say something about all of it: `Prepared by | Anna`."""


class Row(NamedTuple):
    """A row by its number, counted from 1, with the text of its cells by the number of their column, from 0.

    `widths` are the cells that reach over several columns, with their number. A row that is not shown has no cells, and
    is no gap between those around it.
    """

    number: int
    cells: dict[int, str]
    widths: Mapping[int, int] = _NO_WIDTHS
    is_hidden: bool = False


class Header(NamedTuple):
    """The names of columns, and the rows they stand in among those that were looked at: from `row` to before `end`."""

    names: dict[int, str] = {}  # noqa: RUF012 - it is never written to
    row: int = 0
    end: int = 0


def is_number(text: str) -> bool:
    # To find out that thousands of digits are none would take seconds for each such cell.
    return len(text) <= _LONGEST and bool(_NUMBER.fullmatch(text))


def is_header(names: Sequence[str]) -> bool:
    """Whether these may be the names of columns: all different, none a number, a sentence or the mark of an item."""
    return len(set(names)) == len(names) and all(_is_name(name) for name in names)


def _is_name(text: str) -> bool:
    has_letters = any(map(str.isalnum, text)) or text in _COUNTS
    return has_letters and len(text) <= _LONGEST and not is_number(text) and not _LIST_MARK.match(text)


def is_name_or_year(text: str) -> bool:
    return not is_number(text) or bool(_YEAR_OR_DATE.fullmatch(text))


def fits(row: Row, names: Mapping[int, str]) -> bool:
    """Whether most cells of a row have a name."""
    return len(row.cells.keys() & names.keys()) * 2 > len(row.cells)


def find_header(window: Sequence[Row], before: Header) -> Header:
    """The header among the first rows, with titles above it at most. A second table has to look like one."""
    if _are_two_pairs(window):
        return Header()
    first = _below_pairs(window)
    for index, (row, below) in enumerate(pairwise(window)):
        if index < first:
            continue
        grouped = _header_in_groups(window, index)
        if grouped.names:
            return grouped
        names = {column: one_line(text) for column, text in row.cells.items()}
        is_named = len(names) > 1 and (is_header(list(names.values())) or _counts_years(names, below))
        has_numbers = any(map(is_number, below.cells.values()))
        is_table = has_numbers or (not before.names and not has_gap(window[index:], row))
        if is_named and fits(below, names) and is_table:
            return Header(names, index, index + 1)
        if len(names) > 1:
            break
    return Header()


def _are_two_pairs(window: Sequence[Row]) -> bool:
    """Whether there are just two rows of two cells below a title: what stands first in them are names as well."""
    first, *rows = window
    return len(first.cells) == 1 and [len(row.cells) for row in rows] == [_PAIR, _PAIR]


def is_header_alone(row: Row) -> bool:
    """Whether a row that stands by itself may be the header of what follows."""
    return len(row.cells) > 1 and is_header([one_line(text) for text in row.cells.values()])


def _below_pairs(window: Sequence[Row]) -> int:
    """Where a table begins below pairs of a name and a value; 0 if none stand above it."""
    wide = [len(row.cells) > _PAIR for row in window]
    first = wide.index(True) if True in wide else 0
    below = wide[first:]
    is_table = len(below) > 1 and below[1] and below.count(True) * 2 > len(below)
    is_named = is_header([one_line(text) for text in window[first].cells.values()]) if window else False
    while first and _begins_groups(window[first - 1], window[first]):
        first -= 1
    return first if is_table and is_named else 0


def _begins_groups(row: Row, below: Row) -> bool:
    """Whether a row names groups of the columns below it, and is no pair: what else it holds reaches down."""
    beside = {column: text for column, text in row.cells.items() if column not in row.widths}
    reaches_down = bool(beside) and all(below.cells.get(column) == text for column, text in beside.items())
    return bool(row.widths) and (reaches_down or (not beside and min(row.cells) > min(below.cells)))


def has_gap(window: Sequence[Row], header: Row) -> bool:
    """Whether several columns between two names are empty, as between blocks of text that stand side by side."""
    used = {
        covered
        for row in window
        for column in row.cells
        for covered in range(column, column + row.widths.get(column, 1))
    }
    return any(
        len([column for column in range(left + 1, right) if column not in used]) > 1
        for left, right in pairwise(sorted(header.cells))
    ) or any(width > 1 for width in header.widths.values())


def _header_in_groups(window: Sequence[Row], first: int) -> Header:
    """A header in several rows: the name of a group reaches over those of its columns, others reach down beside them.

    A title reaches over all columns, and is no group.
    """
    row = window[first]
    if len(row.cells) == 1 and min(row.cells) <= min(window[first + 1].cells):
        return Header()
    names = _spread(row)
    end = first + 1
    while end < len(window) - 1 and end < first + _MOST_ROWS and _goes_on(window[end - 1], window[end]):
        for column, text in _spread(window[end]).items():
            above = names.get(column, "")
            names[column] = (
                text if above in ("", text) else above if above.endswith(f", {text}") else f"{above}, {text}"
            )
        end += 1
    is_good = end > first + 1 and len(names) > 1 and is_header(list(names.values()))
    return Header(names, first, end) if is_good and fits(window[end], names) else Header()


def _spread(row: Row) -> dict[int, str]:
    """The texts of a row by all columns that they reach over."""
    return {
        covered: one_line(text)
        for column, text in row.cells.items()
        for covered in range(column, column + row.widths.get(column, 1))
    }


def _goes_on(row: Row, below: Row) -> bool:
    """Whether a row of a header goes on in the row below."""
    over = _spread(row)
    same = [column for column, text in below.cells.items() if over.get(column) == one_line(text)]
    inner = {column: text for column, text in below.cells.items() if column not in same}
    grouped = {covered for at, width in row.widths.items() for covered in range(at, at + width)}
    values = {column: text for column, text in inner.items() if is_number(text)}
    are_names = not values or (len(set(values.values())) == len(values) > 1 and grouped.issuperset(values))
    has_all = all(
        any(covered in below.cells for covered in range(at, at + width))
        for at, width in row.widths.items()
        if at in row.cells
    )
    if not inner or not are_names or not has_all:
        return False
    return bool(grouped & inner.keys()) or len(same) * 2 > len(below.cells)


def _counts_years(names: Mapping[int, str], below: Row) -> bool:
    """Whether columns are named by years or dates, and the numbers below are something else."""
    counted = {column for column, name in names.items() if is_number(name)}
    if len(set(names.values())) < len(names) or not all(_YEAR_OR_DATE.fullmatch(names[at]) for at in counted):
        return False
    has_label = any(column not in counted and not is_number(text) for column, text in below.cells.items())
    values = [text for column, text in below.cells.items() if column in counted]
    are_same = all(_YEAR_OR_DATE.fullmatch(text) for text in values)
    return has_label and bool(values) and all(map(is_number, values)) and not are_same
