"""Headings that are questions, as in manuals and FAQs: what follows answers them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from sourcebook.consult.evidence.question_share import likeness, words_that_name

_ASKS = re.compile(
    r"\?\W*$|^\W*(?:[\d.]+\W+)?(?:how|what|where|when|who|why|как|что|где|куда|когда|кто|почему|зачем|como|onde|quando"
    r"|quem|o que|por que|cómo|dónde|cuándo|quién|qué|por qué|wie|was|wo|wann|wer|warum)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^\W*\d{1,3}(?:\.\d{1,3})*\.?\s+")


def asks(heading: str) -> bool:
    """Whether a heading is a question."""
    return _ASKS.search(heading) is not None


def asked_in(heading: str, weights: Mapping[str, float], language: str | None) -> float:
    """How far a heading asks the same question, from 0 to 1.

    `weights` are those of the question's words. Other words in the heading count against it.
    """
    return likeness(_words_of(heading, language), weights, language)


@lru_cache(1024)
def _words_of(heading: str, language: str | None) -> frozenset[str]:
    """What a heading asks about; nothing if it does not ask."""
    if not asks(heading):
        return frozenset()
    return words_that_name(_NUMBER.sub("", heading), language)
