"""Full names in a question: Peter Berg is not Anna Berg."""

from __future__ import annotations

import re

from sourcebook.text.analysis import words
from sourcebook.text.vocabulary.word_lists import word_forms

_WORD = re.compile(r"\b[^\W\d_]+\b")
_PARTS = 2


def full_names(question: str) -> list[frozenset[str]]:
    """The names of two words or more in a question, without titles and roles: "Dr Berg" is not a full name."""
    if question.isupper() or question.istitle():
        return []
    found = (_parts(match) for match in _runs(question))
    return [frozenset(parts) for parts in found if len(parts) >= _PARTS]


def is_another(asked: frozenset[str], cell: str) -> bool:
    """Whether a cell is the full name of somebody else who shares a part of the name asked about.

    Parts that begin with the same letter may be one name: a form, a short name, an initial.
    """
    parts = frozenset(_parts(cell))
    here, there = parts - asked, asked - parts
    is_name = len(parts) >= _PARTS and all(part[:1].isupper() for part in cell.split())
    return is_name and parts != here and bool(here and there) and not _begin_alike(here, there)


def _begin_alike(some: frozenset[str], others: frozenset[str]) -> bool:
    return not {each[0] for each in some}.isdisjoint(each[0] for each in others)


def _parts(name: str) -> list[str]:
    titles, people = word_forms("titles.txt"), word_forms("people.txt")
    return [word for word in words(name) if not titles.holds(word) and not people.holds(word)]


def _runs(question: str) -> list[str]:
    """Runs of capitalised words, without the first word of the question."""
    runs: list[list[str]] = [[]]
    end = None
    for place, found in enumerate(_WORD.finditer(question)):
        if place and found[0][0].isupper():
            if end is not None and question[end : found.start()] != " ":
                runs.append([])
            runs[-1].append(found[0])
            end = found.end()
        else:
            runs.append([])
            end = None
    return [" ".join(run) for run in runs if run]
