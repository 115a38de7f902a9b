"""PPTX: slides as pages, each with its texts, tables and diagrams, and with what the speaker wrote below it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.office.formulas import OFFICE_FORMULA, office_formula_text
from sourcebook.ingest.parsers.office.properties import office_properties
from sourcebook.ingest.parsers.office.slides import Slide, SlideText
from sourcebook.ingest.parsers.page_progress import page_read
from sourcebook.ingest.parsers.sections import PARAGRAPH
from sourcebook.ingest.parsers.zip_and_xml import Package, reading

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.parsed_text import ParsedText
    from sourcebook.ingest.parsers.xml_element import Element

KIND = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
_PRESENTATION = "ppt/presentation.xml"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_PARAGRAPH, _RUN, _FIELD, _BREAK, _TEXT = (f"{_A}{name}" for name in ("p", "r", "fld", "br", "t"))
_TABLE, _ROW, _CELL = (f"{_A}{name}" for name in ("tbl", "tr", "tc"))
_SHAPE, _TREE, _HOLDER, _SLIDE = (f"{_P}{name}" for name in ("sp", "spTree", "ph", "sldId"))
_TITLES = ("title", "ctrTitle")
# Numbers, dates and footers, which stand on every slide.
_RUNNING = ("sldNum", "dt", "ftr", "hdr")


def parse_pptx(data: bytes) -> ParsedText:
    """The slides in their order, each a page and a section by its title. Hidden slides are left out."""
    package = Package(data, "PPTX")
    with reading("PPTX"):
        slides = _slides(package)
        title, metadata = office_properties(package)
        return slides.parsed(title, metadata, KIND)


def _slides(package: Package) -> SlideText:
    text = SlideText()
    relations = package.relations(_PRESENTATION)
    listed = list(package.xml(_PRESENTATION).iter(_SLIDE))
    for number, entry in enumerate(listed, start=1):
        part = relations.get(entry.get(_ID, ""), ("", ""))[1]
        slide = package.xml_if_there(part)
        if slide is not None and slide.get("show", "1") not in ("0", "false"):
            text.add(number, _slide(package, part, slide))
        page_read(number, len(listed))
    return text


def _slide(package: Package, part: str, slide: Element) -> Slide:
    title = ""
    blocks: list[str] = []
    # The date on the slide that opens a presentation is its own.
    is_first = any(holder.get("type", "") == "ctrTitle" for holder in slide.iter(_HOLDER))
    for shape in _shapes(slide):
        if shape.tag == _TABLE:
            blocks.append("\n".join(_rows(shape)))
            continue
        kind = _holder(shape)
        if kind in _RUNNING and not (kind == "dt" and is_first):
            continue
        paragraphs = list(_paragraphs(shape))
        if kind in _TITLES and not title:
            title = one_line(" ".join(paragraphs))
        else:
            blocks.append(_listed(shape) if kind == "body" else PARAGRAPH.join(paragraphs))
    related = package.relations(part).values()
    for kind, inner in related:
        if kind == "diagramData" and inner in package.names:
            blocks.append("\n".join(_paragraphs(package.xml(inner))))
    notes = [inner for kind, inner in related if kind == "notesSlide" and inner in package.names]
    return Slide(title, blocks, "\n".join(line for inner in notes[:1] for line in _notes(package.xml(inner))))


def _shapes(element: Element) -> Iterator[Element]:
    """The shapes with text and the tables, in the order in which they are drawn, also those in groups."""
    for child in element:
        if child.tag in (_SHAPE, _TABLE):
            yield child
        elif child.tag != _FALLBACK:
            yield from _shapes(child)


def _holder(shape: Element) -> str:
    holder = next(shape.iter(_HOLDER), None)
    return holder.get("type", "body") if holder is not None else ""


def _notes(notes: Element) -> Iterator[str]:
    for shape in _shapes(notes):
        if shape.tag == _SHAPE and _holder(shape) == "body":
            yield from _paragraphs(shape)


def _rows(table: Element) -> Iterator[str]:
    for row in table.iter(_ROW):
        cells = [one_line(" ".join(_paragraphs(cell))) for cell in row if cell.tag == _CELL]
        if any(cells):
            yield f"| {' | '.join(cells)} |"


def _paragraphs(element: Element) -> Iterator[str]:
    for paragraph in element.iter(_PARAGRAPH):
        words = cleaned("".join(_pieces(paragraph))).strip()
        if words:
            yield words


def _listed(shape: Element) -> str:
    """The paragraphs of the body of a slide, which are items of a list unless they say that they are none."""
    text, number = "", 0
    for paragraph in shape.iter(_PARAGRAPH):
        words = cleaned("".join(_pieces(paragraph))).strip()
        if not words:
            continue
        properties = paragraph.find(f"{_A}pPr")
        is_item = properties is None or properties.find(f"{_A}buNone") is None
        is_counted = properties is not None and properties.find(f"{_A}buAutoNum") is not None
        number = number + 1 if is_counted else 0
        level = properties.get("lvl", "0") if properties is not None else "0"
        indent = "  " * (int(level) if level in "12345678" else 0)
        mark = f"{number}." if is_counted else "-"
        text += f"\n{indent}{mark} {words}" if is_item else f"{PARAGRAPH}{words}"
    # A body of one paragraph is no list.
    return text[len("\n- ") :] if text.startswith("\n- ") and text.count("\n") == 1 else text


def _pieces(paragraph: Element) -> Iterator[str]:
    for child in paragraph:
        if child.tag == _BREAK:
            yield "\n"
        elif child.tag in (_RUN, _FIELD):
            found = child.find(_TEXT)
            yield (found.text or "") if found is not None else ""
        else:
            for formula in child.iter(OFFICE_FORMULA):
                yield office_formula_text(formula)
