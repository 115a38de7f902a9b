"""Headings become sections, and blocks of text become one text that knows where each heading stands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.parsed_text import Section

LONGEST_NAME = 300
"""A heading that is longer is cut in the path; the text has all of it."""
PARAGRAPH = "\n\n"
LINE = "\n"


class Heading(NamedTuple):
    """Where a heading stands in the text, its level (1 is the highest) and its words."""

    start: int
    level: int
    name: str


def sections_of(headings: Iterable[Heading]) -> list[Section]:
    """Each heading with the ones above it: `Care > Pruning`."""
    sections: list[Section] = []
    path: list[Heading] = []
    for heading in headings:
        path = [outer for outer in path if outer.level < heading.level]
        if heading.name:
            path.append(heading)
        sections.append(Section(heading.start, " > ".join(outer.name for outer in path)))
    return sections


class TextBuilder:
    """A text made of blocks, and the headings among them."""

    def __init__(self) -> None:
        self.headings: list[Heading] = []
        self._pieces: list[str] = []
        self._length = 0

    def add(self, block: str, gap: str = PARAGRAPH) -> None:
        """Add a block, with the gap before it. Invisible characters are left out, and a block without others too."""
        block = cleaned(block).strip("\n").rstrip()
        if block.strip():
            self._put(gap, block)

    def add_heading(self, words: str, level: int) -> None:
        name = one_line(cleaned(words))
        if name:
            self._put(PARAGRAPH, name)
            self.headings.append(Heading(self._length - len(name), level, name[:LONGEST_NAME]))

    def text(self) -> str:
        return "".join(self._pieces)

    def __len__(self) -> int:
        return self._length

    def _put(self, gap: str, block: str) -> None:
        for piece in (gap if self._pieces else "", block):
            self._pieces.append(piece)
            self._length += len(piece)
