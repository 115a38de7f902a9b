"""A question as an embedder reads it best: capitals are folded where they only shout."""

from __future__ import annotations

from sourcebook.text.analysis import words

_FEWEST_SHOUTED = 3


def question_for_embedding(text: str) -> str:
    """The question as a model reads it best: one that is written in capitals is like shouting to a model, too.

    One or two words in capitals may be the name of something.
    """
    return text.lower() if text.isupper() and len(words(text)) >= _FEWEST_SHOUTED else text
