"""Words that make another question of one: opposites, and words of which each excludes the others, as days do.

The lists are closed. What a prefix makes (`install`, `uninstall`) is not listed.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, lru_cache

from sourcebook.text.analysis import words
from sourcebook.text.vocabulary.word_lists import WordForms, lines_of

_PREFIXES = {
    "en": ("un", "dis", "de", "in", "im", "ir", "non", "mis"),
    "ru": ("не", "без", "бес"),
    "pt": ("des", "in", "im", "ir", "anti"),
    "es": ("des", "in", "im", "ir", "anti"),
}
_SHORTEST_WITHOUT_PREFIX = 4
_MANY_WORDS = 20_000


def turned_around(one: str, other: str, language: str | None) -> bool:
    """Whether a word that only the one text has is the opposite of one that only the other has."""
    here, there = words(one), words(other)
    mine = [word for word in here if word not in there]
    theirs = [word for word in there if word not in here]
    if _are_opposite(mine, theirs, language):
        return True
    prefixes = _PREFIXES.get(language or "", ())
    return _is_prefixed(mine, theirs, prefixes) or _is_prefixed(theirs, mine, prefixes)


def says_the_opposite(question: str, text: str, language: str | None) -> bool:
    """Whether a text has the opposite of a word of the question, but not the word itself: "closes" for "open"."""
    asked = {place for word in words(question) for place in _places(word, language)}
    if not asked:
        return False
    told = {place for word in words(text) for place in _places(word, language)}
    turned = {line for line, _ in asked} & {line for line, _ in told}
    return not turned.isdisjoint({line for line, _ in asked} - {line for line, _ in asked & told})


def _are_opposite(mine: Collection[str], theirs: Collection[str], language: str | None) -> bool:
    here = {place for word in mine for place in _places(word, language)}
    there = {place for word in theirs for place in _places(word, language)} if here else ()
    return any(line == other and side != opposite for line, side in here for other, opposite in there)


@lru_cache(_MANY_WORDS)
def _places(word: str, language: str | None) -> tuple[tuple[int, int], ...]:
    """The lines that list a word, and the side of each."""
    return tuple(
        (line, side)
        for line, sides in enumerate(_lines(language))
        for side, forms in enumerate(sides)
        if forms.holds(word)
    )


def _is_prefixed(plain: Collection[str], prefixed: Collection[str], prefixes: Collection[str]) -> bool:
    """Whether one of the plain words is among the others with a prefix that denies it: `used` and `unused`."""
    beginnings = {word[:-2] if len(word) > _SHORTEST_WITHOUT_PREFIX + 2 else word for word in plain}
    wanted = tuple(
        prefix + beginning
        for beginning in beginnings
        if len(beginning) >= _SHORTEST_WITHOUT_PREFIX
        for prefix in prefixes
    )
    return bool(wanted) and any(word.startswith(wanted) for word in prefixed)


@cache
def _lines(language: str | None) -> tuple[tuple[WordForms, ...], ...]:
    lines = lines_of(f"question_opposites.{language}.txt")
    return tuple(tuple(map(WordForms.read, line.split("|"))) for line in lines)
