"""A question as it is searched: any text becomes one that every store and every model can take."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from sourcebook.text.analysis import MAX_QUESTION_CHARACTERS, words


@dataclass(frozen=True, slots=True)
class Question:
    """`has_words`: words can find something. `has_meaning`: a model may make something of it, be it an emoji."""

    text: str
    has_words: bool
    has_meaning: bool

    @classmethod
    def of(cls, text: str) -> Question:
        """The beginning of the text, without what no database and no model can read."""
        readable = text[:MAX_QUESTION_CHARACTERS].replace("\x00", "").encode("utf-8", "ignore").decode()
        has_words = bool(words(readable))
        return cls(readable, has_words, has_words or any(map(_is_sign, readable)))


def _is_sign(character: str) -> bool:
    return unicodedata.category(character) == "So"
