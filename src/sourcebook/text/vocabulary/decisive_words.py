"""Words of time, order and direction. A statement means something else if one takes the place of another."""

from __future__ import annotations

from functools import cache

from sourcebook.text.analysis import words
from sourcebook.text.vocabulary.word_lists import named_lines


def decisive_words(text: str) -> set[str]:
    """The words of time and direction in a text, each by its meaning, whatever its language and inflection."""
    strict, _ = _meanings()
    return {strict[word] for word in words(text) if word in strict}


def meant_words(text: str) -> set[str]:
    """The same, including what is said with a word that has other meanings too: "over" for "more than"."""
    strict, loose = _meanings()
    found = words(text)
    return {meaning for word in found for meaning in (*loose.get(word, ()), strict.get(word)) if meaning}


@cache
def _meanings() -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    strict: dict[str, str] = {}
    loose: dict[str, tuple[str, ...]] = {}
    for meaning, forms in named_lines("decisive.txt"):
        certain, _, others = forms.partition("|")
        strict |= dict.fromkeys(certain.split(), meaning)
        for form in others.split():
            loose[form] = (*loose.get(form, ()), meaning)
    return strict, loose
