"""Headings of a document that has no styles for them: lines in larger letters than the text, or in bold ones."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.ingest.parsers.sections import Heading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sourcebook.ingest.parsers.xml_element import Element

_LARGER = 1.15
_LONGEST = 100
_MOST_LEVELS = 3
_MOST_OF_TEXT = 0.3
"""If more of a text is in large letters, they are a matter of taste."""
_ENDS = (".", ",", ";", ":", "!", "…")


class PlacedParagraph(NamedTuple):
    """A paragraph that may be a heading: where it begins in the text, what it says there, and its element."""

    start: int
    words: str
    element: Element


class Look(NamedTuple):
    """The size of letters in half points, the smallest if there are several, and whether all of them are bold."""

    size: int
    is_bold: bool

    def with_letters(self, size: int, *, is_bold: bool) -> Look:
        return Look(min(self.size or size, size), self.is_bold and is_bold)


NO_LOOK = Look(0, is_bold=True)


def headings_by_letters(
    paragraphs: Sequence[PlacedParagraph], pieces: Callable[[Element], Iterable[tuple[str, Look]]]
) -> list[Heading]:
    """The paragraphs whose letters make them headings, for a document that has no others.

    `pieces` are the texts of a paragraph with the letters that each is written in.
    """
    lines = LargeLines()
    for start, words, element in paragraphs:
        look = NO_LOOK
        for text, letters in pieces(element):
            if any(map(str.isalpha, text)):
                look = look.with_letters(letters.size, is_bold=letters.is_bold)
                lines.count(letters.size, len(text))
        lines.add(start, look, words)
    return list(lines.headings())


class LargeLines:
    """The sizes of letters in one file, and the paragraphs that may be headings."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._lines: list[tuple[int, Look, str]] = []

    def count(self, size: int, length: int) -> None:
        """So many letters have this size."""
        self._counts[size] += length

    def add(self, start: int, look: Look, words: str) -> None:
        """A paragraph of the text: where it begins, and what it looks like."""
        is_short = len(words) <= _LONGEST and "\n" not in words and not words.endswith(_ENDS)
        if is_short and look.size and any(map(str.isalpha, words)):
            self._lines.append((start, look, words))

    def headings(self) -> Iterator[Heading]:
        """The lines in larger letters than most of the text has; the larger, the higher. Bold ones are last."""
        usual = max(self._counts, key=lambda size: self._counts[size], default=0)
        large = self._few([line for line in self._lines if line[1].size >= usual * _LARGER])
        bold = self._few([line for line in self._lines if line[1].is_bold and line[1].size >= usual])
        looks = sorted({look for _, look, _ in (*large, *bold)}, reverse=True)
        levels = {look: min(level, _MOST_LEVELS) for level, look in enumerate(looks, start=1)}
        for start, look, words in sorted({*large, *bold}):
            yield Heading(start, levels[look], words)

    def _few(self, lines: list[tuple[int, Look, str]]) -> list[tuple[int, Look, str]]:
        share = sum(len(words) for _, _, words in lines) / max(sum(self._counts.values()), 1)
        return lines if share <= _MOST_OF_TEXT else []
