"""Rows by their cells: of sheets, which are kept as lines, `Item: Locker; Price: 36`, and of tables between bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook.text.layout.tables import names_of_columns, spans_between_bars
from sourcebook.text.vocabulary.word_lists import words_by_name


@dataclass(frozen=True, slots=True)
class Cell:
    """A value, and where it stands in the text."""

    name: str
    start: int
    end: int


def cells_of_line(text: str, start: int, end: int) -> list[Cell]:
    """The cells, if this part of the text is a row.

    What has no name belongs to the value before it; the first may go without.
    """
    line = text[start:end]
    if "\n" in line or "; " not in line:
        return []
    found: list[Cell] = []
    at = start
    for piece in line.split("; "):
        name, colon, _ = piece.partition(": ")
        if colon or not found:
            found.append(
                Cell(name if colon else "", at + len(name + colon) if colon else at, at + len(piece))
            )
        else:
            found[-1] = Cell(found[-1].name, found[-1].start, at + len(piece))
        at += len(piece) + 2
    names = [cell.name for cell in found]
    return found if len(set(names)) == len(names) > 1 else []


def rows_of_sheets(text: str, paragraphs: Sequence[tuple[int, int]]) -> dict[int, Sequence[Cell]]:
    """The cells of those paragraphs that are rows, by where they begin.

    Prose with semicolons may look like a row. So the one before or after it must have a name in common with it, unless
    it is a question with its answer.
    """
    rows = [cells_of_line(text, *span) for span in paragraphs]
    names = [frozenset(cell.name for cell in row) - {""} for row in rows]

    def has_name_beside(i: int) -> bool:
        return any(names[i] & other for other in (*names[max(0, i - 1) : i], *names[i + 1 : i + 2]))

    return {
        start: rows[i]
        for i, (start, _) in enumerate(paragraphs)
        if rows[i] and (has_name_beside(i) or question_and_answer(rows[i]))
    }


def rows_of_tables(text: str) -> dict[int, Sequence[Cell]]:
    """The cells of rows between bars, by where the row begins, if the columns have names."""
    named = names_of_columns(text)
    return {
        start: [
            Cell(name, *span)
            for name, span in zip(names, spans_between_bars(text, start, end), strict=True)
            if span[0] < span[1]
        ]
        for (start, end), names in named.items()
    }


def question_and_answer(row: Sequence[Cell]) -> tuple[Cell, Cell] | None:
    """The question and the answer, if the row is of a sheet of such. Of "A" and "Answer", the longer name tells."""
    columns = words_by_name("faq_columns.txt")
    cells = {cell.name.strip().casefold(): cell for cell in row}
    question, answer = (
        max(columns[kind].intersection(cells), key=len, default=None) for kind in ("question", "answer")
    )
    return None if question is None or answer is None else (cells[question], cells[answer])
