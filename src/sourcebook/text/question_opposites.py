"""Words that turn a question or a statement around when one stands for the other.

A closed list: a line has two opposites, or several words of which each excludes the others, as days of the week do. A
star ends a beginning: `increas*` is also `increases` and `increasing`. What a prefix makes (`install`, `uninstall`)
needs no line.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache, lru_cache

from sourcebook.text.analysis import words
from sourcebook.text.word_lists import WordForms, lines_of

_PREFIXES = {
    "en": ("un", "dis", "de", "in", "im", "ir", "non", "mis"),
    "ru": ("не", "без", "бес"),
    "pt": ("des", "in", "im", "ir", "anti"),
    "es": ("des", "in", "im", "ir", "anti"),
}
_SHORTEST_WITHOUT_PREFIX = 4
_MANY_WORDS = 20_000


def turned_around(one: str, other: str, language: str | None) -> bool:
    """Whether a word of the one text, that the other lacks, has its opposite in the other, which the one lacks."""
    here, there = words(one), words(other)
    mine = [word for word in here if word not in there]
    theirs = [word for word in there if word not in here]
    if _are_opposite(mine, theirs, language):
        return True
    prefixes = _PREFIXES.get(language or "", ())
    return _is_prefixed(mine, theirs, prefixes) or _is_prefixed(theirs, mine, prefixes)


def says_the_opposite(question: str, text: str, language: str | None) -> bool:
    """Whether a text has the opposite of a word that a question has, and not that word: "closes" for "open"."""
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
    """On which lines a word stands, and on which side of each."""
    return tuple(
        (line, side)
        for line, sides in enumerate(_lines(language))
        for side, forms in enumerate(sides)
        if forms.holds(word)
    )


def _is_prefixed(plain: Collection[str], prefixed: Collection[str], prefixes: Collection[str]) -> bool:
    """Whether one of these words stands there with a prefix that denies it: `used` and `unused`."""
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
