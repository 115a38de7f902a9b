"""What a sentence denies."""

from __future__ import annotations

from functools import cache

from sourcebook.text.analysis import words
from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.stopwords import stop_words
from sourcebook.text.vocabulary.word_lists import words_by_name

# "Not only this" denies nothing.
_ONLY = frozenset({"только", "only", "só", "somente", "apenas", "sólo", "solo", "just", "просто"})
_AUXILIARIES = frozenset({"can", "could", "may", "will", "would", "should", "must", "shall", "don", "doesn"})
_REACH = 2
"""How many of the words that follow, stop words left out, a negation denies."""


@cache
def negators(language: str | None) -> frozenset[str]:
    """The words of a language that deny; for a language without a list, those of all lists."""
    listed = words_by_name("negators.txt")
    return listed.get(language or "") or frozenset[str]().union(*listed.values())


def denied_terms(text: str, language: str | None) -> tuple[set[str], set[str]]:
    """The stems that a text denies and those that it does not; a stem may be in both."""
    found = words(text)
    stops = stop_words(language) | _AUXILIARIES
    denying = negators(language)
    denied: list[str] = []
    plain: list[str] = []
    left = 0
    for place, word in enumerate(found):
        if word in denying:
            left = 0 if found[place + 1 : place + 2] and found[place + 1] in _ONLY else _REACH
        elif word not in stops:
            (denied if left else plain).append(word)
            left = max(0, left - 1)
    return set(stem_words(denied, language)), set(stem_words(plain, language))
