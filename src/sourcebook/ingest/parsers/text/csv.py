"""CSV: each row says `column: value` for its cells, so that a row makes sense without the header far above it."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.table_rows import Row, blocks_of
from sourcebook.ingest.parsers.text.decoding import decode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LONGEST_FIELD = 10_000_000
_DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 50
_SAID = re.compile(r"sep=(.)\n")


def parse_csv(data: bytes) -> ParsedText:
    """The rows in their order. Without a header, or with one column only, they are lines of text."""
    text = decode(data)
    said = _SAID.match(text)
    body = text[said.end() :] if said else text
    csv.field_size_limit(LONGEST_FIELD)
    try:
        delimiter = said[1] if said else _delimiter(body)
        filled = (cells for row in _rows(body, delimiter) if (cells := _cells(row)))
        blocks = list(blocks_of(Row(number, cells) for number, cells in enumerate(filled, start=1)))
    except csv.Error:
        return ParsedText(text, kind="text/csv")
    lines = (block.text + ("\n" if block.is_line else "\n\n") for block in blocks)
    return ParsedText("".join(lines).strip("\n"), kind="text/csv")


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


def _cells(row: Sequence[str]) -> dict[int, str]:
    return {column: cell.strip() for column, cell in enumerate(row) if cell.strip()}
