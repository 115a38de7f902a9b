"""The language of a short question by its small words, however many foreign names it contains."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache

from sourcebook.text.case_and_accents import folded, without_accents
from sourcebook.text.vocabulary.word_lists import words_by_name

_QUOTED = re.compile(r"«[^«»]*»|“[^“”]*”|„[^„“”]*[“”]|(?<!\w)\"[^\"]*\"(?!\w)|(?<!\w)'[^']*'(?!\w)")
_MAY_QUOTE = re.compile("[«»“”„\"']")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*|\d\w*")
_SPANISH = re.compile("[¿¡]")
_LIST = "function_words.txt"
_FIRST_COUNTS = 2
_MANY = 3
_MANY_QUESTIONS = 2048


def languages_with_list() -> AbstractSet[str]:
    return words_by_name(_LIST).keys()


def prose_of(question: str) -> list[str]:
    """The words of a short text except names, code and quotations, folded. The first word is always kept.

    A name is a word with a capital or a digit anywhere but at the beginning of the text, or with capitals inside.
    """
    return list(_prose_of(_QUOTED.sub(" ", question), is_first=True))


def _is_name(word: str, *, is_first: bool) -> bool:
    if word[0].isalpha() and word.islower():
        # The usual case, decided fast.
        return False
    if word[0].isdigit() or any(letter.isupper() for letter in word[1:]):
        return True
    return word[0].isupper() and not is_first


def languages_of_prose(question: str) -> list[str]:
    """The language that most small words of a short text belong to; several if they tie, none if it has too few."""
    return _told_by(prose_of(question), is_told=_SPANISH.search(question) is not None)


def languages_of_both(one: str, other: str) -> list[str]:
    """`languages_of_prose` of two questions as one text, fast where one is compared with many."""
    lowered = other[:1].lower() + other[1:]
    if _MAY_QUOTE.search(one) or _MAY_QUOTE.search(other) or not _WORD.search(one):
        # A quotation may begin in the one and end in the other.
        return languages_of_prose(f"{one} {lowered}")
    is_told = any(_SPANISH.search(text) is not None for text in (one, other))
    return _told_by([*_prose_of(one, is_first=True), *_prose_of(lowered, is_first=False)], is_told=is_told)


@lru_cache(_MANY_QUESTIONS)
def _prose_of(unquoted: str, *, is_first: bool) -> tuple[str, ...]:
    found = enumerate(_WORD.findall(unquoted))
    return tuple(
        folded(word) for place, word in found if not _is_name(word, is_first=is_first and place == 0)
    )


def _told_by(prose: list[str], *, is_told: bool) -> list[str]:
    found: Counter[str] = Counter()
    languages_of = _languages_of()
    for place, word in enumerate(prose):
        for language in languages_of.get(word, ()):
            found[language] += _FIRST_COUNTS if place == 0 else 1
    if is_told:
        found["es"] += _FIRST_COUNTS
    most = max(found.values(), default=0)
    best = [language for language, hits in found.items() if hits == most]
    if len(best) > 1 or most >= _MANY or is_told:
        return best
    return best if most > 1 and _has_word_of_its_own(best[0], prose) else []


def is_made_with(language: str, question: str) -> bool:
    """Whether at least half of the prose is small words of this language, some of them found in no other."""
    prose = prose_of(question)
    hits = sum(word in words_by_name(_LIST)[language] for word in prose)
    return hits >= _MANY and 2 * hits >= len(prose) and _has_word_of_its_own(language, prose)


def is_told_apart(language: str, other: str, question: str) -> bool:
    """Whether a text has a small word of `language` that `other` lacks, even when typed without accents."""
    own, others = (words_by_name(_LIST).get(each, frozenset[str]()) for each in (language, other))
    typed = others | {without_accents(word) for word in others}
    return any(word in own and word not in typed for word in prose_of(question))


def _has_word_of_its_own(language: str, prose: list[str]) -> bool:
    """Whether some word belongs to this language alone: languages without a list share words with their neighbours."""
    return any(_languages_of().get(word) == (language,) for word in prose)


@cache
def _languages_of() -> dict[str, tuple[str, ...]]:
    """The languages that have each of the listed words."""
    found: dict[str, tuple[str, ...]] = {}
    for language, listed in words_by_name(_LIST).items():
        for word in listed:
            found[word] = (*found.get(word, ()), language)
    return found
