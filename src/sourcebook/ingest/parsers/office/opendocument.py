"""OpenDocument: texts (ODT), sheets (ODS) and presentations (ODP), whose content lies in one XML."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from sourcebook.errors import DamagedFile, EncryptedFile, FileOverLimit
from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.office.formulas import formula_text
from sourcebook.ingest.parsers.office.opendocument_lists import number_in
from sourcebook.ingest.parsers.office.opendocument_text import (
    DRAW,
    OFFICE,
    PRESENTATION,
    STYLE,
    TABLE,
    TEXT,
    OpenDocumentReader,
    TextStyles,
)
from sourcebook.ingest.parsers.office.properties import metadata_of, title_said_by
from sourcebook.ingest.parsers.office.sheets import SheetText
from sourcebook.ingest.parsers.office.slides import Slide, SlideText
from sourcebook.ingest.parsers.opening_title import opening_title
from sourcebook.ingest.parsers.page_progress import page_read
from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.sections import sections_of
from sourcebook.ingest.parsers.table_rows import Row
from sourcebook.ingest.parsers.zip_and_xml import Package, joined, reading

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.xml_element import Element
    from sourcebook.model.documents import Metadata

KIND = "application/vnd.oasis.opendocument"
_CONTENT = "content.xml"
_DC = "{http://purl.org/dc/elements/1.1/}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"
_MANIFEST = "{urn:oasis:names:tc:opendocument:xmlns:manifest:1.0}"
_SAID = {
    "author": f"{_META}initial-creator",
    "subject": f"{_DC}subject",
    "keywords": f"{_META}keyword",
    "date": f"{_META}creation-date",
}
_MOST_REPEATED = 1_000
"""A row or cell with text that repeats more often is a fill of the sheet, not content."""
_MOST_OF_FORMULAS = 1_000_000
"""What all formulas of a text may hold: more than a book of them, and little beside the longest text."""
_PIECE = 1024 * 1024
_TITLES = ("title", "subtitle")
_RUNNING = ("header", "footer", "date-time", "page-number")


def parse_odt(data: bytes) -> ParsedText:
    """The text with its headings as sections; rows of tables are lines, and notes stand below their paragraph."""
    package = _opened(data, "ODT")
    with reading("ODT"):
        content = package.xml(_CONTENT)
        body = next(content.iter(f"{OFFICE}text"), None)
        if body is None:
            raise DamagedFile("The file is not an intact ODT: it has no text.")
        styles = TextStyles(content, package.xml_if_there("styles.xml"))
        reader = OpenDocumentReader(styles, _Formulas(package).at)
        reader.read(body)
        title, metadata = _properties(package)
        sections = sections_of(reader.built.headings)
        text = reader.built.text()
        return ParsedText(text, title or opening_title(text), metadata, sections, kind=f"{KIND}.text")


class _Formulas:
    """The formulas that lie in a package as objects of their own. Each is read once, however often it is shown."""

    def __init__(self, package: Package) -> None:
        self._package = package
        self._read: dict[str, str] = {}
        self._length = 0

    def at(self, place: str) -> str:
        """The text of the object at a place, if it is a formula that can be read."""
        part = joined("", f"{place.rstrip('/')}/{_CONTENT}") if place else ""
        if part not in self._read:
            self._read[part] = self._text(part)
        text = self._read[part]
        self._length += len(text)
        if self._length > _MOST_OF_FORMULAS:
            raise FileOverLimit(f"The formulas contain more than {_MOST_OF_FORMULAS:,} characters.")
        return text

    def _text(self, part: str) -> str:
        # The text around a formula that is damaged or no real one is worth having without it.
        with suppress(DamagedFile, FileOverLimit), reading("formula"):
            root = self._package.xml_if_there(part)
            if root is not None and str(root.tag).endswith("}math"):
                return formula_text(root)
        return ""


def parse_ods(data: bytes) -> ParsedText:
    """Every sheet is a section, every row says `column: value`, as they are shown. Hidden sheets are left out."""
    package = _opened(data, "ODS")
    with reading("ODS"):
        text = SheetText()
        is_only = _count(package, b"<table:table ") == 1
        rows = _rows(package, _hidden_tables(package))
        for number, (name, own) in enumerate(groupby(rows, key=itemgetter(0)), start=1):
            text.add(name, (row for _, row in own), is_only=is_only)
            page_read(number, number)
        title, metadata = _properties(package)
        sections = sections_of(text.built.headings)
        return ParsedText(text.built.text(), title, metadata, sections, kind=f"{KIND}.spreadsheet")


def parse_odp(data: bytes) -> ParsedText:
    """The slides in their order, each a page and a section by its title, with its notes."""
    package = _opened(data, "ODP")
    with reading("ODP"):
        text = SlideText()
        content = package.xml(_CONTENT)
        styles = TextStyles(content, package.xml_if_there("styles.xml"))
        slides = list(content.iter(f"{DRAW}page"))
        for number, slide in enumerate(slides, start=1):
            text.add(number, _slide(slide, styles, is_first=number == 1))
            page_read(number, len(slides))
        title, metadata = _properties(package)
        return text.parsed(title, metadata, f"{KIND}.presentation")


def _opened(data: bytes, kind: str) -> Package:
    package = Package(data, kind)
    with reading(kind):
        manifest = package.xml_if_there("META-INF/manifest.xml")
        if manifest is not None and next(manifest.iter(f"{_MANIFEST}encryption-data"), None) is not None:
            raise EncryptedFile
    return package


def _properties(package: Package) -> tuple[str | None, Metadata]:
    root = package.xml_if_there("meta.xml")
    meta = root.find(f"{OFFICE}meta") if root is not None else None
    return (title_said_by(meta), metadata_of(meta, _SAID)) if meta is not None else (None, {})


def _count(package: Package, words: bytes) -> int:
    with package.open(_CONTENT) as stream:
        return sum(line.count(words) for line in iter(lambda: stream.read(_PIECE), b""))


def _hidden_tables(package: Package) -> frozenset[str]:
    """The styles of tables that are not shown."""
    styles = next(package.elements(_CONTENT, f"{OFFICE}automatic-styles"), None)
    return frozenset(
        style.get(f"{STYLE}name", "")
        for style in (styles.iter(f"{STYLE}style") if styles is not None else ())
        if (properties := style.find(f"{STYLE}table-properties")) is not None
        and properties.get(f"{TABLE}display", "true") == "false"
    )


def _rows(package: Package, hidden: frozenset[str]) -> Iterator[tuple[str, Row]]:
    """The rows of all sheets that are shown, with the name of their sheet. No sheet is ever held whole."""
    reader = OpenDocumentReader()
    number, last = 0, ""
    for element in package.elements(_CONTENT, f"{TABLE}table-row"):
        table = next(element.iterancestors(f"{TABLE}table"), None)
        if table is None or table.get(f"{TABLE}style-name", "") in hidden:
            continue
        name = cleaned(table.get(f"{TABLE}name", ""))
        number, last = (number if name == last else 0), name
        times = number_in(element.get(f"{TABLE}number-rows-repeated", ""), 1)
        cells = dict(_cells(reader, element))
        shown = min(times, _MOST_REPEATED) if cells else 0
        yield from ((name, Row(number + repeated, cells)) for repeated in range(1, shown + 1))
        number += times


def _cells(reader: OpenDocumentReader, row: Element) -> Iterator[tuple[int, str]]:
    column = 0
    for cell in row:
        if cell.tag not in (f"{TABLE}table-cell", f"{TABLE}covered-table-cell"):
            continue
        times = number_in(cell.get(f"{TABLE}number-columns-repeated", ""), 1)
        text = "\n".join(reader.words(p) for p in cell if p.tag == f"{TEXT}p").strip()
        if text and cell.tag == f"{TABLE}table-cell":
            for repeated in range(min(times, _MOST_REPEATED)):
                yield column + repeated, text
        column += times


def _slide(page: Element, styles: TextStyles, *, is_first: bool) -> Slide:
    title = ""
    body, notes = OpenDocumentReader(styles), OpenDocumentReader(styles)
    for shape in page:
        if shape.tag == f"{PRESENTATION}notes":
            for frame in shape.iter(f"{DRAW}frame"):
                if frame.get(f"{PRESENTATION}class", "") == "notes":
                    notes.read(frame)
            continue
        kind = shape.get(f"{PRESENTATION}class", "")
        # The date on the slide that opens a presentation is its own.
        if kind in _RUNNING and not (is_first and kind == "date-time"):
            continue
        if kind in _TITLES and not title:
            reader = OpenDocumentReader(styles)
            reader.read(shape)
            title = one_line(reader.built.text())
        else:
            body.read(shape)
    return Slide(title, [body.built.text()], notes.built.text())
