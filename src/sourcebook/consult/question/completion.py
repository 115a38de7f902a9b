"""Completes follow-up questions such as "and when in spring?" from the conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sourcebook.consult.question.everyday_words import everyday_stems
from sourcebook.text.analysis import words
from sourcebook.text.stems import stem_words
from sourcebook.text.stopwords import stop_words
from sourcebook.text.word_lists import words_by_name

_SHORT = 3
"""With so few content words, a question after another is rarely complete."""

_ENOUGH = 2
"""With so many content words, a question is clear without the one before."""

# Words for "there": what is there may be found elsewhere than what was asked before.
_THERE = frozenset(["there", "там", "туда", "оттуда", "lá", "ali", "allí", "allá", "ahí"])
# "Where are you?" is about whoever answers, not about the subject of the conversation.
_YOU = frozenset(["you", "вы", "вас", "вам", "você", "vocês", "ustedes", "usted", "vosotros", "estáis"])
# "How do I get there?" points back, "Is there a car park?" does not.
_EXISTENTIAL = re.compile(
    r"\b(?:is|are|was|were|will|be) there\b|\bthere (?:is|are|was|were|will|be)\b", re.IGNORECASE
)
_CYRILLIC = re.compile(r"[а-яё]", re.IGNORECASE)
# A longer question names its subject.
_LONG = 8


def wordings(question: str, earlier: Sequence[str], language: str | None) -> list[str]:
    """The wordings to search for, in the order to try them.

    A question that points back is searched with the last complete question before it. A short one may be complete, so
    it is tried alone first; one that only has "there" is tried alone last, if it says enough.
    """
    whole = completed(question, earlier, language)
    if whole == question:
        return [question]
    if not _points(question):
        return [question, whole]
    return [whole, question] if _says_what_is_there(question, language) else [whole]


def completed(question: str, earlier: Sequence[str], language: str | None) -> str:
    """The question with the last complete question before it, if it may refer to that."""
    # A question in another script starts a new subject. Digits have no script, and one word may be a name: "VPN?".
    if any(map(str.isalpha, question)) and len(words(question)) > 1:
        earlier = [one for one in earlier if _is_cyrillic(one) == _is_cyrillic(question)]
    if not earlier or not points_back(question, language):
        return question
    base = next((q for q in reversed(earlier) if not points_back(q, language)), earlier[0])
    return f"{base} {question}"


def points_back(question: str, language: str | None) -> bool:
    """Whether a question may need the one before it, by its words or because it is short."""
    found = words(question)
    if not found:
        return False
    content = _content(found, language)
    if len(found) > _LONG and len(content) > _SHORT:
        return False
    return _points(question) or (len(content) < _SHORT and not _asks_about_us(found, content, language))


def _content(found: Sequence[str], language: str | None) -> list[str]:
    """The content words, without those that only ask or point back."""
    stops = stop_words(language)
    left_out = stops | _listed("asking") | _listed("pointing") | _listed("continuing")
    return [word for word in found if word not in left_out]


def _asks_about_us(found: Sequence[str], content: Sequence[str], language: str | None) -> bool:
    """Whether a question is only about whoever answers: "where are you?"."""
    if found[0] not in _listed("asking") or _YOU.isdisjoint(found):
        return False
    said = [word for word in content if word not in _YOU]
    return everyday_stems(language).issuperset(stem_words(said, language))


def _says_what_is_there(question: str, language: str | None) -> bool:
    found = words(question)
    if found[0] in _listed("continuing") or not _listed("pointing").isdisjoint(set(found) - _THERE):
        return False
    said = stem_words(_content(found, language), language)
    return len(set(said) - everyday_stems(language) - _THERE) >= _ENOUGH


def _listed(group: str) -> frozenset[str]:
    return words_by_name("follow_up_words.txt")[group]


def _is_cyrillic(text: str) -> bool:
    return _CYRILLIC.search(text) is not None


def _points(question: str) -> bool:
    found = words(_EXISTENTIAL.sub(" ", question))
    return bool(found) and (found[0] in _listed("continuing") or not _listed("pointing").isdisjoint(found))
