"""CSV: each row is a block of lines `column: value`, so that a row makes sense without the header far above it."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.clean_text import one_line
from sourcebook.ingest.parsers.parsed import ParsedText
from sourcebook.ingest.parsers.text.decoding import decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST_FIELD = 10_000_000
_DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 50
_SAID = re.compile(r"sep=(.)\n")
_NUMBER = re.compile(r"[-+]?[\d\s.,/:%-]*\d[\d\s.,/:%-]*", re.ASCII)


def parse_csv(data: bytes) -> ParsedText:
    """The rows in their order. Without a header, or with one column only, they are lines of text."""
    text = decode(data)
    said = _SAID.match(text)
    body = text[said.end() :] if said else text
    csv.field_size_limit(LONGEST_FIELD)
    try:
        delimiter = said[1] if said else _delimiter(body)
        rows = [row for row in _rows(body, delimiter) if any(cell.strip() for cell in row)]
    except csv.Error:
        return ParsedText(text, kind="text/csv")
    return ParsedText("".join(_blocks(rows)).strip("\n"), kind="text/csv")


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(text), delimiter=delimiter)


def _delimiter(text: str) -> str:
    """The sign that cuts the first rows into the most columns, with the same number in most rows."""
    head = "\n".join(text.split("\n", _SAMPLE_ROWS)[:_SAMPLE_ROWS])

    def columns(delimiter: str) -> float:
        counts = [len(row) for row in _rows(head, delimiter) if row]
        usual = max(set(counts), key=counts.count, default=1)
        return (usual - 1) * counts.count(usual) / max(len(counts), 1)

    return max(_DELIMITERS, key=columns)


def _blocks(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    if not rows:
        return
    header = [one_line(name) for name in rows[0]]
    if len(header) > 1 and _is_header(header) and len(rows) > 1:
        for row in rows[1:]:
            yield "\n".join(_fields(header, row)) + "\n\n"
    else:
        for row in rows:
            yield " | ".join(one_line(cell) for cell in row) + "\n"


def _is_header(names: Sequence[str]) -> bool:
    return len(set(names)) == len(names) and all(name and not _NUMBER.fullmatch(name) for name in names)


def _fields(header: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    for index, cell in enumerate(row):
        value = cell.strip()
        if value:
            yield f"{header[index]}: {value}" if index < len(header) else value
