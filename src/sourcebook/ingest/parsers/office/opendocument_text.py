"""The text inside the XML of OpenDocument: words of paragraphs, and texts, lists and tables as blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.clean_text import cleaned, one_line, without_soft_breaks
from sourcebook.ingest.parsers.large_lines import PlacedParagraph
from sourcebook.ingest.parsers.office.opendocument_lists import Counts, ListNumbers, number_in
from sourcebook.ingest.parsers.sections import LINE, PARAGRAPH, TextBuilder
from sourcebook.ingest.parsers.table_lines import rows_in_cells

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.office.opendocument_objects import EmbeddedObjects
    from sourcebook.ingest.parsers.xml_element import Element

_NS = "urn:oasis:names:tc:opendocument:xmlns:"
OFFICE, TEXT, TABLE, DRAW, STYLE = (
    f"{{{_NS}{name}:1.0}}" for name in ("office", "text", "table", "drawing", "style")
)
PRESENTATION = f"{{{_NS}presentation:1.0}}"
_LONG_MARK = re.compile(r"\w[.\-]\w")
_MOST_SPACES = 100
_MOST_COVERED = 64
_LONGEST_VALUE = 500
_LISTINGS = frozenset({"Preformatted_20_Text", "Source_20_Code", "Source_Code"})

_PARAGRAPHS = (f"{TEXT}p", f"{TEXT}h")
_BLOCKS = (*_PARAGRAPHS, f"{TEXT}list", f"{TABLE}table")
_SPACE, _TAB, _BREAK, _NOTE = (f"{TEXT}{name}" for name in ("s", "tab", "line-break", "note"))
_STYLED = (f"{TEXT}span", *_PARAGRAPHS)
_OBJECT, LINK = f"{DRAW}object", "{http://www.w3.org/1999/xlink}href"
_BOX = f"{DRAW}text-box"
SHAPES = tuple(
    f"{DRAW}{name}"
    for name in (
        "custom-shape",
        "g",
        "rect",
        "ellipse",
        "circle",
        "polygon",
        "path",
        "caption",
        "connector",
        "line",
    )
)
_CELL = f"{TABLE}table-cell"
_COVERED = f"{TABLE}covered-table-cell"
_COMMENT = "{http://openoffice.org/2009/office}annotation"
# What is not shown, was deleted, is told twice, or belongs to the margin.
LEFT_OUT = frozenset(
    [
        f"{TEXT}{name}"
        for name in ("tracked-changes", "table-of-content", "illustration-index", "alphabetical-index")
    ]
    + [
        f"{TEXT}{name}"
        for name in ("hidden-text", "hidden-paragraph", "ruby-text", "note-citation", "sequence-decls")
    ]
    + [_COMMENT, f"{OFFICE}annotation", f"{OFFICE}forms", f"{DRAW}image", f"{DRAW}object", _NOTE, _BOX]
)
_INSIDE = frozenset([*SHAPES, _COMMENT, f"{OFFICE}annotation", f"{OFFICE}forms", _BOX, _NOTE])


def _hidden_styles(*roots: Element | None) -> frozenset[str]:
    """The styles whose text nobody sees."""
    names: set[str] = set()
    for root in roots:
        for style in root.iter(f"{STYLE}style") if root is not None else ():
            properties = style.find(f"{STYLE}text-properties")
            if properties is not None and properties.get(f"{TEXT}display", "") == "none":
                names.add(style.get(f"{STYLE}name", ""))
    return frozenset(names)


def _listings(*roots: Element | None) -> frozenset[str]:
    """The styles of paragraphs that are lines of a listing, and those that are made from them."""
    parents = {
        style.get(f"{STYLE}name", ""): style.get(f"{STYLE}parent-style-name", "")
        for root in roots
        for style in (root.iter(f"{STYLE}style") if root is not None else ())
    }
    made = {name for name, parent in parents.items() if parent in _LISTINGS}
    return frozenset(_LISTINGS | made)


def _uncounted(*roots: Element | None) -> frozenset[str]:
    """The styles of headings without a number among headings that have one."""
    return frozenset(
        style.get(f"{STYLE}name", "")
        for root in roots
        for style in (root.iter(f"{STYLE}style") if root is not None else ())
        if style.get(f"{STYLE}list-style-name", "-") == ""
    )


class TextStyles:
    """What the styles of a document say about its text: which is hidden, which a listing, and how lists count."""

    def __init__(self, *roots: Element | None) -> None:
        self.hidden = _hidden_styles(*roots)
        self.uncounted = _uncounted(*roots)
        self.numbers = ListNumbers(*roots)
        self.listings = _listings(*roots)


class OpenDocumentReader:
    """Writes the blocks of one document into a text."""

    def __init__(self, styles: TextStyles | None = None, objects: EmbeddedObjects | None = None) -> None:
        """`objects` are the formulas and charts of the document; without them they are left out."""
        self.built = TextBuilder()
        self._objects = objects
        self._styles = styles or TextStyles()
        self._notes: list[Element] = []
        self._is_in_listing = False
        self._note_count = 0
        self.plain: list[PlacedParagraph] = []

    def read(self, container: Element, indent: int = -1) -> None:
        """Everything in the container, in its order."""
        for child in container:
            if child.get(f"{TEXT}display", "") == "none" or self._is_hidden(child):
                continue
            if child.tag in _PARAGRAPHS:
                self._paragraph(child, "")
            elif child.tag == f"{TEXT}list":
                self._list(child, indent + 1)
            elif child.tag == f"{TABLE}table":
                self._is_in_listing = False
                self._table(child)
            elif child.tag == _BOX:
                self.read(child)
            elif child.tag == _OBJECT:
                self._object(child)
            elif child.tag not in LEFT_OUT and isinstance(child.tag, str):
                self.read(child, indent)

    def read_shape(self, shape: Element) -> None:
        """A shape that stands by itself, whatever kind of shape it is."""
        if shape.tag == _OBJECT:
            self._object(shape)
        elif shape.tag not in LEFT_OUT:
            self.read(shape)

    def _paragraph(self, paragraph: Element, mark: str) -> None:
        is_listing = paragraph.get(f"{TEXT}style-name", "") in self._styles.listings
        words = self.words(paragraph)
        words = words.rstrip() if is_listing else without_soft_breaks(words.strip())
        gap = LINE if mark or (is_listing and self._is_in_listing) else PARAGRAPH
        self._is_in_listing = is_listing
        if words.strip():
            level = number_in(paragraph.get(f"{TEXT}outline-level", ""), 0)
            if paragraph.tag == f"{TEXT}h":
                self._heading(paragraph, words, min(max(level, 1), 9), mark)
            else:
                self.built.add(mark + words, gap)
                self._may_be_heading(paragraph, mark + words, is_listing=is_listing)
        self._read_notes()
        for box in _boxes(paragraph):
            self.read(box)
        for drawn in _hanging(paragraph, _OBJECT):
            self.built.add(self._objects.chart_at(drawn.get(LINK, "")) if self._objects is not None else "")

    def _may_be_heading(self, paragraph: Element, words: str, *, is_listing: bool) -> None:
        """Remember a paragraph that was added last, in case that only its letters tell that it is a heading."""
        parent = paragraph.getparent()
        is_boxed = parent is not None and parent.tag in _INSIDE
        if not (is_listing or is_boxed or self.built.headings or words.startswith((" ", "-"))):
            words = cleaned(words)
            self.plain.append(PlacedParagraph(len(self.built) - len(words), one_line(words), paragraph))

    def _object(self, drawn: Element) -> None:
        """A formula or a chart that stands by itself."""
        if self._objects is not None:
            place = drawn.get(LINK, "")
            self.built.add(self._objects.formula_at(place) or self._objects.chart_at(place))

    def _read_notes(self) -> None:
        """What was noted in a paragraph stays below it."""
        notes, self._notes = self._notes, []
        for note in notes:
            self._note_count += 1
            body = note.find(f"{TEXT}note-body")
            inner = (self.words(p) for tag in _PARAGRAPHS for p in body.iter(tag)) if body is not None else ()
            self.built.add(f"[{self._note_count}] {one_line(' '.join(inner))}", LINE)

    def _heading(self, heading: Element, words: str, level: int, mark: str) -> None:
        is_counted = heading.get(f"{TEXT}style-name", "") not in self._styles.uncounted
        if not mark.strip(" -") and is_counted:
            mark = self._styles.numbers.heading_mark(heading, level)
        # "2.1 Watering" is a heading; "2. Watering" could be an item.
        self.built.add_heading(f"{mark.strip(' -').removesuffix('.')} {words}", level)

    def _list(self, items: Element, indent: int, outer: str = "", counts: Counts | None = None) -> None:
        name = items.get(f"{TEXT}style-name", outer)
        counts = self._styles.numbers.begun(items, name) if counts is None else counts
        for item in items:
            mark = ""
            if item.tag == f"{TEXT}list-item" and any(child.tag in _PARAGRAPHS for child in item):
                start = item.get(f"{TEXT}start-value", "")
                mark = self._styles.numbers.mark(counts, name, indent + 1, start) or "-"
                # Items in items are indented, unless their number says what they belong to.
                mark = ("" if _LONG_MARK.search(mark) else "  " * min(indent, 20)) + f"{mark} "
            for child in item:
                if child.tag == f"{TEXT}list":
                    self._list(child, indent + 1, name, counts)
                elif child.tag in _PARAGRAPHS:
                    self._paragraph(child, mark)
                    mark = ""

    def _table(self, table: Element) -> None:
        gap = PARAGRAPH
        if _only_arranges(table):
            for cell in (cell for row in rows_of(table) for cell in row if cell.tag == _CELL):
                self.read(cell)
            return
        for row in rows_of(table):
            for cells in rows_in_cells([cell for part in row for cell in self._cells(part)]):
                if any(cells):
                    self.built.add(f"| {' | '.join(cells)} |", gap)
                    gap = LINE
        self._read_notes()

    def _cells(self, cell: Element) -> Iterator[str]:
        """The lines of a cell. One that another reaches into is empty, so that the next stay in their columns."""
        if cell.tag == _CELL:
            yield "\n".join(self._cell(cell))
        elif cell.tag == _COVERED:
            count = number_in(cell.get(f"{TABLE}number-columns-repeated", ""), 1)
            yield from [""] * min(count, _MOST_COVERED)

    def _cell(self, cell: Element) -> Iterator[str]:
        for child in cell:
            if child.tag in _PARAGRAPHS:
                yield self.words(child)
                for box in _boxes(child):
                    yield from self._cell(box)
            elif child.tag == _BOX or (child.tag not in LEFT_OUT and isinstance(child.tag, str)):
                yield from self._cell(child)

    def words(self, paragraph: Element) -> str:
        return cleaned("".join(self._pieces(paragraph)))

    def _pieces(self, element: Element) -> Iterator[str]:
        yield _spaces(element.text)
        for child in element:
            if child.tag == _NOTE:
                self._notes.append(child)
                yield f"[{self._note_count + len(self._notes)}]"
            elif child.tag == _OBJECT and self._objects is not None:
                yield self._objects.formula_at(child.get(LINK, ""))
            elif child.tag == _SPACE:
                yield " " * min(number_in(child.get(f"{TEXT}c", ""), 1), _MOST_SPACES)
            elif child.tag == _TAB:
                yield "\t"
            elif child.tag == _BREAK:
                yield "\n"
            elif child.tag in SHAPES:
                # It stands beside the text, and is read behind its paragraph.
                pass
            elif child.tag not in LEFT_OUT and isinstance(child.tag, str) and not self._is_hidden(child):
                yield from self._pieces(child)
            yield _spaces(child.tail)

    def _is_hidden(self, element: Element) -> bool:
        return element.tag in _STYLED and element.get(f"{TEXT}style-name", "") in self._styles.hidden


def rows_of(table: Element) -> Iterator[Element]:
    """The rows of a table, also those that are grouped or repeated as its head."""
    for child in table:
        if child.tag == f"{TABLE}table-row":
            yield child
        elif child.tag in (
            f"{TABLE}table-rows",
            f"{TABLE}table-row-group",
            f"{TABLE}table-header-rows",
        ):
            yield from rows_of(child)


def _only_arranges(table: Element) -> bool:
    """Whether a table holds parts of the document rather than values.

    Those are headings with their text, tables with text around them, or paragraphs one below another.
    """
    rows = [[cell for cell in row if cell.tag == _CELL and _length(cell)] for row in rows_of(table)]
    cells = [cell for row in rows for cell in row]
    blocks = [[part for part in cell if part.tag in _BLOCKS and _length(part)] for cell in cells]
    for cell, parts in zip(cells, blocks, strict=True):
        tags = {part.tag for part in parts}
        # The head of a column may be a heading alone.
        if f"{TEXT}h" in tags and len(tags) > 1:
            return True
        if f"{TABLE}table" in tags and _length(cell) > _LONGEST_VALUE:
            return True
    return max(map(len, rows), default=0) == 1 and max(map(len, blocks), default=0) > 1


def _length(element: Element) -> int:
    """How many letters the element holds."""
    own = len((element.text or "").strip())
    return own + sum(_length(child) + len((child.tail or "").strip()) for child in element)


def _boxes(paragraph: Element) -> Iterator[Element]:
    """The boxes of text and the shapes that hang on a paragraph."""
    return (found for tag in (_BOX, *SHAPES) for found in _hanging(paragraph, tag))


def _hanging(paragraph: Element, tag: str) -> Iterator[Element]:
    """The boxes of text or the objects that hang on a paragraph; those inside of boxes come with them."""
    for found in paragraph.iter(tag):
        parent = found.getparent()
        while parent is not None and parent is not paragraph and parent.tag not in _INSIDE:
            parent = parent.getparent()
        if parent is paragraph:
            yield found


def _spaces(text: str | None) -> str:
    """White space of the XML is a single space; more of it is written as elements."""
    if not text:
        return ""
    return re.sub(r"[ \t\r\n]+", " ", text)
