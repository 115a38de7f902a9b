"""Chooses the rows of a table that fit a condition: "Which products are gluten free?"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from sourcebook.text.analysis import distinct_terms, words
from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.stopwords import stop_words

_BEGINNING = (
    r"^\W*(?:(?:and|so|but|и|а|но|e|y)\s+)?"
    r"(?:(?:in|at|for|on|with|from|to|у|в|во|на|для|с|из|em|com|para|por|de|en|con)\s+)?"
)
_WHICH = re.compile(
    rf"{_BEGINNING}(?:which|what\s+\w+s\s+(?:are|have|contain|do|can|come)|как(?:ие|их|им|ими|ой|ая|ое)|quais|qual"
    r"|que\s+\w+s\s+(?:são|têm|contêm|não)|cuál(?:es)?|qué\s+\w+s\s+(?:son|tienen|contienen|no))\b",
    re.IGNORECASE,
)
# "Where is the colour printer?" asks for a row whose "colour" says yes.
_FOR_VALUE = re.compile(
    rf"{_BEGINNING}(?:where|who|when|what|how|где|куда|кто|когда|сколько|поч[её]м|onde|quem|quando|quanto|dónde|quién"
    r"|cuándo|cuánto)\b",
    re.IGNORECASE,
)
_DENIALS = r"free|without|not|none|non|lack\w*|\w+n['’]t|без|не|нет|sem|não|livres?|isent\w+|sin|libres?"
_DENIAL = re.compile(rf"\b(?:{_DENIALS}|no)\b", re.IGNORECASE)
# In Portuguese, "no" is "in the".
_PORTUGUESE_DENIAL = re.compile(rf"\b(?:{_DENIALS})\b", re.IGNORECASE)
_EITHER = re.compile(r"\b(?:or|или|либо|ou)\b", re.IGNORECASE)
_BETWEEN_CELLS = re.compile(r"\s*(?: · |;\s|\n)\s*")
_CELL = re.compile(r"(?P<name>[^\W\d_][^:|]{0,60}):[ \t]+(?P<value>\S.*)", re.DOTALL)
_IN_BRACKETS = re.compile(r"\([^()]*\)")
_YES = frozenset({"yes", "y", "да", "есть", "sim", "sí", "si", "true", "✓", "✔", "+"})
_NO = frozenset({"no", "n", "none", "нет", "não", "nao", "false", "✗", "✘", "-", "–", "—"})
_FEWEST_CELLS = 2
_WORDS_OF_A_NAME = 2


def named_cells(row: str) -> dict[str, str]:
    """The cells of a row by the names of their columns; empty if it has no names."""
    found = [_CELL.fullmatch(part) for part in _BETWEEN_CELLS.split(row.strip())]
    cells = {match["name"].strip(): match["value"].strip() for match in found if match}
    is_row = len(cells) >= _FEWEST_CELLS and all(found)
    return cells if is_row else {}


@dataclass(frozen=True)
class RowChoice:
    """A question that chooses among rows, and its terms. `language` is that of the rows."""

    question: str
    terms: frozenset[str]
    language: str | None

    @property
    def asks_which(self) -> bool:
        return _WHICH.search(self.question) is not None

    @property
    def asks_for_value(self) -> bool:
        """Whether it asks for a value in a row, and not yes or no."""
        return _FOR_VALUE.search(self.question) is not None

    @property
    def denies(self) -> bool:
        return bool(self._denials)

    def columns(self, cells: Mapping[str, str]) -> list[str]:
        """The columns that the question names and that say yes or no."""
        return [
            name
            for name, value in cells.items()
            if value.casefold() in _YES | _NO and self.terms & self._terms_of(name)
        ]

    def fits(self, cells: Mapping[str, str], columns: Sequence[str]) -> bool:
        """Whether a row surely fits."""
        if len(self._denials) > 1 or (len(columns) > 1 and not self._is_one_condition(columns)):
            return False
        return all(
            cells.get(name, "").casefold()
            in (_NO if self.denies is not (_DENIAL.search(name) is not None) else _YES)
            for name in columns
        )

    def says(self, cells: Mapping[str, str]) -> bool:
        """Whether a cell has a word of the question that is not the name of a column."""
        return bool(self.others(cells) & distinct_terms("\n".join(cells.values()), self.language))

    def has_condition(self, cells: Mapping[str, str], about: str) -> bool:
        """Whether the question has words that are neither names of columns nor the subject of the table."""
        return bool(self.others(cells) - distinct_terms(about, self.language))

    def names(self, cells: Mapping[str, str]) -> bool:
        """Whether a whole cell is a word or number of the question: "3" for "plot 3"."""
        return not self._words.isdisjoint(value.casefold() for value in cells.values())

    def numbers(self, cells: Mapping[str, str]) -> bool:
        """Whether a whole cell is a number of the question."""
        return any(value.isdigit() and value in self._words for value in cells.values())

    def counts(self, cells: Mapping[str, str]) -> bool:
        """Whether a cell has a number of the question with the same thing behind it: "2 rooms", and not "Places: 2"."""
        pairs = self._counted
        return any(not pairs.isdisjoint(_pairs(value, self.language)) for value in cells.values())

    def names_whole(self, cells: Mapping[str, str]) -> bool:
        """Whether a whole cell is a name of several words in the question: not "hut of Baba Yaga" for "Baba Yaga"."""
        asked = f" {' '.join(words(self.question))} "
        named = (words(value) for value in cells.values())
        return any(len(name) >= _WORDS_OF_A_NAME and f" {' '.join(name)} " in asked for name in named)

    def others(self, cells: Mapping[str, str]) -> frozenset[str]:
        """The words of the question that are not names of columns."""
        return self.terms.difference(*(distinct_terms(name, self.language) for name in cells))

    def _is_one_condition(self, columns: Sequence[str]) -> bool:
        """Whether all columns are denied, or all are wanted."""
        if not self.denies:
            return not _EITHER.search(self.question)
        before = distinct_terms(self.question[: self._denials[0].start()], self.language)
        return all(before.isdisjoint(self._terms_of(name)) for name in columns)

    def _terms_of(self, column: str) -> frozenset[str]:
        plain = _DENIAL.sub(" ", _IN_BRACKETS.sub(" ", column))
        return frozenset(distinct_terms(plain, self.language))

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(words(self.question)) - stop_words(self.language)

    @cached_property
    def _counted(self) -> frozenset[tuple[str, str]]:
        return _pairs(self.question, self.language)

    @cached_property
    def _denials(self) -> list[re.Match[str]]:
        denial = _PORTUGUESE_DENIAL if self.language == "pt" else _DENIAL
        return list(denial.finditer(self.question))


def _pairs(text: str, language: str | None) -> frozenset[tuple[str, str]]:
    """The numbers of a text, each with the stem of the word behind it."""
    said = words(text)
    return frozenset(
        (number, stem_words([thing], language)[0])
        for number, thing in pairwise(said)
        if number.isdigit() and not thing.isdigit()
    )
