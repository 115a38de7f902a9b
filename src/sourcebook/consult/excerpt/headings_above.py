"""The headings above the units of a text, and what they have of a question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.asking_heading import asked_in, asks
from sourcebook.consult.evidence.passage_surroundings import last_heading, title_and_section
from sourcebook.consult.evidence.question_share import marked_terms_in
from sourcebook.consult.evidence.subject_heading import headings_above, likeness_of
from sourcebook.consult.question.asked_for.told_way import names_reason
from sourcebook.model.chat import BETWEEN_HEADINGS

if TYPE_CHECKING:
    from sourcebook.consult.excerpt.excerpt_features import Asked
    from sourcebook.consult.excerpt.passage_units import Unit, Units
    from sourcebook.model.search import SearchResult

_MARKS_OF_HEADINGS = re.compile(r"\{[^{}]*\}|[#`*]")


class HeadingsAbove:
    """The headings above the units of a passage, each looked at once.

    `verb`: that of a question that asks when to do something. `asks_way`: whether it asks how.
    """

    def __init__(
        self,
        asked: Asked,
        whole: SearchResult,
        units: Units,
        language: str | None,
        *,
        verb: frozenset[str],
        asks_way: bool,
    ) -> None:
        self._asked = asked
        self._whole = whole
        self._units = units
        self._language = language
        self._verb = verb
        self._asks_way = asks_way
        self.path = self._terms_held(title_and_section(whole))
        """The words of the question in the title and the headings above the passage."""
        self._paths: dict[tuple[int, int] | None, frozenset[str]] = {None: self.path}
        self._words: dict[tuple[int, int] | None, frozenset[str]] = {}
        self._subjects: dict[tuple[int, int] | None, float] = {}

    def text(self, unit: Unit) -> str:
        """The heading right above a unit."""
        if unit.heading:
            return self._units.content[slice(*unit.heading)]
        return last_heading(self._whole.chunk)

    def path_to(self, unit: Unit) -> frozenset[str]:
        """The words of the question in the title and the headings above a unit.

        A passage may continue under the next heading, which is not part of its section.
        """
        if unit.heading not in self._paths:
            self._paths[unit.heading] = (
                self._terms_held(_without_last_heading(self._whole))
                if self._has_left_section(unit)
                else self.path
            )
        return self._paths[unit.heading]

    def _has_left_section(self, unit: Unit) -> bool:
        """Whether the heading above a unit, within the passage, is neither of its section nor below it."""
        parts = [_bare_heading(part) for part in (self._whole.chunk.section or "").split(BETWEEN_HEADINGS)]
        if unit.heading is None or not any(parts):
            return False
        heading = self._units.content[slice(*unit.heading)]
        level = len(heading) - len(heading.lstrip("#"))
        return _bare_heading(heading) not in parts and level <= len(parts)

    def words(self, unit: Unit) -> frozenset[str]:
        """The words of the question in the heading right above a unit."""
        if unit.heading not in self._words:
            self._words[unit.heading] = self._terms_held(self.text(unit))
        return self._words[unit.heading]

    def asked_above(self, unit: Unit) -> float:
        """How far the heading right above a unit asks the same question; 0 if it lacks the verb."""
        if self._verb and self._verb.isdisjoint(self.words(unit)):
            return 0.0
        return asked_in(self.text(unit), self._asked.weights, self._language)

    def subject(self, unit: Unit) -> float:
        """How far a heading above a unit, or the title, names what is asked about."""
        if unit.heading not in self._subjects:
            heading = self.text(unit)
            above = [*headings_above(self._whole), heading]
            named = [
                likeness_of(each, self._asked.weights, self._language)
                for each in above
                if not self._asks_otherwise(each)
            ]
            is_other = self._asks_way and names_reason(heading)
            self._subjects[unit.heading] = 0.0 if is_other else max(named, default=0.0)
        return self._subjects[unit.heading]

    def _asks_otherwise(self, heading: str) -> bool:
        """Whether a heading asks something else about the same thing: "What is a peony?", and not when to divide it."""
        return asks(heading) and bool(self._verb) and self._verb.isdisjoint(self._terms_held(heading))

    def _terms_held(self, text: str) -> frozenset[str]:
        return marked_terms_in(self._asked.weights, text, self._language)


def _without_last_heading(passage: SearchResult) -> str:
    """The title and the headings above that of a passage."""
    return f"{passage.document_title or ''}\n{(passage.chunk.section or '').rpartition(BETWEEN_HEADINGS)[0]}"


def _bare_heading(heading: str) -> str:
    return _MARKS_OF_HEADINGS.sub("", heading).strip()
