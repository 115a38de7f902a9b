"""Whether a text gives a value of some kind: a number beside a unit, or words that say the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from sourcebook.consult.question.asked_value import (
    Kinds,
    ValueKind,
    kinds_named_by,
    value_units,
    value_words,
)
from sourcebook.text.analysis import words
from sourcebook.text.normal_form import folded
from sourcebook.text.numbers import quantities

_REACH_BEHIND = 3
"""How many words behind a number may tell what it counts: "28 calendar days", "20 thousand euros"."""
_REACH_BEFORE = 2
_WINDOW = 60
_WORD = re.compile(r"[^\W\d_]+(?:[²³]|(?<=m)[23]\b|/[^\W\d_]+)?|[%‰]|°\s?[^\W\d_]?|(?:R|US)?\$|[€£₽¥]")
_ENDS = re.compile(r"[.;!?](?:\s|$)|\n")
_SIGNS = {ValueKind.MONEY: frozenset("$ € £ ₽ ¥ r$ us$".split()), ValueKind.TEMPERATURE: frozenset({"°"})}
# "One" and "half" are no numbers of their own. "Twice a year" tells how often, and not how long.
_ONE = re.compile(
    r"(?<!once )(?<!twice )(?<!times )(?<!per )\b(?:an?|one|half|several|few|couple|один|одн(?:а|о|ого|ой|у|ому|им)"
    r"|пол|полтор\w+|нескольк\w+|пар[аыу]|кажд\w+|течение|um|uma|mei[oa]|alguns|algumas|vári[oa]s|un|una|medi[oa]|vari[oa]s)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_CLOCK = re.compile(
    r"""\b\d{1,2}(?:[:h]|ч\s?)\d{2}\b|\b\d{1,2}\s?(?:[ap]\.?\s?m\b|o['’]clock|h\b|hs\b|hrs\b)
    |\b(?:at|from|until|till|to|by|before|after|between|с|со|до|в|к|после|около|às?|das?|até|as|las?|entre|hasta|desde)
     \s+(?:\w+\s+)?(?:\d{1,2}|NUMBER)\b(?!\s?(?:%|[€$£₽]|\w*(?:mm|cm|km|kg|кг|см|км)\b))
    |\b(?:\d{1,2}|NUMBER)\s(?:утра|вечера|ночи|дня|da\ manhã|da\ tarde|da\ noite|de\ la\ \w+)\b""".replace(
        "NUMBER",
        "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|два|двух|три|трех|четыре|четырех|пят[ьи]|шест[ьи]"
        "|сем[ьи]|восемь|восьми|девят[ьи]|десят[ьи]|одиннадцат[ьи]|двенадцат[ьи]|час[ау]?|uma|duas|três|quatro|cinco|seis"
        "|sete|oito|nove|dez|onze|doze|una|dos|tres|cuatro|siete|ocho|nueve|diez|once|doce",
    ),
    re.IGNORECASE | re.VERBOSE,
)
_PHONE = re.compile(r"\+?\(?\d[\d\s()./–-]{4,}\d|\b(?:ext|extension|доб|ramal|extensión)\b\.?\s*\d|\b\d{3,}\b", re.I)
_EMAIL = re.compile(r"\w@\w")
_ADDRESS = re.compile(r"\d|\w@\w")


def gives_value(text: str, kinds: Kinds, question: str) -> bool:
    """Whether a text has a value of one of the kinds that the question does not say itself."""
    said = " ".join(words(text))
    return any(
        _IN_OWN_WAY[kind](text) if kind in _IN_OWN_WAY else _has_unit(text, kind, question) for kind in kinds
    ) or any(kind in value_words() and value_words()[kind].search(f" {said} ") for kind in kinds) or _is_named(
        text, kinds
    )


def _has_unit(text: str, kind: ValueKind, question: str) -> bool:
    asked = frozenset(words(question))
    return any(
        kind in kinds and not (near <= asked and number in asked) for number, near, kinds in _numbers(text)
    )


def _is_named(text: str, kinds: Kinds) -> bool:
    """Whether it names such a value and has a number that counts nothing else: "Weight: 12"."""
    return bool(kinds & kinds_named_by(words(text))) and any(
        not of and not _YEAR.fullmatch(number) for number, _, of in _numbers(text)
    )


def _is_plain(text: str) -> bool:
    """Whether a number counts nothing that has a unit."""
    return any(not kinds for _, _, kinds in _numbers(text))


_IN_OWN_WAY: dict[ValueKind, Callable[[str], bool]] = {
    ValueKind.CLOCK: lambda text: _CLOCK.search(text) is not None,
    ValueKind.PHONE: lambda text: _PHONE.search(text) is not None,
    ValueKind.EMAIL: lambda text: _EMAIL.search(text) is not None,
    ValueKind.ADDRESS: lambda text: _ADDRESS.search(text) is not None,
    ValueKind.AGE: _is_plain,
    ValueKind.COUNT: _is_plain,
    ValueKind.FREQUENCY: lambda text: any(ValueKind.DURATION in kinds for _, _, kinds in _numbers(text)),
    ValueKind.TIME: lambda text: any(ValueKind.DURATION in kinds for _, _, kinds in _numbers(text)),
}


@lru_cache(1024)
def _numbers(text: str) -> tuple[tuple[str, frozenset[str], Kinds], ...]:
    """Of each number its value, the words beside it that may be its unit, and of which kinds they are."""
    return tuple(_read(text))


def _read(text: str) -> Iterator[tuple[str, frozenset[str], Kinds]]:
    for found in quantities(text):
        behind = _words_behind(text, found.end)
        before = _words_before(text, found.start)
        yield found.value, frozenset((*behind, *before)), _kinds_of(behind) | _kinds_of(before)
    for one in _ONE.finditer(text):
        behind = _words_behind(text, one.end())[:2]
        if kinds := _kinds_of(behind):
            yield "1", frozenset(behind), kinds


def _words_behind(text: str, end: int) -> list[str]:
    window = text[end : end + _WINDOW]
    ends = _ENDS.search(window)
    return _units_in(window[: ends.start()] if ends else window)[:_REACH_BEHIND]


def _words_before(text: str, start: int) -> list[str]:
    window = text[max(0, start - _WINDOW) : start]
    return _units_in(window)[-_REACH_BEFORE:]


def _units_in(window: str) -> list[str]:
    return [folded(found[0]) for found in _WORD.finditer(window)]


def _kinds_of(near: list[str]) -> Kinds:
    return frozenset(
        kind
        for kind, forms in value_units().items()
        if any(forms.holds(word) or word in _SIGNS.get(kind, ()) for word in near)
    )
