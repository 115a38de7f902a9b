"""OpenDocument: texts (ODT), sheets (ODS) and presentations (ODP), whose content lies in one XML."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from sourcebook.errors import DamagedFile, EncryptedFile
from sourcebook.ingest.parsers.large_lines import headings_by_letters
from sourcebook.ingest.parsers.office.merged_cells import with_merged
from sourcebook.ingest.parsers.office.opendocument_letters import OpenDocumentLetterStyles
from sourcebook.ingest.parsers.office.opendocument_objects import EmbeddedObjects
from sourcebook.ingest.parsers.office.opendocument_sheets import OpenDocumentSheets
from sourcebook.ingest.parsers.office.opendocument_slides import OpenDocumentSlides
from sourcebook.ingest.parsers.office.opendocument_text import (
    OFFICE,
    STYLE,
    TABLE,
    OpenDocumentReader,
    TextStyles,
)
from sourcebook.ingest.parsers.office.properties import metadata_of, title_said_by
from sourcebook.ingest.parsers.office.sheets import SheetText
from sourcebook.ingest.parsers.office.slides import SlideText
from sourcebook.ingest.parsers.opening_title import opening_title
from sourcebook.ingest.parsers.page_progress import page_read
from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.sections import sections_of
from sourcebook.ingest.parsers.zip_and_xml import Package, reading

if TYPE_CHECKING:
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
_PIECE = 1024 * 1024


def parse_odt(data: bytes) -> ParsedText:
    """The text with its headings as sections; rows of tables are lines, and notes stand below their paragraph."""
    package = _opened(data, "ODT")
    with reading("ODT"):
        content = package.xml(_CONTENT)
        body = next(content.iter(f"{OFFICE}text"), None)
        if body is None:
            raise DamagedFile("The file is not an intact ODT: it has no text.")
        styles = package.xml_if_there("styles.xml")
        reader = OpenDocumentReader(TextStyles(content, styles), EmbeddedObjects(package))
        reader.read(body)
        if not reader.built.headings:
            letters = OpenDocumentLetterStyles(styles, content)
            reader.built.headings += headings_by_letters(reader.plain, letters.pieces)
        title, metadata = _properties(package)
        sections = sections_of(reader.built.headings)
        text = reader.built.text()
        return ParsedText(text, title or opening_title(text), metadata, sections, kind=f"{KIND}.text")


def parse_ods(data: bytes) -> ParsedText:
    """Every sheet is a section, every row says `column: value`, as they are shown. Hidden sheets are left out."""
    package = _opened(data, "ODS")
    with reading("ODS"):
        text = SheetText()
        is_only = _count(package, b"<table:table ") == 1
        sheets = OpenDocumentSheets(package, _hidden_tables(package))
        for number, (name, own) in enumerate(groupby(sheets.rows(), key=itemgetter(0)), start=1):
            rows = with_merged((row for _, row in own), sheets.areas)
            text.add(name, rows, sheets.beside, is_only=is_only)
            page_read(number, number)
        title, metadata = _properties(package)
        sections = sections_of(text.built.headings)
        return ParsedText(text.built.text(), title, metadata, sections, kind=f"{KIND}.spreadsheet")


def parse_odp(data: bytes) -> ParsedText:
    """The slides in their order, each a page and a section by its title, with its notes. Hidden ones are left out."""
    package = _opened(data, "ODP")
    with reading("ODP"):
        text = SlideText()
        objects = EmbeddedObjects(package)
        slides = OpenDocumentSlides(package.xml(_CONTENT), package.xml_if_there("styles.xml"), objects)
        for number, page in enumerate(slides.pages, start=1):
            if slides.is_shown(page):
                text.add(number, slides.slide(page, is_first=number == 1))
            page_read(number, len(slides.pages))
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
