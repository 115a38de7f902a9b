"""Rows of tables in answers: which row a line shows, and whether its columns still have the names that it says.

A line such as "Day: Sunday · Time: 9:15" shows one row, with the names from the head of its table. The answer is bound
to that row alone, so that the others may change. The head is no part of the quote, so its names are compared here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from sourcebook.curate.staleness import compared_form
from sourcebook.text.layout.tables import (
    BETWEEN_CELLS,
    cells_between_bars,
    is_row,
    is_ruler,
    named_rows,
    names_of_columns,
    said_row,
)

_MARKS = re.compile(r"\s*\[\d{1,3}\]")


def shown_row(sentence: str, quote: str, text: str) -> tuple[int, int] | None:
    """The row of the text, within the quote, that a sentence shows; None if it is not surely one."""
    if "|" not in quote:
        return None
    said, held = _plain(sentence), compared_form(quote)
    here = [
        (span, _plain(row))
        for span, row in named_rows(text).items()
        if compared_form(text[slice(*span)]) in held
    ]
    whole = [span for span, row in here if row == said]
    # A cell with several sentences makes several of its line, and an answer may leave cells out.
    parts = [span for span, row in here if f" {said} " in f" {row} " or _are_cells_of(said, row)]
    return whole[0] if whole else parts[0] if len(parts) == 1 else None


def columns_of(quote: str, text: str) -> tuple[str, ...]:
    """The names of the columns of a quoted row; none if the quote has no row, or its table no head."""
    rows = set(_rows(quote))
    if not rows:
        return ()
    named = names_of_columns(text).items()
    return next((names for span, names in named if cells_between_bars(text[slice(*span)]) in rows), ())


def named_row(quote: str, text: str) -> str:
    """A quoted row with the names that its columns have in the text; any other quote as it is."""
    names, rows = columns_of(quote, text), _rows(quote)
    is_one = len(rows) == 1 and len(quote.strip().splitlines()) == 1
    if not is_one or (names and len(names) != len(rows[0])):
        return quote
    return said_row(names or [""] * len(rows[0]), rows[0])


def renamed_cells(sentence: str, quote: str, text: str) -> list[str]:
    """The cells of a quoted row, as the sentence says them, whose columns have other names in the text."""
    names, rows = columns_of(quote, text), _rows(quote)
    if not names or BETWEEN_CELLS not in sentence:
        return []
    named = [zip(names, row, strict=True) for row in rows if len(row) == len(names)]
    now = {_plain(f"{name}: {cell}") for row in named for name, cell in row}
    values = tuple(f": {_plain(cell)}" for row in rows for cell in row if cell)
    return [
        each for each in _plain(sentence).split(BETWEEN_CELLS) if each.endswith(values) and each not in now
    ]


def shows_row_of(sentence: str, quote: str) -> bool:
    """Whether a sentence consists of cells of one quoted row, with or without the names of their columns."""
    shown = _plain(sentence).split(BETWEEN_CELLS)
    cells = [[_plain(cell) for cell in row if cell] for row in _rows(quote)]
    return len(shown) > 1 and any(
        all(any(each == cell or each.endswith(f": {cell}") for cell in row) for each in shown)
        for row in cells
    )


def told_quote(quote: str, answer: str = "") -> str:
    """A quote as one line for a person: each row of a table as "Day: Sunday · Time: 9:15", without its head.

    The names of the columns come from the quote, or from a line of the answer that shows the row.
    """
    named = {span[0]: said for span, said in named_rows(quote).items()}
    # A head that is quoted with its rows says nothing more.
    heads = {each.strip() for each in _heads(quote)} if named else set[str]()
    told: list[str] = []
    at = 0
    for line in quote.splitlines(keepends=True):
        said, start = line.strip(), at + len(line) - len(line.lstrip())
        at += len(line)
        if not is_row(said):
            told.append(" ".join(said.split()))
        elif not is_ruler(said) and said not in heads:
            told.append(named.get(start) or _named_by(answer, said))
    return _joined([each for each in told if each])


def _heads(quote: str) -> list[str]:
    """The rows above a ruler, or above the first row that has names."""
    lines = [line for line in quote.splitlines() if is_row(line)]
    ruled = [above for above, below in pairwise(lines) if is_ruler(below)]
    return ruled or lines[:1]


def _named_by(answer: str, row: str) -> str:
    """The row as the answer's line that shows it says it; without one, its cells."""
    shown = next((line for line in _lines(answer) if shows_row_of(line, row)), "")
    said = shown.split(BETWEEN_CELLS)
    told: list[str] = []
    for cell in filter(None, cells_between_bars(row)):
        named = next((each for each in said if _plain(each).endswith(f": {_plain(cell)}")), cell)
        # The same value may stand in the next column too.
        said = said[said.index(named) + 1 :] if named in said else said
        told.append(named)
    return BETWEEN_CELLS.join(told)


def _lines(answer: str) -> list[str]:
    return [_MARKS.sub("", line).strip().removeprefix("- ") for line in answer.splitlines()]


def _joined(lines: Sequence[str]) -> str:
    """Rows end with a semicolon where another follows; other lines go on."""
    text = ""
    for line in lines:
        text += f"{';' if BETWEEN_CELLS in line and BETWEEN_CELLS in text else ''} {line}" if text else line
    return text


def _rows(quote: str) -> list[tuple[str, ...]]:
    """The cells of each row in a quote."""
    return [cells_between_bars(line) for line in quote.splitlines() if is_row(line) and not is_ruler(line)]


def _are_cells_of(said: str, row: str) -> bool:
    cells = said.split(BETWEEN_CELLS)
    return len(cells) > 1 and set(cells) <= set(row.split(BETWEEN_CELLS))


def _plain(text: str) -> str:
    return compared_form(text).removeprefix("- ")
