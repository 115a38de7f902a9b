"""XLSX: the sheets that are shown, row by row; formulas by the value that was stored with them.

Sheets are read as a stream, so that a huge one takes no more memory than its text. Macros, links to other files and
data connections are never looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.clean_text import cleaned
from sourcebook.ingest.parsers.office.merged_cells import with_merged, without_columns
from sourcebook.ingest.parsers.office.number_formats import (
    GENERAL,
    NumberFormat,
    number_format,
    shown_number,
)
from sourcebook.ingest.parsers.office.properties import office_properties
from sourcebook.ingest.parsers.office.sheet_drawings import SheetDrawings
from sourcebook.ingest.parsers.office.sheets import SheetText
from sourcebook.ingest.parsers.office.xlsx_layout import column_number, layout_of
from sourcebook.ingest.parsers.page_progress import page_read
from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.sections import sections_of
from sourcebook.ingest.parsers.table_rows import Row
from sourcebook.ingest.parsers.zip_and_xml import Package, reading

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.xml_element import Element

KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_WORKBOOK = "xl/workbook.xml"
_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_ADDRESS = re.compile(r"([A-Z]{1,3})(\d{1,7})", re.ASCII)
_ROW, _CELL, _VALUE, _INLINE, _FORMULA = (f"{_MAIN}{name}" for name in ("row", "c", "v", "is", "f"))
_ITEM, _TEXT, _PHONETIC = (f"{_MAIN}{name}" for name in ("si", "t", "rPh"))
_DIGITS = re.compile(r"\d{1,9}", re.ASCII)


def parse_xlsx(data: bytes) -> ParsedText:
    """Every sheet is a section, every row says `column: value`. Hidden sheets are left out."""
    package = Package(data, "XLSX")
    with reading("XLSX"):
        return _read(package)


def _read(package: Package) -> ParsedText:
    main = package.main_part(_WORKBOOK)
    book, relations = package.xml(main), package.relations(main)
    by_kind = dict(relations.values())
    cells = _Cells(
        list(_strings(package, by_kind.get("sharedStrings"))),
        _formats(package, by_kind.get("styles")),
        from_1904=_is_set(book.find(f"{_MAIN}workbookPr"), "date1904"),
    )
    shown = [s for s in book.iter(f"{_MAIN}sheet") if s.get("state", "visible") == "visible"]
    text, drawn = SheetText(), SheetDrawings(package)
    for number, sheet in enumerate(shown, start=1):
        kind, part = relations.get(sheet.get(_ID, ""), ("", ""))
        if kind == "chartsheet" and part in package.names:
            text.add(cleaned(sheet.get("name", "")), (), drawn.beside(part), is_only=len(shown) == 1)
        elif kind == "worksheet" and part in package.names:
            layout = layout_of(package, part)
            rows = cells.rows(package.elements(part, _ROW), is_filtered=layout.is_filtered)
            rows = with_merged(rows, layout.areas) if layout.areas else rows
            rows = without_columns(rows, layout.hidden) if layout.hidden else rows
            beside = drawn.beside(part)
            text.add(cleaned(sheet.get("name", "")), rows, beside, is_only=len(shown) == 1)
        page_read(number, len(shown))
    title, metadata = office_properties(package)
    return ParsedText(text.built.text(), title, metadata, sections_of(text.built.headings), kind=KIND)


def _strings(package: Package, part: str | None) -> Iterator[str]:
    """The texts that cells refer to by their number."""
    if part in package.names:
        for item in package.elements(part, _ITEM):
            yield _text_of(item)


def _text_of(item: Element) -> str:
    """The text of an item, without the help to pronounce it."""
    texts = (t for t in item.iter(_TEXT) if next(t.iterancestors(_PHONETIC), None) is None)
    return cleaned("".join(t.text or "" for t in texts))


def _formats(package: Package, part: str | None) -> list[NumberFormat]:
    """The formats of numbers, by the number of the style."""
    styles = package.xml_if_there(part or "")
    if styles is None:
        return []
    own = {f.get("numFmtId", ""): f.get("formatCode", "") for f in styles.iter(f"{_MAIN}numFmt")}
    used = styles.find(f"{_MAIN}cellXfs")
    return [
        number_format(_number(style.get("numFmtId", "0")), own.get(style.get("numFmtId", "0")))
        for style in (used if used is not None else ())
    ]


class _Cells:
    """Reads the cells of one workbook."""

    def __init__(self, strings: list[str], formats: list[NumberFormat], *, from_1904: bool) -> None:
        self._strings = strings
        self._formats = formats
        self._from_1904 = from_1904

    def rows(self, elements: Iterator[Element], *, is_filtered: bool) -> Iterator[Row]:
        """The rows that are shown, or would be without a filter and with all groups unfolded."""
        last = 0
        for element in elements:
            # Both numbers may be left out, and then count on.
            last = max(_number(element.get("r", "")) or last + 1, last + 1)
            is_hidden = _is_set(element, "hidden") and element.get("outlineLevel", "0") == "0"
            if is_hidden and not is_filtered:
                yield Row(last, {}, is_hidden=True)
            else:
                yield Row(last, self._cells(element))

    def _cells(self, row: Element) -> dict[int, str]:
        cells: dict[int, str] = {}
        column = -1
        for cell in row:
            if cell.tag != _CELL:
                continue
            address = _ADDRESS.fullmatch(cell.get("r", ""))
            column = column_number(address[1]) if address else column + 1
            text = self._text(cell).strip()
            if text:
                cells[column] = text
        return cells

    def _text(self, cell: Element) -> str:
        kind = cell.get("t", "n")
        if kind == "inlineStr":
            inline = cell.find(_INLINE)
            return _text_of(inline) if inline is not None else ""
        found = cell.find(_VALUE)
        value = (found.text if found is not None else None) or ""
        if not value and kind != "str":
            return _formula(cell)
        match kind:
            case "s":
                number = _number(value)
                return self._strings[number] if value and number < len(self._strings) else ""
            case "b":
                return {"1": "TRUE", "0": "FALSE"}.get(value, value)
            case "n" if value:
                style = _number(cell.get("s", "0"))
                form = self._formats[style] if style < len(self._formats) else GENERAL
                return shown_number(value, form, from_1904=self._from_1904)
            case _:
                return cleaned(value)


def _formula(cell: Element) -> str:
    """A formula that no program has computed yet, as it is written; with its value it is never told."""
    found = cell.find(_FORMULA)
    formula = cleaned((found.text if found is not None else None) or "").strip()
    return f"={formula}" if formula else ""


def _number(text: str) -> int:
    return int(text) if _DIGITS.fullmatch(text) else 0


def _is_set(element: Element | None, name: str) -> bool:
    return element is not None and element.get(name, "0") in ("1", "true")
