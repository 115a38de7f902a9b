"""Whether the passages count the things that a question asks the number of: "How many boats are there?"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from sourcebook.consult.question.asked_for.asked_value import asked_values
from sourcebook.text.numbers import quantities
from sourcebook.text.stems import stem_words
from sourcebook.text.vocabulary.question_words import WITH_LISTS, generic_words, near_words, stems_everywhere
from sourcebook.text.vocabulary.stopwords import stop_words

if TYPE_CHECKING:
    from sourcebook.model.search import SearchResult

# "Сколько книг" and "сколько врачей", not "сколько стоит" nor "сколько вас".
_MANY = r"(?!(?:вас|нас|них|раз|всех)\b)\w*(?:ов|[её]в|ей|ий|мест|комнат|карт|школ|\w\w[бгджзкнпрсфхцчшщ])\b"
_HOW_MANY = re.compile(
    rf"\b(?:how many|quant[oa]s|cu[aá]nt[oa]s|сколько(?=\s+{_MANY}))"
    r"\s+(?:of (?:the|your|our)\s+)?(?P<things>\w+(?:\s+\w+)?)",
    re.IGNORECASE,
)
_NO_ARTICLE = r"(?!(?:the|[oa]s?|l[ao]s?|el)\s)"
# "25 small boats" and "4, 000 boats", not "5.9; the boats" nor "1. Boats".
_COUNTED = re.compile(
    r"(?:,\s?\d{3})*\+?\s?(?:[kKM]\b)?"
    rf"\s+(?P<words>{_NO_ARTICLE}[^\W\d_]+(?:[\s-]+{_NO_ARTICLE}[^\W\d_]+){{0,2}})",
    re.IGNORECASE,
)
_NAMED_BEFORE = re.compile(
    r"(?P<name>[^\W\d_]+)\s*(?:[:|=—–]|\s(?:stands at|numbers|totals|reached|составляет|chega a|soma|asciende a))\s*$",
    re.IGNORECASE,
)
# "The hall seats 120": who sits there need not be said.
_HAS_ROOM_FOR = re.compile(
    r"\b(?:seats|holds|accommodates|fits|вмещает|вмещают|comporta|acomoda|acoge)"
    r"(?:\s(?:up to|about|around|до|около|até|cerca de|hasta|unas))?\s*$",
    re.IGNORECASE,
)
_WHO_SITS = ("people", "seats", "человек", "мест", "pessoas", "lugares", "personas", "plazas")
_SHORTEST_BEGINNING = 5
_WORD = re.compile(r"[^\W\d_]{2,}")
_HAS = re.compile(
    r"(?:\b(?:has|have|had|are|were|is|own|owns|tem|têm|há|possui|são|hay|tiene|tienen|son|есть|имеется|всего|работа[ею]т)"
    r"|[:|=—–])\s*(?:\w+\s+)?$",
    re.I,
)
_A_FEW = 3
"""Small numbers often count only some of the things, unless they follow "has": two members must second it."""
_THOUSANDS = re.compile(r"\s?(?:[kKM]\b|тыс|млн|thousand|million|mil\b|milh|mill)")
_WINDOW = 60


def is_count_missing(question: str, passages: Sequence[SearchResult]) -> bool:
    """Whether the question asks how many of a thing there are, and no whole number counts such things."""
    found = _HOW_MANY.search(question)
    if found is None or asked_values(question):
        return False
    things = [word for word in found["things"].casefold().split() if word not in _idle_words()]
    if not things:
        return False
    wanted = stems_everywhere(things)
    for language in WITH_LISTS:
        near = near_words(language)
        wanted |= wanted.union(*(near.get(stem, ()) for stem in stem_words(things, language)))
    counted = stems_everywhere(
        sorted({word.casefold() for p in passages for word in _counted(p.chunk.content)})
    )
    # "150 memberships" counts members.
    beginnings = tuple(stem for stem in wanted if len(stem) >= _SHORTEST_BEGINNING)
    return wanted.isdisjoint(counted) and not any(stem.startswith(beginnings) for stem in counted)


@cache
def _idle_words() -> frozenset[str]:
    """Words that name nothing to count: "how many of them", "how many can"."""
    return generic_words().union(*map(stop_words, WITH_LISTS))


def _counted(text: str) -> Iterator[str]:
    """The words for what the whole numbers of a text count: "25 small boats", "Boats: 25", people if it "seats 25"."""
    for number in quantities(text):
        before = text[max(0, number.start - _WINDOW) : number.start]
        if number.value.isdigit() and int(number.value) <= _A_FEW and not _HAS.search(before):
            continue
        if number.value.isdigit() or _THOUSANDS.match(text, number.end):
            if found := _COUNTED.match(text, number.end):
                yield from _WORD.findall(found["words"])
            if named := _NAMED_BEFORE.search(before):
                yield named["name"]
            if _HAS_ROOM_FOR.search(text, max(0, number.start - _WINDOW), number.start):
                yield from _WHO_SITS
