"""Where the headings of a PDF stand in its text: by its outline, or by the size of its letters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.sections import LONGEST_NAME, Heading

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.pdf.layout import PageBlock

HEADING_SIZE = 1.15
"""Letters this many times larger than most are those of a heading."""
LONGEST_HEADING = 200
DEEPEST_LEVEL = 4
_NUMBER_LENGTH = 20
"""How many letters may stand before the words of the outline: `Chapter 3`, `2.1.4`."""


class PlacedBlock(NamedTuple):
    """A block, the page it is on, and where it begins in the text."""

    page: int
    start: int
    block: PageBlock


class Bookmark(NamedTuple):
    """An entry of the outline: its level from 1, its words, the page it leads to, and how high on it."""

    level: int
    name: str
    page: int
    height: float | None


def headings_of_outline(bookmarks: Iterable[Bookmark], blocks: Sequence[PlacedBlock]) -> list[Heading]:
    """The entries of an outline at the blocks that say the same, or else at those nearest to where they lead."""
    by_page: dict[int, list[PlacedBlock]] = {}
    for placed in blocks:
        by_page.setdefault(placed.page, []).append(placed)
    headings: list[Heading] = []
    for bookmark in bookmarks:
        name = one_line(cleaned(bookmark.name))[:LONGEST_NAME]
        found = _place(bookmark, by_page.get(bookmark.page, []))
        if name and found is not None:
            headings.append(Heading(found.start, bookmark.level, name))
    return sorted(headings, key=lambda heading: heading.start)


def _place(bookmark: Bookmark, blocks: Sequence[PlacedBlock]) -> PlacedBlock | None:
    if not blocks:
        return None
    height = bookmark.height
    wanted = _letters(bookmark.name)
    same = [placed for placed in blocks if _says(placed.block, wanted)]
    if same and height is not None:
        return min(same, key=lambda placed: abs(placed.block.baseline - height))
    if same or height is None:
        return (same or blocks)[0]
    below = [placed for placed in blocks if placed.block.baseline <= height]
    return max(below, key=lambda placed: placed.block.baseline, default=blocks[0])


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _says(block: PageBlock, wanted: str) -> bool:
    beginning = _letters(block.text[: 2 * len(wanted) + 2 * _NUMBER_LENGTH])
    return bool(wanted) and wanted in beginning[: len(wanted) + _NUMBER_LENGTH]


def headings_of_sizes(blocks: Sequence[PlacedBlock], body: float) -> list[Heading]:
    """The blocks in larger letters than the text; the larger they are, the higher their level."""
    large = [placed for placed in blocks if is_heading(placed.block, body)]
    sizes = sorted({round(placed.block.size, 0) for placed in large}, reverse=True)
    return [
        Heading(placed.start, level, one_line(placed.block.text)[:LONGEST_NAME])
        for placed in large
        if (level := sizes.index(round(placed.block.size, 0)) + 1) <= DEEPEST_LEVEL
    ]


def is_heading(block: PageBlock, body: float) -> bool:
    """Whether a block is set in larger letters; of what was read from a picture nobody knows the size."""
    letters = sum(character.isalpha() for character in block.text)
    return (
        block.size > 0
        and block.size >= HEADING_SIZE * body
        and len(block.text) <= LONGEST_HEADING
        and letters > 1
    )
