"""Does a quote support the sentence that cites it? Decided without a model.

Presence of a quote is not support: a sentence may cite a real place and say something else. So what a reader would be
misled by is compared one by one: numbers with their units, names, times and directions, what is denied; and most of
the sentence's own words must stand in the quote.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from sourcebook.text.analysis import analyse, words
from sourcebook.text.negation import denied_terms, negators
from sourcebook.text.normal import folded
from sourcebook.text.numbers import Quantity, quantities
from sourcebook.text.stems import stem_words
from sourcebook.text.stopwords import stop_words

ENOUGH_WORDS = 0.6
"""The share of a sentence's terms that its quote must hold."""
_ENOUGH_OF_A_WORD = 5
"""Words that agree in so many first letters count as forms of one word: stems of one word sometimes differ."""

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_SENTENCE_START = re.compile(r"(?:^|[.!?…:]|\n|[-*•])[\s\"'«“„(\[*_]*$")

# What turns a statement around when it is exchanged. Each line: words of which one cannot stand for another.
_DECISIVE = """
before до перед раньше antes
after после позже depois após
more больше более выше mais acima above over
less меньше менее ниже menos abaixo below under fewer
spring весна весной весны весну primavera
summer лето летом лета verão
autumn fall осень осенью осени outono
winter зима зимой зимы зиму inverno
january январь января январе janeiro
february февраль февраля феврале fevereiro
march март марта марте março
april апрель апреля апреле abril
may май мая мае maio
june июнь июня июне junho
july июль июля июле julho
august август августа августе agosto
september сентябрь сентября сентябре setembro
october октябрь октября октябре outubro
november ноябрь ноября ноябре novembro
december декабрь декабря декабре dezembro
monday понедельник понедельника segunda-feira
friday пятница пятницу пятницы sexta-feira
minimum минимум минимальный mínimo least
maximum максимум максимальный máximo most
first первый первая первое первого primeiro primeira
second второй вторая второе второго segundo segunda
last последний последняя последнее последнего último última
left левый левая слева esquerda
right правый правая справа direita
north север севере севера norte
south юг юге юга sul
east восток востоке востока leste
west запад западе запада oeste
all все всех todos todas
always всегда sempre
"""
# Words that are no names although they are often written with a capital letter, or that mean something else as well.
_AMBIGUOUS = frozenset(
    {
        "may",
        "second",
        "fall",
        "right",
        "left",
        "all",
        "все",
        "всех",
        "лета",
        "mais",
        "over",
        "under",
        "segundo",
        "segunda",
    }
)


class Doubt(StrEnum):
    """Why a sentence is not taken for supported."""

    NUMBER = "number"
    UNIT = "unit"
    NAME = "name"
    NEGATION = "negation"
    TURNED_AROUND = "turned_around"
    WORDS = "words"
    NO_QUOTE = "no_quote"


@dataclass(frozen=True, slots=True)
class Support:
    """The doubts, and the share of the sentence's terms that are in the quote."""

    doubts: tuple[Doubt, ...]
    share: float

    @property
    def is_enough(self) -> bool:
        return not self.doubts


def check_support(sentence: str, quote: str, language: str | None = None, context: str = "") -> Support:
    """Compare a sentence with what it cites. `context` is what a reader of the quote knows too: its title and section.

    Names and words may stand in the context; numbers and denials must be in the quote.
    """
    if not quote.strip():
        return Support((Doubt.NO_QUOTE,), 0.0)
    around = f"{context}\n{quote}"
    share = share_of_terms(sentence, around, language)
    tests = (
        (Doubt.NUMBER, _has_other_numbers(sentence, quote)),
        (Doubt.UNIT, _has_other_units(sentence, quote)),
        (Doubt.NAME, bool(_missing_names(sentence, around, language))),
        (Doubt.NEGATION, _denies_differently(sentence, quote, language)),
        (Doubt.TURNED_AROUND, _is_turned_around(sentence, around)),
        (Doubt.WORDS, share < ENOUGH_WORDS or _says_nothing(sentence, language)),
    )
    return Support(tuple(doubt for doubt, is_doubtful in tests if is_doubtful), share)


