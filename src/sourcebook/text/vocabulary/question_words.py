"""Words that questions of any subject are made of, and words that can replace each other in questions."""

from __future__ import annotations

from functools import cache

from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.word_lists import lines_of, named_lines, word_forms, words_by_name

WITH_LISTS = ("es", "pt", "ru", "en")
"""The languages that have lists."""


@cache
def generic_words() -> frozenset[str]:
    """Words that tell nothing about the subject of a question, in all languages that have a list; folded."""
    return frozenset[str]().union(*words_by_name("generic_words.txt").values())


@cache
def stems_alike(language: str | None) -> dict[str, str]:
    """For the stem of each word that others can replace in questions, the first of these words."""
    alike: dict[str, str] = {}
    for first, forms in named_lines("words_alike.txt"):
        alike |= dict.fromkeys(stem_words(forms.split(), language), first)
    return alike


@cache
def words_alike() -> dict[str, str]:
    """`stems_alike` of all languages that have a list, for texts in an unknown language."""
    return {stem: first for language in WITH_LISTS for stem, first in stems_alike(language).items()}


@cache
def words_of_a_kind() -> dict[str, frozenset[str]]:
    """For the stems of everyday words, those of broader and of narrower words: dogs and pets."""
    related: dict[str, frozenset[str]] = {}
    for line in named_lines("broader_words.txt"):
        broader, narrower = (stems_everywhere(part.split()) for part in line)
        for stems, others in ((broader, narrower), (narrower, broader)):
            for stem in stems:
                related[stem] = related.get(stem, frozenset[str]()) | others
    return related


@cache
def near_words(language: str | None) -> dict[str, frozenset[str]]:
    """For the stems of everyday words, those of words that texts use instead: "hired" for "rented".

    Each language has its own list: a Spanish "red" is a network. For an unknown language the English and the Russian
    ones are used, as its words are stemmed by their letters.
    """
    if language is None:
        return near_words("en") | near_words("ru")
    near: dict[str, frozenset[str]] = {}
    for line in lines_of(f"near_words.{language}.txt"):
        stems = frozenset(stem_words(line.split(), language))
        for stem in stems:
            near[stem] = near.get(stem, frozenset[str]()) | stems
    return near


def stems_everywhere(forms: list[str]) -> frozenset[str]:
    """The stems of words in all languages that have a list."""
    return frozenset(stem for language in WITH_LISTS for stem in stem_words(forms, language))


@cache
def class_nouns() -> frozenset[str]:
    """Words that only say what a name is the name of: `the river Rhine` is `the Rhine`. Folded."""
    return word_forms("class_nouns.txt").whole
