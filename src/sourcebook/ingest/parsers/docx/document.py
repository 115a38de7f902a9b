"""DOCX: paragraphs, headings, lists, tables and footnotes in the order of the document.

What Word shows is read wherever it lies in the XML: in insertions, content controls and text boxes too. Comments,
headers and footers are not text of the document, and macros are never looked at.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sourcebook.errors import DamagedFile
from sourcebook.ingest.parsers.clean_text import cleaned, one_line, without_soft_breaks
from sourcebook.ingest.parsers.docx.letters import DocxLetterStyles
from sourcebook.ingest.parsers.docx.lists import Lists
from sourcebook.ingest.parsers.docx.styles import ParagraphStyles
from sourcebook.ingest.parsers.docx.xml import VALUE, qn, value_of
from sourcebook.ingest.parsers.large_lines import PlacedParagraph, headings_by_letters
from sourcebook.ingest.parsers.office.charts import CHART_NAMES, Charts
from sourcebook.ingest.parsers.office.formulas import OFFICE_MATH, office_formula_text
from sourcebook.ingest.parsers.office.properties import office_properties
from sourcebook.ingest.parsers.opening_title import opening_title
from sourcebook.ingest.parsers.parsed_text import ParsedText
from sourcebook.ingest.parsers.sections import LINE, PARAGRAPH, TextBuilder, sections_of
from sourcebook.ingest.parsers.shown_beginning import ShownBeginning
from sourcebook.ingest.parsers.table_lines import rows_in_cells
from sourcebook.ingest.parsers.zip_and_xml import Package, reading

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sourcebook.ingest.parsers.docx.styles import ListPlace
    from sourcebook.ingest.parsers.xml_element import Element

_SMALLEST_SIZE = 4
"""In half points: smaller letters cannot be read."""

_TEXT, _TAB, _BREAK, _RETURN, _HYPHEN = (
    qn(f"w:{name}") for name in ("t", "tab", "br", "cr", "noBreakHyphen")
)
_SIGNS: dict[object, str] = {_TAB: "\t", _BREAK: "\n", _RETURN: "\n", _HYPHEN: "-"}
_RUN, _PARAGRAPH, _TABLE, _ROW, _CELL = (qn(f"w:{name}") for name in ("r", "p", "tbl", "tr", "tc"))
_PROPERTIES, _TEXT_BOX = (qn(f"w:{name}") for name in ("pPr", "txbxContent"))
_BODY = qn("w:body")
_CHART = f"{{{CHART_NAMES}}}chart"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_NOTE_MARKS: dict[object, str] = {
    qn("w:footnoteReference"): "footnotes",
    qn("w:endnoteReference"): "endnotes",
}
_ID = qn("w:id")
# What was deleted, what is shown instead of a drawing that is shown anyway, and what belongs to no line of text.
_LEFT_OUT = frozenset(
    [qn(f"w:{name}") for name in ("del", "moveFrom", "pPr", "rPr", "sdtPr", "txbxContent", "sectPr", "rt")]
    + ["{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"]
)
_CELL_PROPERTIES, _SPAN, _ROW_PROPERTIES, _COLUMNS_BEFORE = (
    qn(f"w:{name}") for name in ("tcPr", "gridSpan", "trPr", "gridBefore")
)
_DELETED_ROW = "/".join(map(qn, ("w:trPr", "w:del")))
_DELETED_END = "/".join(map(qn, ("w:pPr", "w:rPr", "w:del")))
_FRAME, _DROPPED = qn("w:framePr"), qn("w:dropCap")
_LONG_MARK = re.compile(r"\w[.\-]\w")
_WIDEST_CELL = 64
_LONGEST_VALUE = 500
KIND = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_PARTS = ("styles", "numbering", "footnotes", "endnotes")


def parse_docx(data: bytes) -> ParsedText:
    """The text with its headings as sections; rows of tables are lines. Deleted and hidden text is left out."""
    package = Package(data, "DOCX")
    with reading("DOCX"):
        reader = _Reader(package)
        reader.read()
        title, metadata = office_properties(package)
        text = reader.built.text()
        return ParsedText(
            text,
            title or reader.title or opening_title(text),
            metadata,
            sections_of(reader.built.headings),
            kind=KIND,
        )


class _Reader:
    """Goes through one document."""

    def __init__(self, package: Package) -> None:
        self.built = TextBuilder()
        self.title = ""
        self._is_in_listing = False
        self._begun: list[str] = []
        self._anchors: list[Element] = []
        self._leading: Element | None = None
        """Of paragraphs that became one, the first that says anything: the whole is what that was, such as an item."""
        main = package.main_part("word/document.xml")
        body = package.xml(main).find(_BODY)
        if body is None:
            raise DamagedFile("The main part of the file is not a document.")
        self._body = body
        relations = package.relations(main)
        self._chart_at = {name: part for name, (kind, part) in relations.items() if kind == "chart"}
        self._charts = Charts(package)
        related = {kind: package.xml_if_there(part) for kind, part in relations.values() if kind in _PARTS}
        self._styles = ParagraphStyles(related.get("styles"))
        self._letters = DocxLetterStyles(related.get("styles"))
        self._plain: list[PlacedParagraph] = []
        self._lists = Lists(related.get("numbering"), self._styles.list_of)
        self._notes: dict[tuple[object, str], Element] = {
            (tag, note.get(_ID, "")): note
            for tag, kind in _NOTE_MARKS.items()
            if (part := related.get(kind)) is not None
            for note in part
        }
        self._wanted_notes: list[tuple[object, str]] = []
        self._read_note_count = 0

    def read(self) -> None:
        beginning = ShownBeginning(self.built)
        for block in _blocks(self._body):
            self._block(block)
            if not self._begun:
                self._read_notes()
            if self.built.headings:
                self._plain = []
                beginning.grown()
        self._end_paragraph()
        self._read_notes()
        if not self.built.headings:
            self.built.headings += headings_by_letters(self._plain, self._letters.pieces)

    def _block(self, block: Element) -> None:
        if block.tag == _TABLE:
            self._is_in_listing = False
            self._end_paragraph()
            self._table(block)
            return
        words, is_initial = self._words(block), _is_initial(block)
        self._begun.append(words.strip() if is_initial else words)
        self._anchors.append(block)
        if self._leading is None and words.strip() and not is_initial:
            self._leading = block
        if not is_initial and not _goes_on(block):
            words, self._begun = "".join(self._begun), []
            self._paragraph(self._leading if self._leading is not None else block, words)
            self._read_anchored()

    def _read_anchored(self) -> None:
        """The boxes and charts that hang on a paragraph, behind the whole of it."""
        anchors, self._anchors, self._leading = self._anchors, [], None
        for anchor in anchors:
            for box in _boxes(anchor):
                self._blocks(box)
            self._tell_charts(anchor, _LEFT_OUT)

    def _tell_charts(self, block: Element, left_out: frozenset[str]) -> None:
        for chart in block.iter(_CHART):
            part = self._chart_at.get(chart.get(_RELATION, ""))
            if part is not None and not _is_left_out(chart.getparent(), block, left_out):
                self.built.add(self._charts.tell(part))

    def _blocks(self, container: Element) -> None:
        """What a box or a cell holds. No paragraph in it goes on outside of it."""
        for block in _blocks(container):
            self._block(block)
        self._end_paragraph()

    def _table(self, table: Element) -> None:
        rows = list(_rows(table))
        if self._only_arranges(rows):
            for row in rows:
                for cell in _cells(row):
                    self._blocks(cell)
            return
        gap = PARAGRAPH
        for row in rows:
            # A cell over several columns leaves the others empty, so that each stays in its column.
            texts = [text for cell in _cells(row) for text in (self._cell(cell), *[""] * (_width(cell) - 1))]
            for cells in rows_in_cells(texts):
                if any(cells):
                    self.built.add(f"| {' | '.join([*[''] * _columns_before(row), *cells])} |", gap)
                    gap = LINE
        # A cell is one line, and a chart is several: those in boxes come here too.
        self._tell_charts(table, _LEFT_OUT - {_TEXT_BOX})

    def _only_arranges(self, rows: Sequence[Element]) -> bool:
        """Whether a table holds parts of the document rather than values.

        Those are headings with their text, tables with text around them, or paragraphs one below another.
        """
        cells = [[cell for cell in _cells(row) if _says_something(cell)] for row in rows]
        if any(self._has_heading(cell) or _is_page(cell) for row in cells for cell in row):
            return True
        counts = (sum(map(_says_something, _blocks(cell))) for row in cells for cell in row)
        return max(map(len, cells), default=0) == 1 and max(counts, default=0) > 1

    def _has_heading(self, cell: Element) -> bool:
        """Whether it holds a heading with a text below. The head of a column may be a heading alone."""
        blocks = [block for block in _blocks(cell) if _says_something(block)]
        levels = [block.tag == _PARAGRAPH and self._styles.of(block).level for block in blocks]
        return any(levels) and not all(levels)

    def _cell(self, cell: Element) -> str:
        return "\n".join(self._cell_words(cell))

    def _cell_words(self, container: Element) -> Iterator[str]:
        for block in _blocks(container):
            if block.tag == _TABLE:
                yield from (one_line(self._cell(inner)) for row in _rows(block) for inner in _cells(row))
                continue
            yield f"{self._mark(block) or ''} {self._words(block)}"
            for box in _boxes(block):
                yield from self._cell_words(box)

    def _paragraph(self, paragraph: Element, words: str) -> None:
        style = self._styles.of(paragraph)
        words = words.rstrip() if style.is_listing else without_soft_breaks(words.strip())
        goes_on, self._is_in_listing = style.is_listing and self._is_in_listing, style.is_listing
        if not words.strip() or style.is_contents:
            return
        if style.is_title:
            self.title = self.title or one_line(cleaned(words))
        mark = self._mark(paragraph)
        if style.level:
            # "2.1 Watering" is a heading; "2. Watering" could be an item.
            self.built.add_heading(f"{(mark or '').removesuffix('.')} {words}", style.level)
        elif mark is None:
            self.built.add(words, LINE if goes_on else PARAGRAPH)
            if not style.is_listing and not style.is_title:
                self._may_be_heading(paragraph, words)
        else:
            shown = f"{self._indent(paragraph, mark)}{mark or '-'} {words}"
            self.built.add(shown, LINE)
            if mark and shown.startswith(mark):
                self._may_be_heading(paragraph, shown)

    def _end_paragraph(self) -> None:
        """Write what was to go on in the next paragraph, if there is none."""
        words, self._begun = "".join(self._begun), []
        if self._leading is not None:
            self._paragraph(self._leading, words)
        else:
            self.built.add(words)
        self._read_anchored()

    def _may_be_heading(self, paragraph: Element, words: str) -> None:
        """Remember a paragraph that was added last, in case that only its letters tell that it is a heading."""
        parent = paragraph.getparent()
        if not self.built.headings and (parent is None or parent.tag != _TEXT_BOX):
            words = cleaned(words)
            self._plain.append(PlacedParagraph(len(self.built) - len(words), one_line(words), paragraph))

    def _mark(self, paragraph: Element) -> str | None:
        """What counts an item; nothing stands for a bullet. None if the paragraph is no item."""
        place = self._styles.place_in_list(paragraph)
        if place is None:
            return None
        return self._lists.mark(place.name, self._list_level(place))

    def _list_level(self, place: ListPlace) -> int:
        if place.level is not None:
            return place.level
        return self._lists.level_of_style(place.name, place.style)

    def _indent(self, paragraph: Element, mark: str) -> str:
        """Items in items are indented, unless their number says what they belong to: `2.1`."""
        place = self._styles.place_in_list(paragraph)
        return "  " * self._list_level(place) if place and not _LONG_MARK.search(mark) else ""

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


def _rows(table: Element) -> Iterator[Element]:
    """The rows of a table, also those that a content control wraps; not those of tables in its cells."""
    for child in table:
        if child.tag == _ROW:
            if child.find(_DELETED_ROW) is None:
                yield child
        elif child.tag not in _LEFT_OUT:
            yield from _rows(child)


def _cells(row: Element) -> Iterator[Element]:
    """The cells of a row, also those that a content control wraps, as most fields of forms are."""
    for child in row:
        if child.tag == _CELL:
            yield child
        elif child.tag not in _LEFT_OUT:
            yield from _cells(child)


def _boxes(block: Element) -> Iterator[Element]:
    """The boxes of text that hang on a paragraph; those inside of them come with them."""
    for box in block.iter(_TEXT_BOX):
        if not _is_left_out(box.getparent(), block):
            yield box


def _is_initial(paragraph: Element) -> bool:
    """Whether it holds only the large letter that the next paragraph begins with."""
    frame = paragraph.find(f"{_PROPERTIES}/{_FRAME}")
    return frame is not None and frame.get(_DROPPED, "none") != "none"


def _goes_on(paragraph: Element) -> bool:
    """Whether the end of a paragraph was deleted, so that it is one with the next."""
    return paragraph.find(_DELETED_END) is not None


def _is_page(cell: Element) -> bool:
    """Whether a cell holds a table, and more words than a value has."""
    length = sum(len(text.text or "") for text in cell.iter(_TEXT))
    return length > _LONGEST_VALUE and any(block.tag == _TABLE for block in _blocks(cell))


def _says_something(block: Element) -> bool:
    return any((text.text or "").strip() for text in block.iter(_TEXT))


def _columns_before(row: Element) -> int:
    """How many columns a row leaves free before its first cell."""
    return min(_number(value_of(row.find(_ROW_PROPERTIES), _COLUMNS_BEFORE), 0), _WIDEST_CELL)


def _width(cell: Element) -> int:
    """How many columns a cell takes."""
    return min(max(_number(value_of(cell.find(_CELL_PROPERTIES), _SPAN), 1), 1), _WIDEST_CELL)


def _number(said: str, default: int) -> int:
    return int(said) if _NUMBER.fullmatch(said) else default


def _is_left_out(element: Element | None, end: Element, left_out: frozenset[str] = _LEFT_OUT) -> bool:
    """Whether something between the two elements is not read."""
    while element is not None and element is not end:
        if element.tag in left_out:
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
