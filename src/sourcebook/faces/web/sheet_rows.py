"""The rows of a sheet as tables. They are kept as lines, `Item: Locker; Price: 36`, so that one can be quoted whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from markupsafe import Markup

from sourcebook.faces.web.safe_html import with_spans
from sourcebook.text.layout.sheet_rows import Cell, cells_of_line

SHEETS = frozenset(
    {
        "text/csv",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.oasis.opendocument.spreadsheet",
    }
)
_ENDINGS = frozenset({".csv", ".tsv", ".xlsx", ".xlsm", ".xltx", ".ods", ".ots"})
_FEWEST_ROWS = 2
_MOST_COLUMNS = 40
_NUMBER = re.compile(r"[-+−]?[\d\s.,]+\s?%?")

Spans = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of a sheet, with its cells if it is a row."""

    start: int
    end: int
    cells: Sequence[Cell]


def is_row_of_sheet(path: str, quote: str) -> bool:
    """Whether a quote from this file is a row that was written out as a line."""
    is_sheet = PurePosixPath(path).suffix.casefold() in _ENDINGS
    return is_sheet and any(paragraph.cells for paragraph in _paragraphs(quote))


def sheet_rows(text: str, spans: Spans, other: Callable[[int, int], tuple[Markup, bool]]) -> Iterator[Markup]:
    """The text with its rows in tables, and the spans marked.

    `other` writes a paragraph that is no row, and says whether it is a heading: that names the table below it.
    """
    name = ""
    rows: list[Paragraph] = []
    for part in _paragraphs(text):
        if rows and not _go_together(rows, part):
            yield from _written(text, rows, spans, name, other)
            rows = []
        if part.cells:
            rows.append(part)
        else:
            html, is_heading = other(part.start, part.end)
            name = text[part.start : part.end] if is_heading else name
            yield html
    yield from _written(text, rows, spans, name, other)


def _paragraphs(text: str) -> Iterator[Paragraph]:
    at = 0
    for part in text.split("\n\n"):
        if part.strip():
            start = at + len(part) - len(part.lstrip("\n"))
            end = at + len(part.rstrip())
            yield Paragraph(start, end, cells_of_line(text, start, end))
        at += len(part) + 2


def _go_together(rows: Sequence[Paragraph], part: Paragraph) -> bool:
    return bool({cell.name for cell in rows[-1].cells} & {cell.name for cell in part.cells} - {""})


def _columns(rows: Sequence[Paragraph]) -> list[str]:
    """The names of all rows, each where it first stood: a cell that is empty is left out of its row."""
    columns: list[str] = []
    for row in rows:
        at = 0
        for cell in row.cells:
            if cell.name not in columns:
                columns.insert(at, cell.name)
            at = columns.index(cell.name) + 1
    return columns


def _written(
    text: str,
    rows: Sequence[Paragraph],
    spans: Spans,
    name: str,
    other: Callable[[int, int], tuple[Markup, bool]],
) -> Iterator[Markup]:
    columns = _columns(rows)
    # Prose with semicolons has hardly a name twice.
    is_table = len(rows) >= _FEWEST_ROWS and len(columns) <= min(
        _MOST_COLUMNS, 2 * max(len(row.cells) for row in rows)
    )
    if not is_table:
        yield from (other(row.start, row.end)[0] for row in rows)
        return
    numbers = {column for column in columns if _is_numbers(text, rows, column)}
    head = Markup("").join(
        Markup('<th scope="col"{}>{}</th>').format(_class(column in numbers), column) for column in columns
    )
    body = Markup("").join(
        Markup("<tr>{}</tr>").format(_row(text, row, columns, numbers, spans)) for row in rows
    )
    label = Markup(' role="group" aria-label="{}"').format(name) if name else Markup("")
    yield Markup(
        '<div class="sheet-rows" tabindex="0"{}><table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>'
    ).format(label, head, body)


def _row(text: str, row: Paragraph, columns: Sequence[str], numbers: set[str], spans: Spans) -> Markup:
    marks = {
        cell.name: [
            (max(a, cell.start) - cell.start, min(b, cell.end) - cell.start)
            for a, b in spans
            if max(a, cell.start) < min(b, cell.end)
        ]
        for cell in row.cells
    }
    if not any(marks.values()) and any(max(a, row.start) < min(b, row.end) for a, b in spans):
        first = row.cells[0]
        marks[first.name] = [(0, first.end - first.start)]
    cells = {cell.name: with_spans(text[cell.start : cell.end], marks[cell.name]) for cell in row.cells}
    return Markup("").join(
        Markup("<td{}>{}</td>").format(_class(column in numbers), cells.get(column, "")) for column in columns
    )


def _is_numbers(text: str, rows: Sequence[Paragraph], column: str) -> bool:
    values = [text[cell.start : cell.end] for row in rows for cell in row.cells if cell.name == column]
    return all(_NUMBER.fullmatch(value) for value in values)


def _class(is_number: bool) -> Markup:
    return Markup(' class="num"') if is_number else Markup("")
