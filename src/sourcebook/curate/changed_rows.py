"""Rows of tables in quotes that have changed: pairs old with new rows, and writes them cell by cell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sourcebook.text.layout.tables import (
    BETWEEN_CELLS,
    cells_between_bars,
    is_row,
    is_ruler,
    names_of_columns,
    said_row,
)


def rows_as_said(before: str, after: str, text: str) -> tuple[str, str]:
    """Both texts with changed rows as "Day: Sunday · Time: 9:15", and without rows that are the same.

    `text` is the document as it is now, which names the columns. Texts without changed rows stay as they are.
    """
    old, new = before.splitlines(), after.splitlines()
    if not any(map(is_row, (*old, *new))):
        return before, after
    names = {
        cells_between_bars(text[start:end]): columns
        for (start, end), columns in names_of_columns(text).items()
    }
    columns = next((names[cells] for line in new if (cells := cells_between_bars(line)) in names), ())
    same = _cells_of_rows(old) & _cells_of_rows(new)
    told = ["\n".join(said for line in lines if (said := _said(line, columns, same))) for lines in (old, new)]
    return (told[0], told[1]) if any(told) else (before, after)


def row_in_new_words(answer: str, old: str, new: str) -> str:
    """The answer with the cells of the old row replaced, with or without the names of their columns."""
    pairs = list(zip(cells_between_bars(old), cells_between_bars(new), strict=True))
    said = [(was, now) for was, now in pairs if was]
    if any(bool(was) != bool(now) for was, now in pairs) or not said:
        return answer
    cells = re.escape(BETWEEN_CELLS).join(rf"((?:[^·\n]*?: )?){re.escape(was)}" for was, _ in said)
    row = re.compile(rf"(?m)^((?:- )?){cells}(?=[^\S\n]*(?:\[\d|$))")

    def renewed(found: re.Match[str]) -> str:
        return found[1] + BETWEEN_CELLS.join(f"{found[n]}{now}" for n, (_, now) in enumerate(said, start=2))

    return row.sub(renewed, answer)


def paired_rows(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each old row with the new one that has as many cells and shares most of them."""
    for row in old:
        cells = cells_between_bars(row)
        alike = [(_shared(cells, cells_between_bars(other)), other) for other in new]
        most = max((shared for shared, _ in alike), default=0)
        found = [other for shared, other in alike if shared == most]
        # If two are equally similar, it is not known which one replaced it.
        if most and len(found) == 1:
            yield row, found[0]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    if len(one) != len(other):
        return 0
    return sum(bool(a) and a == b for a, b in zip(one, other, strict=True))


def _said(line: str, columns: Sequence[str], same: set[tuple[str, ...]]) -> str:
    if not is_row(line):
        return line
    cells = cells_between_bars(line)
    if cells in same or is_ruler(line):
        return ""
    return said_row(columns if len(columns) == len(cells) else [""] * len(cells), cells)


def _cells_of_rows(lines: Sequence[str]) -> set[tuple[str, ...]]:
    return {cells_between_bars(line) for line in lines if is_row(line)}


def row_in_its_place(quote: str, text: str) -> tuple[int, int] | None:
    """The row of the text that is the new form of a quoted one, whatever others say that is more alike.

    It begins with the same cell, and of several that do, it is the one that is most alike; if none does, it is the only
    one in which all other cells are the same.
    """
    cells, rows = cells_between_bars(quote), list(_rows_of(text, len(cells_between_bars(quote))))
    named = [(span, _shared(cells, others)) for span, others in rows if others[0] == cells[0] != ""]
    most = max((shared for _, shared in named), default=0)
    found = [span for span, shared in named if shared == most]
    found = found or [span for span, others in rows if others[1:] == cells[1:]]
    return found[0] if len(found) == 1 else None


def _rows_of(text: str, size: int) -> Iterator[tuple[tuple[int, int], tuple[str, ...]]]:
    """The rows of so many cells, with their spans."""
    at = 0
    for line in text.splitlines(keepends=True):
        said = line.strip()
        if is_row(said) and not is_ruler(said) and len(cells := cells_between_bars(said)) == size:
            start = at + line.index(said)
            yield (start, start + len(said)), cells
        at += len(line)
