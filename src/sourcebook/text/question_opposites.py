"""Words that turn a question or a statement around when one stands for the other.

A closed list: a line has two opposites, or several words of which each excludes the others, as days of the week do. A
star ends a beginning: `increas*` is also `increases` and `increasing`. What a prefix makes (`install`, `uninstall`)
needs no line.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from itertools import permutations

from sourcebook.text.analysis import words
from sourcebook.text.word_lists import WordForms, lines_of

_PREFIXES = {
    "en": ("un", "dis", "de", "in", "im", "ir", "non", "mis"),
    "ru": ("не", "без", "бес"),
    "pt": ("des", "in", "im", "ir", "anti"),
    "es": ("des", "in", "im", "ir", "anti"),
}
_SHORTEST_WITHOUT_PREFIX = 4


def turned_around(one: str, other: str, language: str | None) -> bool:
    """Whether a word of the one text, that the other lacks, has its opposite in the other, which the one lacks."""
    here, there = words(one), words(other)
    mine = [word for word in here if word not in there]
    theirs = [word for word in there if word not in here]
    if _are_opposite(mine, theirs, language):
        return True
    prefixes = _PREFIXES.get(language or "", ())
    return _is_prefixed(mine, theirs, prefixes) or _is_prefixed(theirs, mine, prefixes)


def _are_opposite(mine: Collection[str], theirs: Collection[str], language: str | None) -> bool:
    return any(
        _any(one, mine) and _any(other, theirs)
        for sides in _lines(language)
        for one, other in permutations(sides, 2)
    )


def _any(side: WordForms, found: Collection[str]) -> bool:
    return any(side.holds(word) for word in found)


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
