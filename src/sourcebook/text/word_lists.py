"""Lists of words that come with the package, as they are read by the modules around."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from sourcebook.text.case_and_accents import folded

_ANY_WORDS = r"(?:\S+ ){0,6}?"
_ANY_ENDING = r"[^\s]*"


def lines_of(name: str) -> list[str]:
    """The lines of a list without its comments, in one form of letters; none if there is no such list."""
    path = files("sourcebook.text") / "lists" / name
    if not path.is_file():
        return []
    lines = (line.strip() for line in path.read_text("utf-8").splitlines())
    return [folded(line) for line in lines if line and not line.startswith("#")]


@dataclass(frozen=True, slots=True)
class WordForms:
    """Whole words, and beginnings of words, which a list ends with a star."""

    whole: frozenset[str]
    beginnings: tuple[str, ...]

    @classmethod
    def read(cls, written: str) -> WordForms:
        forms = written.split()
        return cls(
            frozenset(form for form in forms if not form.endswith("*")),
            tuple(form[:-1] for form in forms if form.endswith("*")),
        )

    def holds(self, word: str) -> bool:
        return word in self.whole or word.startswith(self.beginnings)


@cache
def word_forms(name: str) -> WordForms:
    """All words of a list."""
    return WordForms.read(" ".join(lines_of(name)))


@cache
def word_groups(name: str, *groups: str) -> tuple[WordForms, ...]:
    """The words of a list whose lines begin with the name of a group, for each of these groups."""
    kept = dict.fromkeys(groups, "")
    for line in lines_of(name):
        group, _, forms = line.partition(": ")
        if group in kept:
            kept[group] += f" {forms}"
    return tuple(map(WordForms.read, kept.values()))


def phrases(written: str) -> Iterator[str]:
    """Phrases set apart by bars, each as a pattern over words with a space around each.

    `…` stands for up to six words, a star for any ending, `$` for the end of the text; a word behind
    `>` must follow, but is no part of the phrase.
    """
    for phrase in written.split(" | "):
        yield f" {''.join(map(_pattern, phrase.split()))}"


def _pattern(part: str) -> str:
    if part == "…":
        return _ANY_WORDS
    if part == "$":
        return part
    word = f"{_ANY_ENDING.join(map(re.escape, part.removeprefix('>').split('*')))} "
    return f"(?={word})" if part.startswith(">") else word
