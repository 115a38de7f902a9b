"""Words that say nothing about what a text is about, and words that only ask."""

from __future__ import annotations

from sourcebook.text.vocabulary.word_lists import words_by_name


def stop_words(language: str | None) -> frozenset[str]:
    """The stop words of a language; none for a language without a list."""
    return words_by_name("stop_words.txt").get(language or "", frozenset())


def asking_words(language: str | None) -> frozenset[str]:
    """Words that only make a question, such as "who": a text may contain them, but not because it answers."""
    return words_by_name("asking_words.txt").get(language or "", frozenset())
