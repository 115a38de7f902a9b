"""Words that people ask with and that say little about what they ask: "I want to know exactly which tool I need"."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.word_lists import words_by_name


@cache
def everyday_stems(language: str | None) -> frozenset[str]:
    """Their stems in a language; none for a language without a list."""
    listed = words_by_name("everyday_words.txt").get(language or "", frozenset[str]())
    return frozenset(stem_words(sorted(listed), language))


def everyday_stems_in(languages: Iterable[str | None]) -> frozenset[str]:
    """Their stems in all of these languages."""
    return frozenset[str]().union(*map(everyday_stems, languages))
