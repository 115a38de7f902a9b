"""The slides of OpenDocument presentations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.clean_text import one_line
from sourcebook.ingest.parsers.office.opendocument_text import (
    DRAW,
    LEFT_OUT,
    PRESENTATION,
    STYLE,
    TEXT,
    OpenDocumentReader,
    TextStyles,
)
from sourcebook.ingest.parsers.office.slides import LONGEST_TITLE, Box, Slide, in_reading_order, the_largest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sourcebook.ingest.parsers.office.opendocument_objects import EmbeddedObjects
    from sourcebook.ingest.parsers.xml_element import Element

_SVG = "{urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0}"
_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_TITLES = ("title", "subtitle")
_RUNNING = ("header", "footer", "date-time", "page-number")
_LENGTH = re.compile(r"(-?\d{1,6}(?:\.\d{1,9})?)(cm|mm|in|pt)", re.ASCII)
_IN_CM = {"cm": 1.0, "mm": 0.1, "in": 2.54, "pt": 2.54 / 72}
_STYLE_NAMES = (
    f"{TEXT}style-name",
    f"{PRESENTATION}style-name",
    f"{DRAW}style-name",
    f"{DRAW}text-style-name",
)
_USUAL_SIZE = 18.0


class OpenDocumentSlides:
    """Reads the slides of one presentation."""

    def __init__(self, content: Element, styles: Element | None, objects: EmbeddedObjects) -> None:
        self._styles = TextStyles(content, styles)
        self._objects = objects
        self._hidden = _hidden_pages(content)
        self._sizes = dict(_sizes(content))
        self.pages = list(content.iter(f"{DRAW}page"))

    def is_shown(self, page: Element) -> bool:
        return page.get(f"{DRAW}style-name", "") not in self._hidden

    def slide(self, page: Element, *, is_first: bool) -> Slide:
        """A slide with its title and its notes. The date on the slide that opens a presentation is its own."""
        title = ""
        body, notes = self._reader(), self._reader()
        shapes = [shape for shape in page if isinstance(shape.tag, str) and shape.tag not in LEFT_OUT]
        placed = in_reading_order([(shape, _box(shape)) for shape in shapes])
        largest = None if _has_title(shapes) else self._in_largest_letters(shapes)
        for shape in placed:
            kind = shape.get(f"{PRESENTATION}class", "")
            if shape.tag == f"{PRESENTATION}notes":
                for frame in shape.iter(f"{DRAW}frame"):
                    if frame.get(f"{PRESENTATION}class", "") == "notes":
                        notes.read(frame)
            elif kind in _RUNNING and not (is_first and kind == "date-time"):
                continue
            elif (kind in _TITLES or shape is largest) and not title:
                title = one_line(self._text(shape))
            else:
                body.read_shape(shape)
        return Slide(title, [body.built.text()], notes.built.text())

    def _reader(self) -> OpenDocumentReader:
        return OpenDocumentReader(self._styles, self._objects)

    def _text(self, shape: Element) -> str:
        reader = self._reader()
        reader.read_shape(shape)
        return reader.built.text()

    def _in_largest_letters(self, shapes: Sequence[Element]) -> Element | None:
        """The shape that serves as a title on a slide without one: a single line in larger letters than all others."""
        texts = [
            (shape, self._size(shape))
            for shape in shapes
            if shape.tag != f"{PRESENTATION}notes" and (self._words(shape) or _has_object(shape))
        ]
        found = the_largest(texts)
        if found is None or found.get(f"{PRESENTATION}class", ""):
            return None
        words = self._words(found)
        return found if 0 < len(words) <= LONGEST_TITLE and "\n" not in words else None

    def _words(self, shape: Element) -> str:
        """What a shape says without its charts and formulas: only what is told of them counts towards their limit."""
        reader = OpenDocumentReader(self._styles)
        reader.read_shape(shape)
        return reader.built.text().strip()

    def _size(self, shape: Element) -> float:
        """The size of the largest letters, as far as it is said there."""
        named = [shape, *shape.iter(f"{TEXT}p"), *shape.iter(f"{TEXT}span")]
        names = (element.get(name, "") for element in named for name in _STYLE_NAMES)
        return max((self._sizes[name] for name in names if name in self._sizes), default=_USUAL_SIZE)


def _has_object(shape: Element) -> bool:
    return next(shape.iter(f"{DRAW}object"), None) is not None


def _has_title(shapes: Sequence[Element]) -> bool:
    return any(
        shape.get(f"{PRESENTATION}class", "") in _TITLES and next(shape.iter(f"{TEXT}p"), None) is not None
        for shape in shapes
    )


def _hidden_pages(content: Element) -> frozenset[str]:
    """The styles of slides that are not shown."""
    return frozenset(
        style.get(f"{STYLE}name", "")
        for style in content.iter(f"{STYLE}style")
        if (properties := style.find(f"{STYLE}drawing-page-properties")) is not None
        and properties.get(f"{PRESENTATION}visibility", "visible") == "hidden"
    )


def _sizes(content: Element) -> Iterator[tuple[str, float]]:
    """The sizes of letters that styles say, in points."""
    for style in content.iter(f"{STYLE}style"):
        properties = style.find(f"{STYLE}text-properties")
        said = _LENGTH.fullmatch(properties.get(f"{_FO}font-size", "")) if properties is not None else None
        if said and said[2] == "pt":
            yield style.get(f"{STYLE}name", ""), float(said[1])


def _box(shape: Element) -> Box | None:
    """Where a shape stands on its slide; None if that is not said, or if it is turned."""
    lengths = [_LENGTH.fullmatch(shape.get(f"{_SVG}{name}", "")) for name in ("x", "y", "width", "height")]
    left, top, width, height = (float(said[1]) * _IN_CM[said[2]] if said else None for said in lengths)
    if left is None or top is None or width is None or height is None:
        return None
    return Box(left, top, left + width, top + height)
