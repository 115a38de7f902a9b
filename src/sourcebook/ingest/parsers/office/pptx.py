"""PPTX: slides as pages, each with its texts, tables, diagrams and charts, and with what the speaker wrote below it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.clean_text import cleaned, one_line, without_soft_breaks
from sourcebook.ingest.parsers.item_numbers import item_number
from sourcebook.ingest.parsers.office.charts import CHART_NAMES, Charts
from sourcebook.ingest.parsers.office.formulas import OFFICE_FORMULA, office_formula_text
from sourcebook.ingest.parsers.office.properties import office_properties
from sourcebook.ingest.parsers.office.slides import (
    LONGEST_TITLE,
    Box,
    Slide,
    SlideText,
    in_reading_order,
    the_largest,
)
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
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_ID, _DIAGRAM = f"{_R}id", f"{_R}dm"
_CHART = f"{{{CHART_NAMES}}}chart"
_DIAGRAM_PARTS = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_PARAGRAPH, _RUN, _FIELD, _BREAK, _TEXT = (f"{_A}{name}" for name in ("p", "r", "fld", "br", "t"))
_TABLE, _ROW, _CELL = (f"{_A}{name}" for name in ("tbl", "tr", "tc"))
_SHAPE, _TREE, _HOLDER, _SLIDE = (f"{_P}{name}" for name in ("sp", "spTree", "ph", "sldId"))
_TITLES = ("title", "ctrTitle")
_USUAL_SIZE = 1800
_LEVELS = "012345678"
_FRAME, _FRAME_PLACE, _SHAPE_PLACE = f"{_P}graphicFrame", f"{_P}xfrm", f"{_P}spPr/{_A}xfrm"
_DISTANCE = re.compile(r"-?\d{1,12}", re.ASCII)
_NUMBER = re.compile(r"\d{1,5}", re.ASCII)
_FORMS = {"arabic": "1", "alphaLc": "a", "alphaUc": "A", "romanLc": "i", "romanUc": "I"}
_NUMBERS = re.compile(rf"({'|'.join(_FORMS)})(Period|Paren\w+|Plain)?")
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
    text, charts = SlideText(), Charts(package)
    main = package.main_part(_PRESENTATION)
    relations = package.relations(main)
    listed = list(package.xml(main).iter(_SLIDE))
    for number, entry in enumerate(listed, start=1):
        part = relations.get(entry.get(_ID, ""), ("", ""))[1]
        slide = package.xml_if_there(part)
        if slide is not None and slide.get("show", "1") not in ("0", "false"):
            text.add(number, _slide(package, charts, part, slide))
        page_read(number, len(listed))
    return text


def _slide(package: Package, charts: Charts, part: str, slide: Element) -> Slide:
    title = ""
    blocks: list[str] = []
    # The date on the slide that opens a presentation is its own.
    is_first = any(holder.get("type", "") == "ctrTitle" for holder in slide.iter(_HOLDER))
    shapes = in_reading_order([(shape, _box(shape)) for shape in _shapes(slide)])
    largest = _in_largest_letters(shapes)
    drawings = _Drawings(package, charts, part)
    for shape in shapes:
        if shape.tag == _TABLE:
            blocks.append("\n".join(_rows(shape)))
            continue
        if shape.tag == _FRAME:
            blocks.append(drawings.tell(shape))
            continue
        kind = _holder(shape)
        if kind in _RUNNING and not (kind == "dt" and is_first):
            continue
        if (kind in _TITLES or shape is largest) and not title:
            title = one_line(" ".join(_paragraphs(shape)))
        else:
            blocks.append(_listed(shape, is_body=kind == "body"))
    blocks += drawings.rest()
    related = package.relations(part).values()
    named = [inner for kind, inner in related if kind == "notesSlide" and inner in package.names][:1]
    notes = package.xml_if_intact(named[0]) if named else None
    said = "\n".join(_notes(notes)) if notes is not None else ""
    return Slide(title, blocks, said, is_missing_notes=bool(named) and notes is None)


class _Drawings:
    """The charts and diagrams of one slide, which lie in other parts of the file."""

    def __init__(self, package: Package, charts: Charts, part: str) -> None:
        self._package = package
        self._charts = charts
        self._parts = {
            name: (kind, inner)
            for name, (kind, inner) in package.relations(part).items()
            if kind in ("chart", "diagramData")
        }

    def tell(self, frame: Element) -> str:
        """What is drawn in a frame."""
        names = [element.get(_ID, "") for element in frame.iter(_CHART)]
        names += [element.get(_DIAGRAM, "") for element in frame.iter(_DIAGRAM_PARTS)]
        return "\n\n".join(text for name in names if (text := self._told(name)))

    def rest(self) -> list[str]:
        """What no frame of the slide has named."""
        return [self._told(name) for name in list(self._parts)]

    def _told(self, name: str) -> str:
        kind, inner = self._parts.pop(name, ("", ""))
        if kind == "chart":
            return self._charts.tell(inner)
        diagram = self._package.xml_if_intact(inner) if kind else None
        return "\n".join(_paragraphs(diagram)) if diagram is not None else ""


def _box(shape: Element) -> Box | None:
    """Where a shape or table stands on its slide; None if its layout says that, or if it is a part of a group."""
    frame = next(shape.iterancestors(_FRAME), None) if shape.tag == _TABLE else shape
    parent = frame.getparent() if frame is not None else None
    place = None
    if frame is not None:
        place = frame.find(_FRAME_PLACE if frame.tag == _FRAME else _SHAPE_PLACE)
    if parent is None or parent.tag != _TREE or place is None:
        return None
    begin, size = place.find(f"{_A}off"), place.find(f"{_A}ext")
    if begin is None or size is None:
        return None
    said = (begin.get("x", ""), begin.get("y", ""), size.get("cx", ""), size.get("cy", ""))
    if not all(_DISTANCE.fullmatch(number) for number in said):
        return None
    left, top, width, height = map(int, said)
    return Box(left, top, left + width, top + height)


def _in_largest_letters(shapes: Sequence[Element]) -> Element | None:
    """The shape that serves as a title on a slide without one: a single line in larger letters than all others."""
    texts = [shape for shape in shapes if shape.tag == _SHAPE and any(_paragraphs(shape))]
    if any(_holder(shape) in _TITLES for shape in texts):
        return None
    largest = the_largest([(shape, _size(shape)) for shape in texts])
    if largest is None or _holder(largest):
        return None
    lines = list(_paragraphs(largest))
    return largest if len(lines) == 1 and len(lines[0]) <= LONGEST_TITLE else None


def _size(shape: Element) -> int:
    """The size of the largest letters, as far as it is said there."""
    sizes = [run.get("sz", "") for run in shape.iter(f"{_A}rPr")]
    return max((int(size) for size in sizes if _NUMBER.fullmatch(size)), default=_USUAL_SIZE)


def _shapes(element: Element) -> Iterator[Element]:
    """The shapes with text, tables and other frames, in the order in which they are drawn, also those in groups."""
    for child in element:
        if child.tag in (_SHAPE, _TABLE) or (child.tag == _FRAME and next(child.iter(_TABLE), None) is None):
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
        words = without_soft_breaks(cleaned("".join(_pieces(paragraph))).strip())
        if words:
            yield words


def _listed(shape: Element, *, is_body: bool) -> str:
    """The paragraphs of a shape. In the body of a slide they are items unless they say no, elsewhere if they say so."""
    text = ""
    counts: dict[int, int] = {}
    for paragraph in shape.iter(_PARAGRAPH):
        words = without_soft_breaks(cleaned("".join(_pieces(paragraph))).strip())
        if not words:
            continue
        properties = paragraph.find(f"{_A}pPr")
        said = properties.get("lvl", "0") if properties is not None else "0"
        level = int(said) if said in _LEVELS else 0
        mark = _mark(properties, level, counts, is_body=is_body)
        text += f"\n{'  ' * level}{mark} {words}" if mark else f"{PARAGRAPH}{words}"
    # A body of one paragraph is no list.
    return text[len("\n- ") :] if text.startswith("\n- ") and text.count("\n") == 1 else text


def _mark(properties: Element | None, level: int, counts: dict[int, int], *, is_body: bool) -> str:
    """What stands before a paragraph: a number, a bullet or nothing. Items below it are counted anew."""
    for deeper in [other for other in counts if other > level]:
        del counts[deeper]
    numbered = properties.find(f"{_A}buAutoNum") if properties is not None else None
    if numbered is not None:
        start = numbered.get("startAt", "1")
        first = int(start) if _NUMBER.fullmatch(start) else 1
        counts[level] = counts.get(level, first - 1) + 1
        kind = _NUMBERS.match(numbered.get("type", ""))
        form, end = (kind[1], kind[2] or "") if kind else ("arabic", "Period")
        return f"{item_number(counts[level], _FORMS[form])}{')' if end.startswith('Paren') else '.'}"
    counts.pop(level, None)
    if properties is not None and properties.find(f"{_A}buNone") is not None:
        return ""
    has_bullet = properties is not None and properties.find(f"{_A}buChar") is not None
    return "-" if is_body or has_bullet else ""


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
