"""What kind of thing a question asks for, and whether a sentence gives it."""

from __future__ import annotations

from enum import StrEnum

from sourcebook.consult.support import decisive_words
from sourcebook.text.analysis import words
from sourcebook.text.numbers import quantities


class Kind(StrEnum):
    TIME = "time"
    PLACE = "place"
    REASON = "reason"
    WAY = "way"
    AMOUNT = "amount"


_ASKING = {
    Kind.TIME: "when когда quando",
    Kind.PLACE: "where где куда onde",
    Kind.REASON: "why почему зачем отчего porque",
    Kind.WAY: "how как como",
    Kind.AMOUNT: "much many long often far deep сколько часто глубоко quanto quanta quantos quantas frequência",
}
_KIND_OF = {word: kind for kind, forms in _ASKING.items() for word in forms.split()}

_SEASONS = frozenset({"spring", "summer", "autumn", "winter"})
_MONTHS = frozenset(
    {"january", "february", "march", "april", "june", "july", "august"}
    | {"september", "october", "november", "december"}
)
_LENGTHS_OF_TIME = frozenset({"hour", "day", "week", "month", "year", "century"})
_DIGITS_OF_A_YEAR = 4


def kinds_of(question: str) -> frozenset[Kind]:
    """The kinds of thing that the words of a question ask for; none if they do not say."""
    found = {_KIND_OF[word] for word in words(question) if word in _KIND_OF}
    # "How much" asks for an amount, not for a way.
    return frozenset(found - {Kind.WAY} if Kind.AMOUNT in found else found)


def gives(sentence: str, kinds: frozenset[Kind]) -> bool:
    """Whether a sentence has a time for who asks when, or a number for who asks how much. Other kinds do not show."""
    if Kind.TIME in kinds:
        return bool(decisive_words(sentence) & (_SEASONS | _MONTHS)) or _names_a_time(sentence)
    return Kind.AMOUNT in kinds and bool(quantities(sentence))


def _names_a_time(sentence: str) -> bool:
    return any(
        found.unit in _LENGTHS_OF_TIME or (found.value.isdigit() and len(found.value) == _DIGITS_OF_A_YEAR)
        for found in quantities(sentence)
    )
