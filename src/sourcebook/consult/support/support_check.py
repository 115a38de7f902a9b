"""Checks whether a quote supports the sentence that cites it, without a model.

A sentence may cite a real place and say something else. So whatever could mislead a reader is compared: numbers with
their units, names, times and directions, denials; and most words of the sentence must be in the quote. Then both are
aligned, to see what replaces what.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from sourcebook.consult.support.alignment import Alignment, align
from sourcebook.consult.support.meaning import (
    denies_in_place,
    has_lost_a_hedge,
    says_another_degree,
    says_the_opposite,
)
from sourcebook.consult.support.measures import has_other_units
from sourcebook.consult.support.order import has_exchanged_facts
from sourcebook.model.chat import SupportGrade
from sourcebook.text.analysis import distinct_terms, words
from sourcebook.text.numbers import quantities
from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.decisive_words import decisive_words, meant_words
from sourcebook.text.vocabulary.negation import denied_terms, negators
from sourcebook.text.vocabulary.opposites import are_opposite
from sourcebook.text.vocabulary.stopwords import stop_words

ENOUGH_WORDS = 0.6
"""The share of a sentence's terms that its quote must hold."""
MOST_PIECES = 4
"""A sentence from at most so many pieces of the quote is in the quote's own words."""
NEARLY_THE_SAME = 0.8
"""From this share of words in the same order on, a sentence of the source is the one that is meant."""
REWORDED = "reworded"
_ENOUGH_OF_A_WORD = 5
"""Words with so many first letters in common count as forms of one word, because their stems may differ."""

_WITH_CASES = frozenset({"ru", "uk", "pl", "cs", "sr"})
_SHORTEST_NAME = 4
_LONGEST_ENDING = 3

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_BETWEEN_PARTS = re.compile(r"[-'’]")
_SENTENCE_START = re.compile(r"[\s\"'«“„(\[*_]*[.!?…:¿¡\n*•-]")
"""Read backwards, from a word to the one before it."""


class Doubt(StrEnum):
    """Why a sentence is not supported."""

    NUMBER = "number"
    UNIT = "unit"
    NAME = "name"
    NEGATION = "negation"
    TURNED_AROUND = "turned_around"
    EXCHANGED = "exchanged"
    OPPOSITE = "opposite"
    DEGREE = "degree"
    HEDGE = "hedge"
    WORDS = "words"
    NO_QUOTE = "no_quote"


@dataclass(frozen=True, slots=True)
class Support:
    """The doubts, the share of the sentence's terms that are in the quote, and the resulting grade."""

    doubts: tuple[Doubt, ...]
    share: float
    grade: SupportGrade = SupportGrade.DOUBTFUL
    likeness: float = 0.0
    """The share of the sentence's words that are in the quote in the same order."""

    @property
    def is_contradicted(self) -> bool:
        """Whether the quote says nearly the same, but contradicts."""
        return bool(self.doubts) and self.likeness >= NEARLY_THE_SAME

    @property
    def is_enough(self) -> bool:
        """Whether nothing speaks against the sentence."""
        return self.grade is not SupportGrade.DOUBTFUL

    @property
    def is_exact(self) -> bool:
        return self.grade is SupportGrade.EXACT

    @property
    def is_verified(self) -> bool:
        """Whether the quote says it in the same words. Other words are not proof."""
        return self.is_exact or (self.grade is SupportGrade.CLOSE and self.share == 1.0)

    @property
    def reservations(self) -> tuple[str, ...]:
        """Why it is not verified: the doubts, or that it is reworded."""
        return tuple(doubt.value for doubt in self.doubts) or (() if self.is_verified else (REWORDED,))


