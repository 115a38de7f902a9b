"""Slides of any presentation as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.parsed_text import PageSpan, ParsedText
from sourcebook.ingest.parsers.sections import PARAGRAPH, Heading, TextBuilder, sections_of

if TYPE_CHECKING:
    from sourcebook.model.documents import Metadata


@dataclass(frozen=True, slots=True)
class Slide:
    """What stands on a slide, and what the speaker wrote below it, unless that is damaged (`is_missing_notes`)."""

    title: str
    blocks: Sequence[str]
    notes: str = ""
    is_missing_notes: bool = False


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
