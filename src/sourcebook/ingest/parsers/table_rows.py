"""Rows of a table as text: each says `column: value` for its cells, so that it makes sense without its header."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice, pairwise
from typing import NamedTuple

from sourcebook.ingest.parsers.clean_text import one_line

LONGEST_LINE = 280
LOOKED_AT = 20
"""A header stands among so many rows, below titles at most."""
_NUMBER = re.compile(r"[-+]?[\d\s.,/:%-]*\d[\d\s.,/:%-]*", re.ASCII)


class Row(NamedTuple):
    """A row by its number, counted from 1, with the text of its cells by the number of their column, from 0."""

    number: int
    cells: dict[int, str]


class RowBlock(NamedTuple):
    """A row as text. `is_line`: it is one line, and the next may follow it at once."""

    row: Row
    text: str
    is_line: bool


def is_number(text: str) -> bool:
    return bool(_NUMBER.fullmatch(text))


def is_header(names: Sequence[str]) -> bool:
    """Whether these may be the names of columns: all different, none a number."""
    return len(set(names)) == len(names) and all(name and not is_number(name) for name in names)


def blocks_of(rows: Iterable[Row]) -> Iterator[RowBlock]:
    """The rows that hold anything, in their order.

    The first row of names with a row below it is the header; what stands above it, and a table without one, are lines.
    After an empty row another table may begin, with a header of its own.
    """
    header: dict[int, str] = {}
    filled = (row for row in rows if row.cells)
    # Rows that follow each other without a gap keep the same distance to their count.
    for _, region in groupby(enumerate(filled), key=lambda item: item[1].number - item[0]):
        rest = (row for _, row in region)
        window = list(islice(rest, LOOKED_AT))
        at, names = _find_header(window, header)
        if names:
            header = names
        elif not (header and _fits(window[-1], header)):
            header = {}
        yield from (_line(row) for row in window[:at])
        for row in chain(window[at + bool(names) :], rest):
            yield _block(row, header) if header else _line(row)


def _find_header(window: Sequence[Row], before: dict[int, str]) -> tuple[int, dict[int, str]]:
    """Where a header stands, with titles above it at most, and its names. A second table has to look like one."""
    for index, (row, below) in enumerate(pairwise(window)):
        names = {column: one_line(text) for column, text in row.cells.items()}
        is_named = len(names) > 1 and is_header(list(names.values()))
        if is_named and _fits(below, names) and (not before or any(map(is_number, below.cells.values()))):
            return index, names
        if len(names) > 1:
            break
    return 0, {}


def _fits(row: Row, names: dict[int, str]) -> bool:
    return len(row.cells.keys() & names.keys()) * 2 > len(row.cells)


def _line(row: Row) -> RowBlock:
    return RowBlock(row, " | ".join(one_line(cell) for cell in row.cells.values()), is_line=True)


def _block(row: Row, header: dict[int, str]) -> RowBlock:
    fields = [
        f"{header[column]}: {text.strip()}" if column in header else text.strip()
        for column, text in row.cells.items()
    ]
    # A row in one line is matched and quoted whole; what is longer would be cut anywhere.
    line = "; ".join(fields)
    is_short = len(line) <= LONGEST_LINE and "\n" not in line
    return RowBlock(row, line if is_short else "\n".join(fields), is_line=False)