def check_support(sentence: str, quote: str, language: str | None = None, context: str = "") -> Support:
    """Compare a sentence with its quote. `context` is what a reader of the quote also sees: its title and section.

    Names and words may be in the context; numbers and denials must be in the quote, and facts in their places.
    """
    if not quote.strip():
        return Support((Doubt.NO_QUOTE,), 0.0)
    around = f"{context}\n{quote}"
    share = share_of_terms(sentence, around, language)
    tests = (
        (Doubt.NUMBER, bool(_missing_numbers(sentence, quote, language))),
        (Doubt.UNIT, has_other_units(sentence, quote, language)),
        (Doubt.NAME, bool(_missing_names(sentence, around, language))),
        (Doubt.NEGATION, _denies_differently(sentence, quote, language)),
        (Doubt.TURNED_AROUND, _is_turned_around(sentence, around)),
        (Doubt.WORDS, share < ENOUGH_WORDS or _says_nothing(sentence, language)),
    )
    doubts = [doubt for doubt, is_doubtful in tests if is_doubtful]
    if Doubt.WORDS in doubts:
        # With too few words in common, aligning tells nothing.
        return Support(tuple(doubts), share)
    found = align(sentence, quote, language, context)
    doubts += _doubts_of_order(found, language)
    if doubts:
        return Support(tuple(dict.fromkeys(doubts)), share, likeness=found.share)
    grade = SupportGrade.EXACT if _is_copy(found) else SupportGrade.CLOSE
    return Support((), share, grade, found.share)


def _doubts_of_order(found: Alignment, language: str | None) -> Iterator[Doubt]:
    """The doubts that only the alignment shows."""
    if has_exchanged_facts(found):
        yield Doubt.EXCHANGED
    if says_the_opposite(found, language):
        yield Doubt.OPPOSITE
    if says_another_degree(found, language):
        yield Doubt.DEGREE
    if has_lost_a_hedge(found, language):
        yield Doubt.HEDGE
    if denies_in_place(found):
        yield Doubt.NEGATION


def _is_copy(found: Alignment) -> bool:
    """Whether the sentence is in the quote's own words and order, perhaps with some left out."""
    same = {mine for mine, _ in found.same}
    return found.blocks <= MOST_PIECES and all(
        place in same for place, token in enumerate(found.here) if token.is_content
    )


def _says_nothing(sentence: str, language: str | None) -> bool:
    """Whether a sentence has only denials and stop words, such as "Never.", so that it cannot be compared."""
    return not set(words(sentence)) - negators(language) - stop_words(language)


def share_of_terms(sentence: str, quote: str, language: str | None) -> float:
    """The share of the sentence's distinct terms that the quote has; 1.0 for a sentence without terms."""
    return share_of_terms_in(sentence, language)(quote)


def share_of_terms_in(sentence: str, language: str | None) -> Callable[[str], float]:
    """`share_of_terms` of one sentence, for many quotes."""
    wanted = distinct_terms(sentence, language)

    def share(quote: str) -> float:
        held = distinct_terms(quote, language)
        beginnings = _beginnings(held)
        found = [term for term in wanted if term in held or _beginning(term) in beginnings]
        return len(found) / len(wanted) if wanted else 1.0

    return share


def _beginning(term: str) -> str | None:
    return term[:_ENOUGH_OF_A_WORD] if len(term) > _ENOUGH_OF_A_WORD and not term.isdigit() else None


@lru_cache(512)
def _beginnings(terms: frozenset[str]) -> frozenset[str]:
    return frozenset(beginning for term in terms if (beginning := _beginning(term)))


def lost_facts(sentence: str, before: str, now: str, language: str | None) -> Iterator[Doubt]:
    """The doubts about facts of the sentence that the text had before and has no longer: a number, a name."""
    gone = _missing_numbers(sentence, now, language) - _missing_numbers(sentence, before, language)
    if gone and quantities(now, language):
        yield Doubt.NUMBER
    if set(_missing_names(sentence, now, language)) - set(_missing_names(sentence, before, language)):
        yield Doubt.NAME


def missing_facts(sentence: str, around: str, language: str | None) -> list[str]:
    """The numbers and names of a sentence that a text does not have, as they are written."""
    held = {found.value for found in quantities(around, language)}
    numbers = [
        sentence[each.start : each.end] for each in quantities(sentence, language) if each.value not in held
    ]
    return [*numbers, *_missing_names(sentence, around, language)]


