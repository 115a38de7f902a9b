"""What the XML of a sheet says before and behind its rows: columns that are not shown, and merged cells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.ingest.parsers.office.merged_cells import Area

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sourcebook.ingest.parsers.zip_and_xml import Package

_PIECE = 1024 * 1024
_OVERLAP = 400
"""More than an element that is looked for takes."""
_MOST_MERGED = 100_000
MOST_COLUMNS = 16_384
"""No program has sheets with more."""
_COLUMN = re.compile(rb"<(?:\w+:)?col\s([^>]{1,300}?)/?>")
_MERGED = re.compile(
    rb"<(?:\w+:)?mergeCell\s[^>]{0,80}?ref=[\"']([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})[\"']"
)
_FILTERED = re.compile(rb"<(?:\w+:)?filterColumn[\s>]")
_ATTRIBUTE = re.compile(rb"(\w+)=[\"']([^\"']*)[\"']")
_ROWS = re.compile(rb"<(?:\w+:)?sheetData")


class SheetLayout(NamedTuple):
    """Columns that are not shown, merged cells by the row and column of the first, and whether a filter hides rows."""

    hidden: frozenset[int]
    areas: Mapping[tuple[int, int], Area]
    is_filtered: bool


def layout_of(package: Package, part: str) -> SheetLayout:
    """Looks through the whole part, which is far less work than to read it as XML."""
    hidden: set[int] = set()
    areas: dict[tuple[int, int], Area] = {}
    is_filtered, is_before_rows = False, True
    for piece in _pieces(package, part):
        if is_before_rows:
            rows = _ROWS.search(piece)
            hidden.update(*_hidden_columns(piece[: rows.start()] if rows else piece))
            is_before_rows = rows is None
        if b"mergeCell" in piece and len(areas) < _MOST_MERGED:
            areas.update(((area.top, area.left), area) for area in _areas(piece))
        is_filtered = is_filtered or (b"filterColumn" in piece and bool(_FILTERED.search(piece)))
    return SheetLayout(frozenset(hidden), areas, is_filtered)


def _pieces(package: Package, part: str) -> Iterator[bytes]:
    """The part in pieces, each with the end of the one before."""
    before = b""
    with package.open(part) as stream:
        while piece := stream.read(_PIECE):
            yield before + piece
            before = piece[-_OVERLAP:]


def _hidden_columns(head: bytes) -> Iterator[range]:
    for found in _COLUMN.finditer(head):
        said = dict(_ATTRIBUTE.findall(found[1]))
        first, last = said.get(b"min", b""), said.get(b"max", b"")
        # Columns that a group folds away are one click from being seen.
        is_hidden = said.get(b"hidden") in (b"1", b"true") and said.get(b"outlineLevel", b"0") == b"0"
        if is_hidden and first.isdigit() and last.isdigit():
            yield range(int(first[:5]) - 1, min(int(last[:5]), MOST_COLUMNS))


def _areas(piece: bytes) -> Iterator[Area]:
    for found in _MERGED.finditer(piece):
        left, top, right, bottom = found.groups()
        area = Area(int(top), column_number(left.decode()), int(bottom), column_number(right.decode()))
        if area.top <= area.bottom and area.left <= area.right:
            yield area


def column_number(letters: str) -> int:
    """The number of a column, counted from 0."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
