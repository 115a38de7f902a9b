"""The rows of OpenDocument sheets, one after the other, with what is drawn beside them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.clean_text import cleaned
from sourcebook.ingest.parsers.office.merged_cells import Area
from sourcebook.ingest.parsers.office.opendocument_lists import number_in
from sourcebook.ingest.parsers.office.opendocument_objects import EmbeddedObjects
from sourcebook.ingest.parsers.office.opendocument_text import DRAW, LINK, TABLE, TEXT, OpenDocumentReader
from sourcebook.ingest.parsers.office.xlsx_layout import MOST_COLUMNS
from sourcebook.ingest.parsers.table_headers import Row

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.xml_element import Element
    from sourcebook.ingest.parsers.zip_and_xml import Package

_CONTENT = "content.xml"
_MOST_REPEATED = 1_000
"""A row or cell with text that repeats more often is a fill of the sheet, not content."""
_ROW, _COLUMN, _SHEET, _SHAPES = (
    f"{TABLE}{name}" for name in ("table-row", "table-column", "table", "shapes")
)
_CELL, _COVERED = f"{TABLE}table-cell", f"{TABLE}covered-table-cell"
_GROUPS = (f"{TABLE}table-row-group", f"{TABLE}table-column-group")
_PARAGRAPH = f"{TEXT}p"
_ROWS_SPANNED, _COLUMNS_SPANNED = f"{TABLE}number-rows-spanned", f"{TABLE}number-columns-spanned"
_REPEATED = f"{TABLE}number-columns-repeated"
_VISIBILITY = f"{TABLE}visibility"


class OpenDocumentSheets:
    """Reads the sheets that are shown. `areas` and `beside` are of the sheet whose rows were read last."""

    def __init__(self, package: Package, hidden: frozenset[str]) -> None:
        """`hidden` are the styles of sheets that are not shown."""
        self.areas: dict[tuple[int, int], Area] = {}
        self.beside: list[str] = []
        self._package = package
        self._hidden = hidden
        self._objects = EmbeddedObjects(package)
        self._reader = OpenDocumentReader()
        self._hidden_columns: set[int] = set()

    def rows(self) -> Iterator[tuple[str, Row]]:
        """The rows that hold anything, with the name of their sheet. No sheet is ever held whole."""
        number, last = 0, None
        for element in self._package.elements(_CONTENT, _ROW):
            table = next(element.iterancestors(_SHEET), None)
            if table is None or table.get(f"{TABLE}style-name", "") in self._hidden:
                continue
            name = cleaned(table.get(f"{TABLE}name", ""))
            if name != last:
                number, last = 0, name
                self._begin(table)
            times = number_in(element.get(f"{TABLE}number-rows-repeated", ""), 1)
            is_hidden = not _is_shown(element)
            cells = {} if is_hidden else self._cells(element, number + 1)
            shown = min(times, _MOST_REPEATED) if cells or is_hidden else 0
            rows = (Row(number + repeated, cells, is_hidden=is_hidden) for repeated in range(1, shown + 1))
            yield from ((name, row) for row in rows)
            if not shown and self.beside:
                # A sheet may hold nothing but drawings.
                yield name, Row(number + 1, {})
            number += times

    def _begin(self, table: Element) -> None:
        """Whatever stands in a sheet before its first row."""
        self.areas, self.beside, self._hidden_columns = {}, [], set()
        column = 0
        for element in table.iter(_COLUMN):
            times = number_in(element.get(f"{TABLE}number-columns-repeated", ""), 1)
            if not _is_shown(element):
                self._hidden_columns.update(range(column, min(column + times, MOST_COLUMNS)))
            column += times
        for shapes in (child for child in table if child.tag == _SHAPES):
            self._draw(shapes)

    def _cells(self, row: Element, number: int) -> dict[int, str]:
        cells: dict[int, str] = {}
        column = 0
        for cell in row:
            if cell.tag not in (_CELL, _COVERED):
                continue
            times = number_in(cell.get(_REPEATED, ""), 1) if _REPEATED in cell.attrib else 1
            text = self._text(cell) if cell.tag == _CELL else ""
            if text:
                if _ROWS_SPANNED in cell.attrib or _COLUMNS_SPANNED in cell.attrib:
                    self._merge(cell, number, column)
                for at in range(column, column + min(times, _MOST_REPEATED)):
                    cells[at] = text
            column += times
        return self._shown(cells) if self._hidden_columns else cells

    def _shown(self, cells: dict[int, str]) -> dict[int, str]:
        return {at: text for at, text in cells.items() if at not in self._hidden_columns}

    def _text(self, cell: Element) -> str:
        lines: list[str] = []
        for child in cell:
            if child.tag == _PARAGRAPH:
                lines.append(self._reader.words(child))
            elif isinstance(child.tag, str) and child.tag.startswith(DRAW):
                self._shape(child)
        return "\n".join(lines).strip()

    def _merge(self, cell: Element, row: int, column: int) -> None:
        rows = number_in(cell.get(_ROWS_SPANNED, ""), 1)
        columns = number_in(cell.get(_COLUMNS_SPANNED, ""), 1)
        if rows > 1 or columns > 1:
            self.areas[row, column] = Area(row, column, row + rows - 1, column + columns - 1)

    def _draw(self, shapes: Element) -> None:
        for shape in shapes:
            if str(shape.tag).startswith(DRAW):
                self._shape(shape)

    def _shape(self, shape: Element) -> None:
        """The text in a shape, and the title and series of a chart, whose numbers are cells of the sheet."""
        reader = OpenDocumentReader()
        reader.read(shape)
        charts = (self._objects.chart_names_at(found.get(LINK, "")) for found in shape.iter(f"{DRAW}object"))
        self.beside += [text for text in (reader.built.text(), *charts) if text.strip()]


def _is_shown(element: Element) -> bool:
    """Whether a row or column is shown, or would be without a filter and with all groups unfolded."""
    if element.get(_VISIBILITY, "visible") != "collapse":
        return True
    return any(next(element.iterancestors(group), None) is not None for group in _GROUPS)
