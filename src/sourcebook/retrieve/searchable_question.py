"""A question as it is searched: without what a store or a model cannot read."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from sourcebook.text.analysis import MAX_QUESTION_CHARACTERS, words


@dataclass(frozen=True, slots=True)
class Question:
    """`has_words`: there is something to look for by words. `has_meaning`: or an emoji, for a model to embed."""

    text: str
    has_words: bool
    has_meaning: bool

    @classmethod
    def of(cls, text: str) -> Question:
        """The beginning of the text, without NUL and lone surrogates."""
        readable = text[:MAX_QUESTION_CHARACTERS].replace("\x00", "").encode("utf-8", "ignore").decode()
        has_words = bool(words(readable))
        return cls(readable, has_words, has_words or any(map(_is_sign, readable)))


def _is_sign(character: str) -> bool:
    return unicodedata.category(character) == "So"
