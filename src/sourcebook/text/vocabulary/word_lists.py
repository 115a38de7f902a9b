"""Reads the lists of words in `text/lists`: a word or a line of words each, comments after `#`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from sourcebook.text.case_and_accents import folded

_ANY_WORDS = r"(?:\S+ ){0,6}?"
_ANY_ENDING = r"[^\s]*"
_ANY_LETTERS = r"\w*"


def lines_of(name: str) -> list[str]:
    """The lines of a list, folded and without comments; none if there is no such list."""
    path = files("sourcebook.text") / "lists" / name
    if not path.is_file():
        return []
    lines = (line.strip() for line in path.read_text("utf-8").splitlines())
    return [folded(line) for line in lines if line and not line.startswith("#")]


def named_lines(name: str) -> Iterator[tuple[str, str]]:
    """The lines of a list that begin with a name and a colon: the name, and what follows it."""
    for line in lines_of(name):
        group, _, rest = line.partition(":")
        yield group, rest.strip()


@cache
def words_by_name(name: str) -> Mapping[str, frozenset[str]]:
    """The words of a list by the name at the beginning of their line, such as a language."""
    found: dict[str, frozenset[str]] = {}
    for group, rest in named_lines(name):
        found[group] = found.get(group, frozenset[str]()).union(rest.split())
    return found


def names_by_word(name: str) -> dict[str, str]:
    """The same list the other way round: the name by each of its words."""
    return {word: group for group, rest in named_lines(name) for word in rest.split()}


@dataclass(frozen=True, slots=True)
class WordForms:
    """Words to look for: whole ones, and beginnings, which end with a star in a list."""

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
    """The words of these groups of a list. Each of its lines begins with the name of a group."""
    kept = dict.fromkeys(groups, "")
    for group, forms in named_lines(name):
        if group in kept:
            kept[group] += f" {forms}"
    return tuple(map(WordForms.read, kept.values()))


@cache
def alternatives(name: str, group: str) -> str:
    """The words and phrases of a group of a list as a pattern. A line of phrases has bars between them.

    It is for texts as they were typed: with ё or е, and with either apostrophe.
    """
    listed = (
        form
        for of, forms in named_lines(name)
        if of == group
        for form in (forms.split(" | ") if "|" in forms else forms.split())
    )
    pattern = "|".join(_ANY_LETTERS.join(map(re.escape, form.split("*"))) for form in listed)
    as_typed = pattern.replace("е", "[её]").replace("'", "['’]")
    return f"(?:{as_typed})"


def phrases(written: str) -> Iterator[str]:
    """A pattern for each of the phrases, which are separated by bars. It matches words with a space around each.

    `…` stands for up to six words, a star for any ending, `$` for the end of the text. A word after `>` must follow
    the phrase, but is not part of it.
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
