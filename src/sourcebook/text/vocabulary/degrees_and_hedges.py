"""Words that say how much, how often, how surely, or from where to where: degrees on a scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from sourcebook.text.vocabulary.word_lists import lines_of


@dataclass(frozen=True, slots=True)
class Degree:
    """A place on a scale, such as `all` on `quantity`."""

    scale: str
    name: str


def degrees(words: Sequence[str], language: str | None) -> dict[int, Degree]:
    """The degrees among the words, by their place. The longest phrase wins: "no more than", not "more than"."""
    return _found(words, *_phrases(language))


def hedges(words: Sequence[str], language: str | None) -> set[int]:
    """The places of words that make a statement less sure, such as "may" and "seems to"."""
    return set(_found(words, *_phrases(language, of_hedges=True)))


def _found(
    words: Sequence[str], phrases: dict[tuple[str, ...], Degree], longest: dict[str, int]
) -> dict[int, Degree]:
    found: dict[int, Degree] = {}
    place = 0
    while place < len(words):
        if words[place] not in longest:
            place += 1
            continue
        sizes = range(longest[words[place]], 0, -1)
        size = next((size for size in sizes if tuple(words[place : place + size]) in phrases), 0)
        if size:
            degree = phrases[tuple(words[place : place + size])]
            found |= dict.fromkeys(range(place, place + size), degree)
        place += max(1, size)
    return found


@cache
def _phrases(
    language: str | None, *, of_hedges: bool = False
) -> tuple[dict[tuple[str, ...], Degree], dict[str, int]]:
    """The phrases with their degrees, and for each first word the length of the longest phrase."""
    phrases: dict[tuple[str, ...], Degree] = {}
    for line in lines_of(f"degrees_and_hedges.{language}.txt"):
        name, _, forms = line.partition("=")
        scale, _, degree = name.strip().partition(".")
        if (scale == "hedge") is of_hedges:
            for phrase in forms.split(","):
                phrases.setdefault(tuple(phrase.split()), Degree(scale, degree))
    longest: dict[str, int] = {}
    for phrase in phrases:
        longest[phrase[0]] = max(len(phrase), longest.get(phrase[0], 0))
    return phrases, longest
