"""Rows of a table as text: each says `column: value` for its cells, so that it makes sense without its header."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice
from typing import NamedTuple

from sourcebook.ingest.parsers.clean_text import one_line
from sourcebook.ingest.parsers.table_headers import (
    Header,
    Row,
    find_header,
    fits,
    has_gap,
    is_header,
    is_header_alone,
    is_name_or_year,
    is_number,
)

__all__ = ["Row", "RowBlock", "blocks_of", "is_header", "is_number"]

LONGEST_LINE = 280
LOOKED_AT = 20
"""A header stands among so many rows, below titles at most."""
_MOST_NAMES = 7
"""A cell over more columns is a remark across the table."""


class RowBlock(NamedTuple):
    """A row as text. `is_line`: it is one line, and the next may follow it at once."""

    row: Row
    text: str
    is_line: bool


def blocks_of(rows: Iterable[Row]) -> Iterator[RowBlock]:
    """The rows that hold anything, in their order.

    The first row of names with a row below it is the header; what stands above it, and a table without one, are lines.
    After an empty row another table may begin, with a header of its own. Tables that stand beside each other, with an
    empty column between them, are told apart if each has a header.
    """
    header = Header()
    held: Row | None = None
    filled = (row for row in rows if row.cells or row.is_hidden)
    # Rows that follow each other without a gap keep the same distance to their count.
    for _, region in groupby(enumerate(filled), key=lambda item: item[1].number - item[0]):
        rest = (row for _, row in region if row.cells)
        window = list(islice(rest, LOOKED_AT))
        if not window:
            continue
        if held is not None:
            below = _header_above(held, window)
            if below.names:
                header = below
            else:
                yield _line(held)
            held = None
        if len(window) == 1 and not header.names and is_header_alone(window[0]):
            # An empty row may stand between a header and its table.
            held = window[0]
            continue
        beside = _beside(window)
        if beside:
            for row in chain(window, rest):
                yield from _blocks_beside(row, beside)
            header = Header()
            continue
        found = _own_header(window, header)
        if found.names or not _goes_on(window, header):
            header = found
        above = found.row if found.names else 0
        are_remarks = not found.names and _are_remarks(window)
        yield from (_line(row) for row in window[:above])
        for row in chain(window[found.end if found.names else 0 :], rest):
            yield _block(row, header.names) if header.names and not are_remarks else _line(row)
    if held is not None:
        yield _line(held)


def _are_remarks(window: Sequence[Row]) -> bool:
    """Whether rows behind an empty one say something about a table, and are none of its rows: one cell in each."""
    return len(window) < LOOKED_AT and all(len(row.cells) == 1 for row in window)


def _own_header(window: Sequence[Row], before: Header) -> Header:
    """The header that rows behind an empty one have themselves."""
    found = find_header(window, before)
    return _header_of_narrow(window) if not found.names and _is_narrow(window, before) else found


def _goes_on(window: Sequence[Row], header: Header) -> bool:
    """Whether rows behind an empty one are rows of the table above, which has this header."""
    return bool(header.names) and fits(window[-1], header.names) and not _is_narrow(window, header)


def _is_narrow(window: Sequence[Row], header: Header) -> bool:
    """Whether rows behind an empty one are none of the table above: all of them leave half of its columns empty."""
    widest = max(len(row.cells) for row in window)
    are_whole = all(row.widths.get(at, 1) == 1 for row in window for at in row.cells)
    return 1 < widest <= len(header.names) // 2 and are_whole


def _header_of_narrow(window: Sequence[Row]) -> Header:
    """The header of a small table of words behind a wider one, if it has several rows, each with all cells."""
    names = {column: one_line(text) for column, text in window[0].cells.items()}
    are_alike = all(row.cells.keys() == names.keys() for row in window)
    is_table = len(window) > 2 and are_alike and is_header(list(names.values()))
    return Header(names, 0, 1) if is_table else Header()


def _header_above(row: Row, window: Sequence[Row]) -> Header:
    """The header that a row is for the rows behind an empty one, if they have numbers and none of their own."""
    names = {column: one_line(text) for column, text in row.cells.items()}
    is_next = window[0].number == row.number + 2 and len(window) > 1
    is_whole = names.keys() == window[0].cells.keys() and not has_gap((row, *window), row)
    has_numbers = any(map(is_number, window[0].cells.values()))
    return Header(names) if is_next and has_numbers and is_whole else Header()


class _TableBeside(NamedTuple):
    """A table in some of the columns: those that it takes, and the number of the row where its header ends."""

    columns: range
    names: dict[int, str]
    first: int
    last: int


def _beside(window: Sequence[Row]) -> list[_TableBeside]:
    """The tables that stand beside each other; none if it is only one, or if any of them has no header."""
    used = sorted({column for row in window for column in row.cells})
    groups = [
        [column for _, column in group]
        for _, group in groupby(enumerate(used), key=lambda item: item[1] - item[0])
    ]
    if len(groups) < 2 or any(len(group) < 2 for group in groups):
        return []
    found: list[_TableBeside] = []
    for group in groups:
        columns = range(group[0], group[-1] + 1)
        own = [part for row in window if (part := _part(row, columns)).cells]
        header = find_header(own, Header())
        if not header.names or not all(is_name_or_year(name) for name in header.names.values()):
            return []
        found.append(_TableBeside(columns, header.names, own[header.row].number, own[header.end - 1].number))
    return found


def _part(row: Row, columns: range) -> Row:
    cells = {column: text for column, text in row.cells.items() if column in columns}
    return Row(row.number, cells, {at: width for at, width in row.widths.items() if at in columns})


def _blocks_beside(row: Row, tables: Sequence[_TableBeside]) -> Iterator[RowBlock]:
    for table in tables:
        part = _part(row, table.columns)
        if part.cells and row.number < table.first:
            yield _line(part)
        elif part.cells and row.number > table.last:
            yield _block(part, table.names)
    columns = {column for table in tables for column in table.columns}
    if apart := {column: text for column, text in row.cells.items() if column not in columns}:
        # It stands further down than was looked for tables.
        yield _line(row._replace(cells=apart))


def _line(row: Row) -> RowBlock:
    return RowBlock(row, " | ".join(one_line(cell) for cell in row.cells.values()), is_line=True)


def _block(row: Row, header: dict[int, str]) -> RowBlock:
    names = ((_name(row, column, header), text.strip()) for column, text in row.cells.items())
    fields = [f"{name}: {text}" if name else text for name, text in names]
    # A row in one line is matched and quoted whole; what is longer would be cut anywhere.
    line = "; ".join(fields)
    is_short = len(line) <= LONGEST_LINE and "\n" not in line
    return RowBlock(row, line if is_short else "\n".join(fields), is_line=False)


def _name(row: Row, column: int, header: dict[int, str]) -> str:
    """The name of a cell's column; of all that it reaches over, unless it begins the row: "Total" names that itself."""
    width = row.widths.get(column, 1)
    if width == 1 or column == min(row.cells) or width > _MOST_NAMES:
        return header.get(column, "")
    covered = [header[at] for at in range(column, column + width) if at in header]
    return ", ".join(dict.fromkeys(covered))
