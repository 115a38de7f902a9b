"""Slides of any presentation as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from sourcebook.ingest.parsers.parsed_text import PageSpan, ParsedText
from sourcebook.ingest.parsers.sections import PARAGRAPH, Heading, TextBuilder, sections_of

if TYPE_CHECKING:
    from sourcebook.model.documents import Metadata

LONGEST_TITLE = 100
_MOST_PLACED = 300
"""On a slide with more shapes they are the parts of a drawing."""
Shape = TypeVar("Shape")


@dataclass(frozen=True, slots=True)
class Slide:
    """What stands on a slide, and what the speaker wrote below it, unless that is damaged (`is_missing_notes`)."""

    title: str
    blocks: Sequence[str]
    notes: str = ""
    is_missing_notes: bool = False


class Box(NamedTuple):
    """Where a shape stands on its slide, in any unit."""

    left: float
    top: float
    right: float
    bottom: float


def in_reading_order(shapes: Sequence[tuple[Shape, Box | None]]) -> list[Shape]:
    """The shapes in the order in which they were drawn, but none before another that stands wholly above it.

    Shapes side by side, and those that overlap, keep the order of their author.
    """
    placed: list[tuple[Shape, Box | None]] = []
    for shape, box in shapes[:_MOST_PLACED]:
        below = [at for at, (_, other) in enumerate(placed) if box and other and _is_above(box, other)]
        placed.insert(below[0] if below else len(placed), (shape, box))
    return [shape for shape, _ in (*placed, *shapes[_MOST_PLACED:])]


def the_largest(sizes: Sequence[tuple[Shape, float]]) -> Shape | None:
    """The shape whose letters are larger than those of all others, if there are others."""
    by_size = sorted(sizes, key=lambda item: item[1], reverse=True)
    is_one = len(by_size) > 1 and by_size[0][1] > by_size[1][1]
    return by_size[0][0] if is_one else None


def _is_above(box: Box, other: Box) -> bool:
    return box.bottom <= other.top and box.left < other.right and other.left < box.right


class SlideText:
    """The text of the slides that are written into it. Each is a page, and a section by its title."""

    def __init__(self) -> None:
        self._built = TextBuilder()
        self._pages: list[PageSpan] = []
        self._first_title: str | None = None
        self._without_notes: list[int] = []

    def add(self, number: int, slide: Slide) -> None:
        if slide.is_missing_notes:
            self._without_notes.append(number)
        start = len(self._built) + (len(PARAGRAPH) if len(self._built) else 0)
        if slide.title:
            self._built.add_heading(slide.title, 1)
            self._first_title = self._first_title or slide.title
        else:
            # Nothing of the slide before goes on here.
            self._built.headings.append(Heading(start, 1, ""))
        for block in (*slide.blocks, slide.notes):
            self._built.add(block)
        if len(self._built) > start:
            self._pages.append(PageSpan(number, start, len(self._built)))
        else:
            self._built.headings.pop()

    def parsed(self, title: str | None, metadata: Metadata, kind: str) -> ParsedText:
        """The text of all slides. The metadata say which notes could not be read."""
        if self._without_notes:
            slides = ", ".join(map(str, self._without_notes))
            metadata = {**metadata, "not_read": f"damaged notes of slides: {slides}"}
        return ParsedText(
            self._built.text(),
            title or self._first_title,
            metadata,
            sections_of(self._built.headings),
            self._pages,
            kind,
        )
