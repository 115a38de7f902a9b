"""Measures which share of a question a text has, by the weights of the question's words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from sourcebook.consult.question.conversation.follow_up_words import (
    has_pointer,
    lacks_subject,
    names_something,
)
from sourcebook.consult.question.words.everyday_words import everyday_stems
from sourcebook.text.analysis import analyse, analyse_question, distinct_terms
from sourcebook.text.stems import shared_beginning
from sourcebook.text.vocabulary.question_words import near_words, words_alike

_SHORTEST_SHARED_BEGINNING = 5
_SHARED_PART = 0.55
"""Two words with different endings must share this part of the longer one."""
_OTHER_WORDS = frozenset({"ar", "ari", "ariat", "ар", "ариат"})
"""Endings that make another word: a secretary is not a secret."""
# Beginnings of many unrelated words: "interest" and "interview".
_FIRST_PARTS_OF_WORDS = """
    inter trans micro macro super hyper multi under contra contr infra ultra photo radio elect electro neuro
    интер транс микро макро супер гипер мульти контр электр электро радио видео предп предс предст
    """
_FIRST_PARTS = frozenset(_FIRST_PARTS_OF_WORDS.split())
# How much the words of a follow-up count: in general, if it only names something, and if it names no subject.
_WORTH_OF_NOW = 2.0
_WORTH_OF_NAMED = 3.0
_WORTH_OF_MEASURING = 1.0
_WORTH_OF_A_NEAR_WORD = 0.75
_NEARLY = "≈"
_LEAST_ALIKE = 0.5
"""A heading that is no more like a question than this is about something else."""


def held_share(weights: Mapping[str, float], text: str, language: str | None) -> float:
    """The share of a question's weight that the text has. Of a long word, any form counts."""
    return share_of_weight(weights, distinct_terms(text, language), language)


def share_of_weight(weights: Mapping[str, float], terms: AbstractSet[str], language: str | None) -> float:
    """`held_share` of a text whose terms are known."""
    return weight_of(marked_terms(weights, terms, language), weights)


def marked_terms_in(weights: Mapping[str, float], text: str, language: str | None) -> frozenset[str]:
    """`marked_terms` of a text."""
    return frozenset(marked_terms(weights, distinct_terms(text, language), language))


def words_that_name(heading: str, language: str | None) -> frozenset[str]:
    """The terms of a heading without words that people ask anything with."""
    if language is None:
        return distinct_terms(heading, language)
    return frozenset(analyse_question(heading, [language]).terms) - everyday_stems(language)


def likeness(terms: AbstractSet[str], weights: Mapping[str, float], language: str | None) -> float:
    """How far the terms of a heading and those of a question are the same, from 0 to 1. Others count against it."""
    if not terms or not weights:
        return 0.0
    held = marked_terms(weights, terms, language)
    asked = weight_of(held, weights)
    named = min(1.0, len(unmarked(held)) / len(terms))
    alike = 2 * asked * named / (asked + named) if held else 0.0
    return max(0.0, alike - _LEAST_ALIKE) / (1 - _LEAST_ALIKE)


def weight_of(held: AbstractSet[str], weights: Mapping[str, float]) -> float:
    """The share of a question's weight that these terms have; marked ones count in part."""
    total = sum(weights.values())
    worth = sum(
        weight * (1.0 if term in held else _WORTH_OF_A_NEAR_WORD)
        for term, weight in weights.items()
        if term in held or _NEARLY + term in held
    )
    return worth / total if total else 0.0


def held_terms(weights: Mapping[str, float], terms: AbstractSet[str], language: str | None) -> set[str]:
    """The terms of a question that a text has, itself or by a near word."""
    return unmarked(marked_terms(weights, terms, language))


def unmarked(held: AbstractSet[str]) -> set[str]:
    """The terms without the mark for near words."""
    return {term.removeprefix(_NEARLY) for term in held}


def marked_terms(
    weights: Mapping[str, float],
    terms: AbstractSet[str],
    language: str | None,
    said: AbstractSet[str] = frozenset(),
) -> set[str]:
    """The terms of a question that a text has, with a mark on those that it has only by a near word, for `weight_of`.

    The union of two results is that of both texts. Terms `said` around the text are not replaced by other words: beside
    "annual leave", "a year" does not mean annual.
    """
    # The sixth of May is written 06/05 in most sheets.
    held = {term for term in weights if term in terms or (term.isdigit() and f"0{term}" in terms)}
    # Stems of one word sometimes differ ("поставок", "поставка"); a number is never like another.
    missing = [term for term in weights if term not in held and _may_share_beginning(term)]
    if missing:
        beginnings = _beginnings(frozenset(terms))
        held.update(term for term in missing if _has_form(term, beginnings))
    # "Price" counts as "cost": words that can replace each other in questions.
    alike = words_alike()
    asked = [term for term in weights if term not in held and term in alike and term not in said]
    if asked:
        meant = {alike[term] for term in terms if term in alike}
        held.update(term for term in asked if alike[term] in meant)
    # "Hire" may answer "rent".
    near = near_words(language)
    others = [term for term in weights if term in near and term not in held and term not in said]
    held.update(_NEARLY + term for term in others if not near[term].isdisjoint(terms))
    return held


def _may_share_beginning(term: str) -> bool:
    return len(term) > _SHORTEST_SHARED_BEGINNING and not term.isdigit()


def _has_form(term: str, beginnings: Mapping[str, Sequence[str]]) -> bool:
    others = beginnings.get(term[:_SHORTEST_SHARED_BEGINNING], ())
    return any(_are_forms(term, other) for other in others)


@lru_cache(4096)
def _are_forms(one: str, other: str) -> bool:
    """Whether two long words that begin alike may be forms of one: "поставка" and "поставлять", not "secretary"."""
    shared = shared_beginning(one, other)
    ends = one[shared:], other[shared:]
    if not all(ends):
        return not set(ends) & _OTHER_WORDS
    return shared >= _SHARED_PART * max(len(one), len(other)) and one[:shared] not in _FIRST_PARTS


@lru_cache(2048)
def _beginnings(terms: frozenset[str]) -> Mapping[str, Sequence[str]]:
    """The long terms by their first letters."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for term in terms:
        if _may_share_beginning(term):
            found[term[:_SHORTEST_SHARED_BEGINNING]].append(term)
    return found


def emphasised(weights: Mapping[str, float], question: str, language: str | None) -> dict[str, float]:
    """The weights, greater for words of the question itself: a follow-up is searched with the question before it."""
    own, worth = set(analyse(question, language)), _worth_of_now(question, language)
    return {term: weight * (worth if term in own else 1.0) for term, weight in weights.items()}


def _worth_of_now(question: str, language: str | None) -> float:
    """How much its own words count: little in "for how long?", and most in "and the harp?"."""
    if lacks_subject(question, language):
        return _WORTH_OF_MEASURING
    is_named = has_pointer(question) and names_something(question, language)
    return _WORTH_OF_NAMED if is_named else _WORTH_OF_NOW
