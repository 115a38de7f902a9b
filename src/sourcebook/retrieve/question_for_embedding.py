"""A question as an embedder reads it best."""

from __future__ import annotations

from sourcebook.text.analysis import words

_FEWEST_SHOUTED = 3


def question_for_embedding(text: str) -> str:
    """The question, in lower case if all of it is in capitals. One or two words in capitals may be a name."""
    return text.lower() if text.isupper() and len(words(text)) >= _FEWEST_SHOUTED else text
