"""Compares a question with a text in another language by names, as they sound, and numbers."""

from __future__ import annotations

import re

from sourcebook.consult.support.support_check import names
from sourcebook.text.analysis import words
from sourcebook.text.numbers import quantities
from sourcebook.text.sounds import sound, sound_alike

_SHORTEST = 3
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_LATIN_WORD = re.compile(r"[a-z][a-z0-9]+")
_MAY_BE_A_NAME = re.compile(r"\b(?:[^\W\d_a-zа-яё]\w+|\w*\d\w*)")


class ForeignNames:
    """The names and numbers of a question, to be looked for in texts of other languages.

    In a Cyrillic question, each word in Latin letters is a name.
    """

    def __init__(self, question: str) -> None:
        named = [] if question.isupper() else [part for name in names(question) for part in words(name)]
        if _CYRILLIC.search(question):
            named += [word for word in words(question) if _LATIN_WORD.fullmatch(word)]
        self._sounds = [sound(word) for word in dict.fromkeys(named) if len(word) >= _SHORTEST]
        self._numbers = [quantity.value for quantity in quantities(question)]

    def met_by(self, text: str) -> float | None:
        """The share of them that the text has; None if the question has none."""
        wanted = len(self._sounds) + len(self._numbers)
        if not wanted:
            return None
        heard = {sound(found[0]) for found in _MAY_BE_A_NAME.finditer(text)}
        numbers = {quantity.value for quantity in quantities(text)} if self._numbers else set[str]()
        met = sum(any(sound_alike(name, other) for other in heard) for name in self._sounds)
        return (met + sum(number in numbers for number in self._numbers)) / wanted