def _missing_numbers(sentence: str, quote: str, language: str | None) -> set[str]:
    """The values of the sentence's numbers that the quote does not have."""
    held = {found.value for found in quantities(quote, language)}
    return {found.value for found in quantities(sentence, language) if found.value not in held}


def _missing_names(sentence: str, around: str, language: str | None) -> list[str]:
    """Names in the sentence that are not in the quote. In "Rh-infected" only the first part is a name."""
    wanted = names(sentence)
    if not wanted:
        return []
    held = set(words(around))
    stems = set(stem_words(sorted(held), language))
    beginnings = _beginnings(frozenset(stems | held))
    return [
        name
        for name in wanted
        if not all(
            part in held
            or stem in stems
            or _beginning(stem) in beginnings
            or (language in _WITH_CASES and _has_a_form(part, held))
            for part, stem in _with_stems(_naming_parts(name), language)
        )
    ]


def _has_a_form(name: str, held: set[str]) -> bool:
    """Whether the name occurs with another ending: stemmers confuse some surnames with forms of first names."""
    return len(name) >= _SHORTEST_NAME and any(
        abs(len(word) - len(name)) <= _LONGEST_ENDING
        and min(len(word), len(name)) >= _SHORTEST_NAME
        and (word.startswith(name) or name.startswith(word))
        for word in held
    )


def _naming_parts(name: str) -> list[str]:
    parts = _BETWEEN_PARTS.split(name)
    naming = [part for part in parts if any(letter.isupper() or letter.isdigit() for letter in part)]
    return words(" ".join(naming or parts))


def _with_stems(parts: list[str], language: str | None) -> list[tuple[str, str]]:
    return list(zip(parts, stem_words(parts, language), strict=True))


def names(sentence: str) -> list[str]:
    """Words that look like names: a capital letter inside a sentence, several capitals, or letters with digits."""
    found: list[str] = []
    text, before = f"\n{sentence}", 0
    for match in _WORD.finditer(text):
        if not _is_plain(match[0]):
            is_first = _SENTENCE_START.match(text[before : match.start()][::-1]) is not None
            if _looks_like_a_name(match[0], is_first=is_first):
                found.append(match[0])
        before = match.end()
    return found


def _is_plain(word: str) -> bool:
    """Whether a word has only lower-case letters, so that it is no name wherever it stands."""
    return word.islower() and word.isalpha()


def _looks_like_a_name(word: str, *, is_first: bool) -> bool:
    mixed = any(_is_mixed(part) for part in _BETWEEN_PARTS.split(word))
    inner_capital = any(letter.isupper() for letter in word[1:])
    return mixed or inner_capital or (word[:1].isupper() and not is_first and len(word) > 1)


def _is_mixed(part: str) -> bool:
    """Whether letters and digits stand together, as in "B12"; "3-dimensional" is no name."""
    return any(letter.isalpha() for letter in part) and any(letter.isdigit() for letter in part)


def _denies_differently(sentence: str, quote: str, language: str | None) -> bool:
    """Whether one denies what the other states."""
    denying = negators(language)
    there = denying.intersection(words(quote))
    if not there and not denying.intersection(words(sentence)):
        return False
    denied, plain = denied_terms(sentence, language)
    denied_there, plain_there = denied_terms(quote, language)
    new = denied - plain - denied_there
    if new and not there and _is_turned_back(sentence, new, quote, language):
        new = set[str]()
    lost = (plain - denied) & (denied_there - plain_there)
    return bool(new & plain_there) or (bool(new) and not there) or bool(lost)


def _is_turned_back(sentence: str, denied: set[str], quote: str, language: str | None) -> bool:
    """Whether a word denied here is the opposite of one there: "not possible" means "impossible"."""
    own = words(sentence)
    terms = [word for word, stem in zip(own, stem_words(own, language), strict=True) if stem in denied]
    return any(are_opposite(term, word, language) for term in terms for word in words(quote))


def _is_turned_around(sentence: str, around: str) -> bool:
    """Whether the sentence has a word of time or direction that the quote lacks in any wording."""
    return bool(decisive_words(sentence) - meant_words(around))
