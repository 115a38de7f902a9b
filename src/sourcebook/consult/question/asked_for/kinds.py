"""The kind of thing that a question asks for, and whether a sentence gives it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from sourcebook.consult.support.support_check import decisive_words
from sourcebook.text.analysis import words
from sourcebook.text.numbers import quantities
from sourcebook.text.vocabulary.word_lists import named_lines


class QuestionKind(StrEnum):
    TIME = "time"
    PLACE = "place"
    PERSON = "person"
    REASON = "reason"
    WAY = "way"
    AMOUNT = "amount"
    DEPTH = "depth"
    DISTANCE = "distance"
    FREQUENCY = "frequency"
    DURATION = "duration"
    PERMISSION = "permission"
    DUTY = "duty"
    DOING = "doing"


_TO_BE = frozenset({"is", "are", "am", "é", "são", "está", "están"})
_ALLOWED = frozenset({"allowed", "permitted", "permitido", "permitida", "permitidos", "permitidas"})

# Of several kinds in one question, the first of these is meant: "how much" does not ask how, nor "at what depth does
# one plant when" at what time.
_RANK = (
    QuestionKind.DURATION,
    QuestionKind.FREQUENCY,
    QuestionKind.DEPTH,
    QuestionKind.DISTANCE,
    QuestionKind.AMOUNT,
)
MEASURED = frozenset(_RANK)

_WHAT_IT_DOES = re.compile(
    r" what (?:do|does|did) .* (?:do|cause) | (?:o que|qué|que) .* (?:faz|fazem|hace|hacen) | что .*делае(?:т|ют) .*"
)
_SEASONS = frozenset({"spring", "summer", "autumn", "winter"})
_MONTHS = frozenset(
    {"january", "february", "march", "april", "june", "july", "august"}
    | {"september", "october", "november", "december"}
)
_LENGTHS_OF_TIME = frozenset({"hour", "day", "week", "month", "year", "century"})
_DIGITS_OF_A_YEAR = 4


@dataclass(frozen=True, slots=True)
class _Listed:
    """What `question_kinds.txt` lists. Phrases, the longest first, have a space before and after them."""

    words: Mapping[str, QuestionKind]
    phrases: Sequence[tuple[str, QuestionKind]]
    beginnings: Sequence[tuple[str, QuestionKind]]


@cache
def _listed() -> _Listed:
    single: dict[str, QuestionKind] = {}
    phrases: dict[str, list[tuple[str, QuestionKind]]] = {"phrase": [], "beginning": []}
    for name, rest in named_lines("question_kinds.txt"):
        listed_as, kind = name.split()
        if listed_as == "word":
            single |= dict.fromkeys(rest.split(), QuestionKind(kind))
        else:
            phrases[listed_as] += ((f" {phrase} ", QuestionKind(kind)) for phrase in rest.split(" | "))
    longest_first = sorted(phrases["phrase"], key=lambda listed: -len(listed[0]))
    return _Listed(single, longest_first, phrases["beginning"])


def kinds_of(question: str) -> frozenset[QuestionKind]:
    """The kinds of thing that a question asks for; none if its words do not say."""
    said = words(question)
    whole = f" {' '.join(said)} "
    listed = _listed()
    found = {listed.words[word] for word in said if word in listed.words}
    found |= {kind for phrase, kind in listed.phrases if phrase in whole}
    if found <= {QuestionKind.REASON} and _WHAT_IT_DOES.fullmatch(whole):
        return frozenset({QuestionKind.DOING})
    if QuestionKind.TIME in found and " ago " in whole:
        return frozenset({QuestionKind.TIME})
    for kind in _RANK:
        if kind in found:
            return frozenset({kind})
    if not found:
        found = {kind for beginning, kind in listed.beginnings if whole.startswith(beginning)}
    if not found and said and said[0] in _TO_BE and not _ALLOWED.isdisjoint(said):
        found = {QuestionKind.PERMISSION}
    return frozenset(found - {QuestionKind.WAY} if len(found) > 1 else found)


def without_asking(question: str) -> list[str]:
    """The words of a question, without those that only tell what kind of thing it asks for."""
    whole = f" {' '.join(words(question))} "
    listed = _listed()
    for phrase, _ in listed.phrases:
        whole = whole.replace(phrase, " ")
    return [word for word in whole.split() if word not in listed.words]


def gives(sentence: str, kinds: frozenset[QuestionKind]) -> bool:
    """Whether a sentence has a time for "when", or a number for "how much". False for other kinds."""
    if QuestionKind.TIME in kinds:
        return bool(decisive_words(sentence) & (_SEASONS | _MONTHS)) or _names_a_time(sentence)
    return bool(MEASURED & kinds) and bool(quantities(sentence))


def _names_a_time(sentence: str) -> bool:
    return any(
        found.unit in _LENGTHS_OF_TIME or (found.value.isdigit() and len(found.value) == _DIGITS_OF_A_YEAR)
        for found in quantities(sentence)
    )
