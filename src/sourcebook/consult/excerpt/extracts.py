"""Excerpts of the texts that were read, and the passages that they are quoted from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.passage_surroundings import document_of

if TYPE_CHECKING:
    from sourcebook.consult.excerpt.excerpt import Excerpt, ExcerptMaker
    from sourcebook.consult.excerpt.read_texts import ReadText
    from sourcebook.consult.excerpt.stretches import Stretch
    from sourcebook.model.search import SearchResult


@dataclass(frozen=True, slots=True)
class Extract:
    """An excerpt, the index of its passage among those found, and the text that it is a span of.

    `source` is the passage, joined with overlapping ones.
    """

    passage: int
    excerpt: Excerpt
    source: SearchResult
    chance: float = 1.0
    """How probably its best unit, or one of its rows, is what answers, of all that could be chosen."""

    def says_the_same(self, other: Extract) -> bool:
        """Whether one excerpt contains the other, or they overlap in their document."""
        if self.excerpt.text in other.excerpt.text or other.excerpt.text in self.excerpt.text:
            return True
        if document_of(self.source) != document_of(other.source):
            return False
        (start, end), (first, last) = self._span, other._span
        return start < last and first < end

    @property
    def _span(self) -> tuple[int, int]:
        begin = self.source.chunk.start_index
        return begin + self.excerpt.start, begin + self.excerpt.end


@dataclass(frozen=True, slots=True)
class QuotableTexts:
    """The texts that may be quoted, what makes excerpts of each, and the passages that they were read from."""

    passages: Sequence[SearchResult]
    texts: Sequence[ReadText]
    makers: Sequence[ExcerptMaker]

    def chance(self, number: int, i: int) -> float:
        """How probably a unit of this text is what answers."""
        return self.makers[number].stretches.chances[i]

    def extract(self, number: int, stretch: Stretch) -> Extract:
        """A stretch of this text."""
        shown = self.makers[number].shown(stretch)
        return self._extract(number, stretch.best, shown, self.chance(number, stretch.best))

    def extract_of_rows(self, number: int, rows: Sequence[int], *, is_open: bool) -> Extract:
        """These rows of a table in this text. `is_open`: it may have more of them."""
        shown = self.makers[number].of_rows(rows, is_open=is_open)
        return self._extract(number, rows[0], shown, sum(self.chance(number, i) for i in rows))

    def _extract(self, number: int, i: int, shown: Excerpt, chance: float) -> Extract:
        text = self.texts[number]
        place = text.found.place_at(text.units[i].start, text.units[i].end, self.passages)
        return Extract(place, shown, text.found.whole, chance)
