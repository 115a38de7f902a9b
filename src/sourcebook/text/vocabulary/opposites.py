"""Opposites: a statement is reversed when one of them takes the place of the other."""

from __future__ import annotations

import unicodedata
from functools import cache, lru_cache

from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.word_lists import WordForms, lines_of, named_lines

_SHORTEST_REST = 4
"""How many letters must follow a prefix that reverses a word: "abase" is not the opposite of "base"."""
_LONGEST_ENDING = 2
_MANY_WORDS = 20_000


@lru_cache(_MANY_WORDS)
def are_opposite(one: str, other: str, language: str | None) -> bool:
    """Whether two folded words are opposites: "rose" and "fell", "possible" and "impossible"."""
    places = _places(one, language)
    if places and any((line, not side) in places for line, side in _places(other, language)):
        return True
    if other in _antonyms(language).get(one, ()):
        return True
    stem, other_stem = stem_words([one, other], language)
    return (
        other_stem in _antonyms(language).get(stem, ())
        or _is_turned_by_its_beginning(one, other, language)
        or _is_turned_by_its_beginning(stem, other_stem, language)
    )


@lru_cache(_MANY_WORDS)
def _places(word: str, language: str | None) -> frozenset[tuple[int, bool]]:
    """The lines that list a word, and whether on the left side. A word on both sides of a line tells nothing."""
    return frozenset(
        (line, is_left)
        for bare in [_bare(word)]
        for line, (left, right) in enumerate(_pairs(language))
        if (is_left := left.holds(bare)) != right.holds(bare)
    )


def _bare(text: str) -> str:
    """Without accents: "rápido" has one, "rapidamente" has none. The Spanish `ñ` stays, and so does `й`."""
    if text.isascii():
        return text
    apart = (letter if letter in "ñй" else unicodedata.normalize("NFD", letter)[:1] for letter in text)
    return "".join(apart)


def _is_turned_by_its_beginning(one: str, other: str, language: str | None) -> bool:
    denying, turning = _beginnings(language)
    for this, that in ((one, other), (other, one)):
        if any(_are_forms(_rest(that, beginning), this) for beginning in denying):
            return True
        if any(_are_forms(_rest(this, left), _rest(that, right)) for left, right in turning):
            return True
    return False


def _are_forms(one: str | None, other: str | None) -> bool:
    """Whether two words differ in their endings at most: stemmers cut "necessária" shorter than "necessário"."""
    if one is None or other is None or min(len(one), len(other)) < _SHORTEST_REST:
        return False
    is_close = abs(len(one) - len(other)) <= _LONGEST_ENDING
    return is_close and (one.startswith(other) or other.startswith(one))


def _rest(word: str, beginning: str) -> str | None:
    is_long_enough = len(word) - len(beginning) >= _SHORTEST_REST
    return word[len(beginning) :] if is_long_enough and word.startswith(beginning) else None


@cache
def _pairs(language: str | None) -> tuple[tuple[WordForms, WordForms], ...]:
    lines = [line.partition("|") for line in lines_of(f"opposites.{language}.txt")]
    return tuple((WordForms.read(_bare(left)), WordForms.read(_bare(right))) for left, _, right in lines)


@cache
def _antonyms(language: str | None) -> dict[str, set[str]]:
    """The pairs of WordNet, by word and by stem."""
    found: dict[str, set[str]] = {}
    for line in lines_of(f"antonyms.{language}.txt"):
        one, other = line.split()
        for left, right in ((one, other), tuple(stem_words([one, other], language))):
            if left != right:
                found.setdefault(left, set()).add(right)
                found.setdefault(right, set()).add(left)
    return found


@cache
def _beginnings(language: str | None) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    for name, forms in named_lines("prefixes.txt"):
        if name == language:
            denying, _, turning = forms.partition("|")
            pairs = [pair.partition("/") for pair in turning.split()]
            return tuple(denying.split()), tuple((left, right) for left, _, right in pairs)
    return (), ()
