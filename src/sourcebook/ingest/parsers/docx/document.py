"""DOCX: paragraphs, headings, lists, tables and footnotes in the order of the document.

The package is opened by python-docx; the text is read from the XML itself, because a good part of what Word shows
(insertions, content controls, text boxes) lies where paragraphs of python-docx do not look. Macros are never looked at.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any, cast

from docx.opc.part import PartFactory
from docx.oxml import parse_xml
from docx.package import Package as OfficePackage
from docx.parts.document import DocumentPart

from sourcebook.errors import DamagedFile
from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.docx.styles import ListFormats, ParagraphStyles
from sourcebook.ingest.parsers.docx.xml import VALUE, qn
from sourcebook.ingest.parsers.office.formulas import OFFICE_MATH, office_formula_text
from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.sections import LINE, PARAGRAPH, TextBuilder, sections_of
from sourcebook.ingest.parsers.zip_and_xml import Package, reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docx.document import Document as OpenDocument

    from sourcebook.ingest.parsers.xml_element import Element
    from sourcebook.model.documents import JsonValue, Metadata

_SMALLEST_SIZE = 4
"""In half points: smaller letters cannot be read."""

_TEXT, _TAB, _BREAK, _RETURN, _HYPHEN = (
    qn(f"w:{name}") for name in ("t", "tab", "br", "cr", "noBreakHyphen")
)
_SIGNS: dict[object, str] = {_TAB: "\t", _BREAK: "\n", _RETURN: "\n", _HYPHEN: "-"}
_RUN, _PARAGRAPH, _TABLE, _ROW, _CELL = (qn(f"w:{name}") for name in ("r", "p", "tbl", "tr", "tc"))
_PROPERTIES, _TEXT_BOX = (qn(f"w:{name}") for name in ("pPr", "txbxContent"))
_NOTE_MARKS = tuple(qn(f"w:{name}") for name in ("footnoteReference", "endnoteReference"))
_ID = qn("w:id")
# What was deleted, what is shown instead of a drawing that is shown anyway, and what belongs to no line of text.
_LEFT_OUT = frozenset(
    [qn(f"w:{name}") for name in ("del", "moveFrom", "pPr", "rPr", "sdtPr", "txbxContent", "sectPr")]
    + ["{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"]
)
_CELL_PROPERTIES, _SPAN = (qn(f"w:{name}") for name in ("tcPr", "gridSpan"))
_WIDEST_CELL = 64
_NOTES_TYPES = ("/footnotes", "/endnotes")
_OTHER_KINDS = (
    "application/vnd.ms-word.document.macroEnabled.main+xml",
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
)


def parse_docx(data: bytes) -> ParsedText:
    """The text with its headings as sections; rows of tables are lines. Deleted and hidden text is left out."""
    Package(data, "DOCX")
    with reading("DOCX"):
        return _read(_opened(data))


def _opened(data: bytes) -> OpenDocument:
    """The document, also one with macros or a template, which are the same but for their names."""
    for kind in _OTHER_KINDS:
        PartFactory.part_type_for[kind] = DocumentPart
    part: object = OfficePackage.open(io.BytesIO(data)).main_document_part
    if not isinstance(part, DocumentPart):
        raise DamagedFile("The main part of the file is not a document.")
    return part.document


def _read(document: OpenDocument) -> ParsedText:
    reader = _Reader(document)
    reader.read()
    said = document.core_properties
    return ParsedText(
        reader.built.text(),
        title=one_line(cleaned(said.title or "")) or reader.title or None,
        metadata=_metadata(document),
        sections=sections_of(reader.built.headings),
        kind="application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    )


def _metadata(document: OpenDocument) -> Metadata:
    said = document.core_properties
    metadata: dict[str, JsonValue] = {
        key: text
        for key, value in (("author", said.author), ("subject", said.subject), ("keywords", said.keywords))
        if (text := one_line(cleaned(value or "")))
    }
    if said.created is not None:
        metadata["date"] = said.created.date().isoformat()
    return metadata


class _Reader:
    """Goes through one document."""

    def __init__(self, document: OpenDocument) -> None:
        self.built = TextBuilder()
        self.title = ""
        self._is_in_listing = False
        root: Any = document.element
        self._body: Element = root.body
        self._styles = ParagraphStyles(cast("Element", document.styles.element))
        self._lists = ListFormats(_part(document, "/numbering"))
        notes = [_part(document, kind) for kind in _NOTES_TYPES]
        self._notes: dict[tuple[object, str], Element] = {
            (tag, note.get(_ID, "")): note
            for tag, part in zip(_NOTE_MARKS, notes, strict=True)
            for note in (part if part is not None else ())
        }
        self._wanted_notes: list[tuple[object, str]] = []
        self._read_note_count = 0

    def read(self) -> None:
        for block in _blocks(self._body):
            self._block(block)
            self._read_notes()

    def _block(self, block: Element) -> None:
        if block.tag == _TABLE:
            self._is_in_listing = False
            for index, row in enumerate(block.iter(_ROW)):
                if _nearest(row, _TABLE) is block:
                    self._row(row, PARAGRAPH if index == 0 else LINE)
        else:
            self._paragraph(block)
            for box in block.iter(_TEXT_BOX):
                if not _is_left_out(box.getparent(), block):
                    for inner in _blocks(box):
                        self._block(inner)

    def _row(self, row: Element, gap: str) -> None:
        cells: list[str] = []
        for cell in row:
            if cell.tag == _CELL:
                # A cell over several columns leaves the others empty, so that each stays in its column.
                cells += [one_line(self._cell(cell)), *[""] * (_width(cell) - 1)]
        if any(cells):
            self.built.add(f"| {' | '.join(cells)} |", gap)

    def _cell(self, cell: Element) -> str:
        return " ".join(self._words(paragraph) for paragraph in cell.iter(_PARAGRAPH))

    def _paragraph(self, paragraph: Element) -> None:
        style = self._styles.of(paragraph)
        words = self._words(paragraph)
        words = words.rstrip() if style.is_listing else words.strip()
        goes_on, self._is_in_listing = style.is_listing and self._is_in_listing, style.is_listing
        if not words.strip() or style.is_contents:
            return
        if style.is_title:
            self.title = self.title or one_line(cleaned(words))
        if style.level:
            self.built.add_heading(words, style.level)
        else:
            mark = self._lists.mark(paragraph)
            self.built.add(mark + words, LINE if mark or goes_on else PARAGRAPH)

    def _words(self, paragraph: Element) -> str:
        return "".join(self._piece(child) for child in paragraph)

    def _piece(self, child: Element) -> str:
        if child.tag in _LEFT_OUT or (child.tag == _RUN and _is_hidden(child)):
            return ""
        if str(child.tag).startswith(OFFICE_MATH):
            return office_formula_text(child, self._piece)
        if child.tag == _TEXT:
            return child.text or ""
        if child.tag in _NOTE_MARKS:
            return self._note_mark(child)
        return _SIGNS[child.tag] if child.tag in _SIGNS else self._words(child)

    def _note_mark(self, reference: Element) -> str:
        self._wanted_notes.append((reference.tag, reference.get(_ID, "")))
        return f"[{len(self._wanted_notes)}]"

    def _read_notes(self) -> None:
        """The footnotes of a block below it, in the order of their marks."""
        while self._read_note_count < len(self._wanted_notes):
            wanted = self._wanted_notes[self._read_note_count]
            self._read_note_count += 1
            note = self._notes.get(wanted)
            if note is not None:
                words = " ".join(self._words(paragraph) for paragraph in note.iter(_PARAGRAPH))
                self.built.add(f"[{self._read_note_count}] {one_line(words)}", LINE)


def _blocks(container: Element) -> Iterator[Element]:
    """The paragraphs and tables, also those that a content control or the like wraps."""
    for child in container:
        if child.tag in (_PARAGRAPH, _TABLE):
            yield child
        elif child.tag not in _LEFT_OUT:
            yield from _blocks(child)


def _width(cell: Element) -> int:
    """How many columns a cell takes."""
    span = cell.find(f"{_CELL_PROPERTIES}/{_SPAN}")
    said = span.get(VALUE, "") if span is not None else ""
    return min(max(int(said), 1), _WIDEST_CELL) if _NUMBER.fullmatch(said) else 1


def _nearest(element: Element, tag: str) -> Element | None:
    return next(element.iterancestors(tag), None)


def _is_left_out(element: Element | None, end: Element) -> bool:
    """Whether something between the two elements is not read."""
    while element is not None and element is not end:
        if element.tag in _LEFT_OUT:
            return True
        element = element.getparent()
    return False


_RUN_PROPERTIES, _VANISH, _SIZE = (qn(f"w:{name}") for name in ("rPr", "vanish", "sz"))
_NUMBER = re.compile(r"\d{1,4}", re.ASCII)


def _is_hidden(run: Element) -> bool:
    properties = run.find(_RUN_PROPERTIES)
    if properties is None:
        return False
    vanish, size = properties.find(_VANISH), properties.find(_SIZE)
    if vanish is not None and vanish.get(VALUE, "true") not in ("0", "false", "off"):
        return True
    points = size.get(VALUE, "") if size is not None else ""
    return bool(_NUMBER.fullmatch(points)) and int(points) <= _SMALLEST_SIZE


def _part(document: OpenDocument, kind: str) -> Element | None:
    """A part that belongs to the document, or None."""
    for relation in document.part.rels.values():
        if relation.reltype.endswith(kind) and not relation.is_external:
            return cast("Element", parse_xml(relation.target_part.blob))
    return None
