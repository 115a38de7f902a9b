"""Which units of a text say something by themselves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.passage_surroundings import is_letter
from sourcebook.consult.question.asked_for.asks_about import asks_about
from sourcebook.model.chat import BETWEEN_HEADINGS
from sourcebook.text.layout.blocks import BlockKind
from sourcebook.text.layout.contents import is_contents, is_contents_line

if TYPE_CHECKING:
    from sourcebook.consult.excerpt.passage_units import Unit, Units
    from sourcebook.model.search import SearchResult

_MARKS_OF_ITEMS = " \n-*•"
_ENDS_OF_SENTENCES = (".", "!", ";", "…")
_FEWEST_WORDS = 3
_MOST_WORDS_OF_A_TITLE = 8
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
_HEADER_OF_LETTER = re.compile(r"(?:From|To|Cc|Date|Subject|Attachments): ")
_FIRST_HEADERS = ("From: ", "To: ")


@dataclass(frozen=True)
class QuotableUnits:
    """The units of a passage that a question may be answered with."""

    question: str
    whole: SearchResult
    units: Units

    def holds(self, i: int) -> bool:
        """Whether a unit says something by itself, unlike a header, a title, a line of contents or two words."""
        unit, said = self.units[i], self.units.text(i)
        if unit.is_header or said.strip(_MARKS_OF_ITEMS) in self._titles or self._is_idle_header(unit):
            return False
        if unit.kind is BlockKind.CODE:
            # Where a listing is cut, a passage may begin with its last fence.
            return _LETTER_OR_DIGIT.search(said) is not None
        if len(said.split()) < _FEWEST_WORDS:
            return False
        if self._is_menu and unit.kind is BlockKind.ITEM and not said.endswith(_ENDS_OF_SENTENCES):
            return False
        return not (self._is_contents and is_contents_line(said))

    def _is_idle_header(self, unit: Unit) -> bool:
        """Whether a unit is a header line of an e-mail, and the question is not about the sender, date or subject."""
        content = self.units.content
        if not self._is_letter or not _HEADER_OF_LETTER.match(content, unit.start):
            return False
        first = content.rfind("\n\n", 0, unit.start) + 2 if "\n\n" in content[: unit.start] else 0
        is_above = content.startswith(_FIRST_HEADERS, first)
        return is_above and not asks_about(self.question, "letter")

    @cached_property
    def _titles(self) -> frozenset[str]:
        titles = [
            self.whole.document_title or "",
            *(self.whole.chunk.section or "").split(BETWEEN_HEADINGS),
        ]
        return frozenset(title for title in titles if len(title.split()) <= _MOST_WORDS_OF_A_TITLE)

    @cached_property
    def _is_menu(self) -> bool:
        """Whether the text has a menu: a list with its own title among others."""
        return any(
            unit.kind is BlockKind.ITEM and self.units.text(i).strip(_MARKS_OF_ITEMS) in self._titles
            for i, unit in enumerate(self.units.all)
        )

    @cached_property
    def _is_contents(self) -> bool:
        return is_contents(self.units.content)

    @cached_property
    def _is_letter(self) -> bool:
        return is_letter(self.whole)
