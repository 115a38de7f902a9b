"""What the words of a question tell about whether it needs the conversation before it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sourcebook.consult.question.words.everyday_words import everyday_stems
from sourcebook.text.analysis import words
from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.stopwords import stop_words
from sourcebook.text.vocabulary.word_lists import words_by_name

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
# A longer question names its subject.
_LONG = 8


def points_back(question: str, language: str | None) -> bool:
    """Whether a question may need the one before it, by its words or because it is short."""
    found = words(question)
    if not found:
        return False
    content = _content(found, language)
    if len(found) > _LONG and len(content) > _SHORT:
        return False
    return has_pointer(question) or (len(content) < _SHORT and not _asks_about_us(found, content, language))


def has_pointer(question: str) -> bool:
    """Whether a question has a word that points back, or begins with one that continues."""
    found = words(_EXISTENTIAL.sub(" ", question))
    return bool(found) and (found[0] in _listed("continuing") or not _listed("pointing").isdisjoint(found))


def content_words(question: str, language: str | None) -> list[str]:
    """The content words, without those that only ask or point back."""
    return _content(words(question), language)


def names_something(question: str, language: str | None) -> bool:
    """Whether a follow-up only names something, as in "and the double bass?", and does not ask anything else."""
    return _listed("asking").isdisjoint(words(question)) and says_something(question, language)


def says_something(question: str, language: str | None) -> bool:
    """Whether a question names something that it can be about. "How long does that take?" does not."""
    content = [word for word in content_words(question, language) if word not in _listed("measuring")]
    return not everyday_stems(language).issuperset(stem_words(content, language))


def lacks_subject(question: str, language: str | None) -> bool:
    """Whether a question asks for a value of something that it does not name: "how long does that take?"."""
    found = words(question)
    content = _content(found, language)
    return _YOU.isdisjoint(found) and _listed("measuring").issuperset(content)


def says_what_is_there(question: str, language: str | None) -> bool:
    """Whether a question is clear but for a "there"."""
    found = words(question)
    if found[0] in _listed("continuing") or not _listed("pointing").isdisjoint(set(found) - _THERE):
        return False
    said = stem_words(_content(found, language), language)
    return len(set(said) - everyday_stems(language) - _THERE) >= _ENOUGH


def _content(found: Sequence[str], language: str | None) -> list[str]:
    stops = stop_words(language)
    left_out = stops | _listed("asking") | _listed("pointing") | _listed("continuing")
    return [word for word in found if word not in left_out]


def _asks_about_us(found: Sequence[str], content: Sequence[str], language: str | None) -> bool:
    """Whether a question is only about whoever answers: "where are you?"."""
    if found[0] not in _listed("asking") or _YOU.isdisjoint(found):
        return False
    said = [word for word in content if word not in _YOU]
    return everyday_stems(language).issuperset(stem_words(said, language))


def _listed(group: str) -> frozenset[str]:
    return words_by_name("follow_up_words.txt")[group]
