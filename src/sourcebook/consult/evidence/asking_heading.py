"""Headings that are questions, as in manuals and FAQs: what follows answers them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from sourcebook.consult.evidence.question_share import marked_terms, unmarked, weight_of
from sourcebook.consult.question.everyday_words import everyday_stems
from sourcebook.text.analysis import analyse_question, distinct_terms

_ASKS = re.compile(
    r"\?\W*$|^\W*(?:[\d.]+\W+)?(?:how|what|where|when|who|why|как|что|где|куда|когда|кто|почему|зачем|como|onde|quando"
    r"|quem|o que|por que|cómo|dónde|cuándo|quién|qué|por qué|wie|was|wo|wann|wer|warum)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"^\W*\d{1,3}(?:\.\d{1,3})*\.?\s+")
_LEAST = 0.5
"""Two questions that are no more alike than this are about different things."""


def asks(heading: str) -> bool:
    """Whether a heading is a question."""
    return _ASKS.search(heading) is not None


def asked_in(heading: str, weights: Mapping[str, float], language: str | None) -> float:
    """How far a heading asks the same question, from 0 to 1.

    `weights` are those of the question's words. Other words in the heading count against it.
    """
    own = _words_of(heading, language)
    if not own or not weights:
        return 0.0
    held = marked_terms(weights, own, language)
    asked = weight_of(held, weights)
    named = min(1.0, len(unmarked(held)) / len(own))
    alike = 2 * asked * named / (asked + named) if held else 0.0
    return max(0.0, alike - _LEAST) / (1 - _LEAST)


@lru_cache(1024)
def _words_of(heading: str, language: str | None) -> frozenset[str]:
    """What a heading asks about; nothing if it does not ask."""
    if not asks(heading):
        return frozenset()
    said = _NUMBER.sub("", heading)
    if language is None:
        return distinct_terms(said, language)
    return frozenset(analyse_question(said, [language]).terms) - everyday_stems(language)