def _says_nothing(sentence: str, language: str | None) -> bool:
    """Whether a sentence only denies, such as "Never.": what, nobody can compare."""
    return not set(words(sentence)) - negators(language) - stop_words(language)


def share_of_terms(sentence: str, quote: str, language: str | None) -> float:
    """Which part of the sentence's distinct terms the quote holds; 1.0 for a sentence without any."""
    wanted = set(analyse(sentence, language))
    held = set(analyse(quote, language))
    beginnings = _beginnings(held)
    found = [term for term in wanted if term in held or _beginning(term) in beginnings]
    return len(found) / len(wanted) if wanted else 1.0


def _beginning(term: str) -> str | None:
    return term[:_ENOUGH_OF_A_WORD] if len(term) > _ENOUGH_OF_A_WORD and not term.isdigit() else None


def _beginnings(terms: set[str]) -> set[str]:
    return {beginning for term in terms if (beginning := _beginning(term))}


def _has_other_numbers(sentence: str, quote: str) -> bool:
    held = {found.value for found in quantities(quote)}
    return any(found.value not in held for found in quantities(sentence))


def _has_other_units(sentence: str, quote: str) -> bool:
    """Whether a number counts something else than it does in the quote."""
    held = quantities(quote)
    return any(_is_other_unit(found, held) for found in quantities(sentence) if found.unit)


def _is_other_unit(found: Quantity, held: list[Quantity]) -> bool:
    units = {other.unit for other in held if other.value == found.value}
    return bool(units) and found.unit not in units and units != {None}


def _missing_names(sentence: str, around: str, language: str | None) -> list[str]:
    """Names in the sentence that are not in the quote."""
    held = set(words(around))
    stems = set(stem_words(sorted(held), language))
    beginnings = _beginnings(stems | held)
    return [
        name
        for name in names(sentence)
        if not any(
            part in held or stem in stems or _beginning(stem) in beginnings
            for part, stem in _with_stems(words(name), language)
        )
    ]


def _with_stems(parts: list[str], language: str | None) -> list[tuple[str, str]]:
    return list(zip(parts, stem_words(parts, language), strict=True))


def names(sentence: str) -> list[str]:
    """Words that look like names: a capital letter inside a sentence, several capitals, or letters with digits."""
    return [
        match[0]
        for match in _WORD.finditer(sentence)
        if _looks_like_a_name(match[0], is_first=bool(_SENTENCE_START.search(sentence, 0, match.start())))
    ]


def _looks_like_a_name(word: str, *, is_first: bool) -> bool:
    has_letters = any(letter.isalpha() for letter in word)
    mixed = has_letters and any(letter.isdigit() for letter in word)
    inner_capital = any(letter.isupper() for letter in word[1:])
    return mixed or inner_capital or (word[:1].isupper() and not is_first and len(word) > 1)


def _denies_differently(sentence: str, quote: str, language: str | None) -> bool:
    """Whether something is denied here and stated there, or the other way round."""
    denying = negators(language)
    there = denying.intersection(words(quote))
    if not there and not denying.intersection(words(sentence)):
        return False
    denied, plain = denied_terms(sentence, language)
    denied_there, plain_there = denied_terms(quote, language)
    new = denied - plain - denied_there
    lost = (plain - denied) & (denied_there - plain_there)
    return bool(new & plain_there) or (bool(new) and not there) or bool(lost)


def _is_turned_around(sentence: str, around: str) -> bool:
    """Whether the sentence has a word of time or direction that the quote lacks."""
    return bool(decisive_words(sentence) - decisive_words(around))


def decisive_words(text: str) -> set[str]:
    """The words of time and direction in a text, each in one form for all languages and inflections."""
    decisive = _decisive()
    return {decisive[word] for word in words(text) if word in decisive}


@cache
def _decisive() -> dict[str, str]:
    lines = [line.split() for line in _DECISIVE.strip().splitlines()]
    return {folded(form): forms[0] for forms in lines for form in forms if form not in _AMBIGUOUS}
