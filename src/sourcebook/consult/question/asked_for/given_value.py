"""Whether a text gives a value of some kind: a number with a unit, or words for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache

from sourcebook.consult.question.asked_for.asked_value import (
    Kinds,
    ValueKind,
    kinds_named_by,
    value_units,
    value_words,
)
from sourcebook.consult.question.asked_for.asks_about import asks_about
from sourcebook.text.analysis import words
from sourcebook.text.case_and_accents import folded
from sourcebook.text.numbers import quantities
from sourcebook.text.vocabulary.word_lists import alternatives, word_groups

_AMOUNTS = "amount_words.txt"
_REACH_BEHIND = 3
"""The unit may be among so many words after a number: "28 calendar days", "20 thousand euros"."""
_REACH_BEFORE = 2
_REACH_BEHIND_ONE = 2
_WINDOW = 60
_SAME_UNIT = 4
"""Forms of a unit begin with so many equal letters: "минут", "минутах"."""
_WORD = re.compile(r"[^\W\d_]+(?:[²³]|(?<=m)[23]\b|/[^\W\d_]+)?|[%‰]|°\s?[^\W\d_]?|(?:R|US)?\$|[€£₽¥]")
_ENDS = re.compile(r"[.;!?](?:\s|$)|\n")
_SIGNS = {
    ValueKind.MONEY: frozenset({"$", "€", "£", "₽", "¥", "r$", "us$"}),
    ValueKind.TEMPERATURE: frozenset({"°", "°c", "°f", "°с"}),
}
_FROM_YEAR_TO_YEAR = re.compile(r"\b(?:1\d|20)\d\d\D{1,8}(?:1\d|20)?\d\d\b")
_NAMED = re.compile(
    r"(?<![^\W\d_])(?P<name>[^\W\d_]++)(?:\s*+\([^()\n]*+\))?"
    r"(?:\s*[:=|–—-]\s*|\s+(?:is|are|of|=|é|é de|es|составляет|равен|равна)\s+|\s+)"
    r"\d[\d.,]*(?=\s*(?:$|[.;,)|\n]))",
    re.IGNORECASE,
)
_HOW_OLD = re.compile(
    r"^\W*(?:how old (?:is|are|was)|сколько лет|quantos anos (?:tem|têm)|cuántos años (?:tiene|tienen))\s+"
    r"(?!я\b|мне\b|должн|нужно|надо|i\b|you\b|do\b|must\b)\w",
    re.IGNORECASE,
)
_FOUR_DIGITS = re.compile(r"\b(?:1\d|20)\d\d\b")
_HOURS = re.compile(r"\b\d{1,2}:\d\d\b")
# What a thing costs is seldom told by a percentage: "a surcharge of 40 %". "10 % of the order" is one.
_PERCENT = re.compile(
    r"\d[\d.,]*(?:\s?(?:to|до|a|[-–—])\s?\d[\d.,]*)?\s?%(?!\s*(?:of|off|от|d[aeo]s?|del?)\b)"
)
_PHONE = re.compile(
    r"\+?\(?\d[\d \t\xa0()./–-]{5,}\d|\b(?:ext|extension|доб|ramal|extensión)\b\.?\s*\d"
    r"|\b(?:phone|call|tel|dial|number|телефон\w*|тел|номер\w*|звон\w+|telefone|ligue|teléfono|llame)\b\W{0,3}(?:\w+\W+)?\d{3,}",
    re.IGNORECASE,
)
_DAY_OR_SEASON = re.compile(
    r"(?<!\d)(?:(?:19|20)\d\d[-./]\d\d?[-./]\d\d?|\d\d?[-./]\d\d?[-./](?:19|20)\d\d|(?:19|20)\d\d[/–]\d{2,4})(?!\d)"
)
_EMAIL = re.compile(r"\w@\w")
# A house number, a postal code, a network address, or a name inside a sentence.
_ADDRESS = re.compile(
    r"\w@\w|\d[.:]\d|0x\w|\b\d{5,}\b|\b\d{2,}-\d{3,}|\b[A-ZÀ-ÞА-ЯЁ][\w'’-]{1,60},?\s+\d|\d,?\s+[A-ZÀ-ÞА-ЯЁ]"
    r"|(?<=[\w,:]\s)[\"«“(]?[A-ZÀ-ÞА-ЯЁ]\w"
)
_RATIO = re.compile(
    r"\b\w+\s+(?:out of|of|in|из|em cada|em|de cada|de)\s+(?:every\s+|каждых\s+)?"
    r"(?:\d+|three|four|five|ten|hundred|тр[её]х|четыр[её]х|пяти|десяти|ста|três|quatro|cinco|dez|cem|tres|cuatro|diez)\b",
    re.IGNORECASE,
)
_NO_HOURS = (ValueKind.MONEY, ValueKind.WEIGHT, ValueKind.LENGTH, ValueKind.TEMPERATURE)
"""Units after which "until 30" or "to 5" is not a time of day."""


@cache
def _one() -> re.Pattern[str]:
    """Words that count like a number. "Twice a year" tells how often, not how long."""
    one = alternatives(_AMOUNTS, "one")
    return re.compile(rf"(?<!once )(?<!twice )(?<!times )(?<!per )\b{one}\b", re.IGNORECASE)


@cache
def _clock() -> re.Pattern[str]:
    hour = alternatives(_AMOUNTS, "hour")
    return re.compile(
        rf"""
        \b\d{{1,2}}(?:[:h]|ч\s?)\d{{2}}\b|\b\d{{1,2}}\s?(?:[ap]\.?\s?m\b|o['’]clock|h\b|hs\b|hrs\b)
        |(?P<at>\b(?:at|from|until|till|to|by|before|after|between|с|со|до|в|к|после|около|às?|das?|até|as|las?|entre|hasta
            |desde)\s+(?:\w+\s+)?(?:[01]?\d|2[0-4]|{hour})\b(?!\s?(?:%|[€$£₽])))
        |\b0\d[0-5]\d\b
        |(?P<span>(?<![\w.,/:–—-])(?:[01]?\d|2[0-4])\s?[–—-]\s?(?:[01]?\d|2[0-4])\b(?![.,/:–—-]?\d|\s?[%€$£₽]))
        |\b(?:\d{{1,2}}|{hour})\s(?:утра|вечера|ночи|дня|da\ manhã|da\ tarde|da\ noite|de\ la\ \w+)\b
        """,
        re.IGNORECASE | re.VERBOSE,
    )


def gives_value(text: str, kinds: Kinds, question: str) -> bool:
    """Whether a text has a value of one of the kinds, other than one in the question."""
    if ValueKind.MONEY in kinds and asks_about(question, "price"):
        text = _PERCENT.sub(" ", text)
    said = f" {' '.join(words(text))} "
    asked = frozenset(words(question))
    return any(
        (_IN_OWN_WAY[kind](text) if kind in _IN_OWN_WAY else _has_unit(text, kind, asked))
        or (kind in value_words() and value_words()[kind].search(said) is not None)
        or _is_named(text, kind)
        or _is_in_asked_unit(text, kind, asked)
        for kind in kinds
    )


def asks_age_of_thing(question: str) -> bool:
    """Whether the question asks how old something is, not how old somebody must be."""
    return _HOW_OLD.search(question) is not None


def tells_age(text: str) -> bool:
    """Whether a text has a number of years, a year, or a number without a unit."""
    if _FOUR_DIGITS.search(text) or _is_plain(text):
        return True
    (years,) = word_groups(_AMOUNTS, "age")
    behind = (_words_behind(text, found.end)[:_REACH_BEHIND_ONE] for found in quantities(text))
    return any(years.holds(word) for near in behind for word in near)


def _has_unit(text: str, kind: ValueKind, asked: frozenset[str]) -> bool:
    if kind is ValueKind.DURATION and _FROM_YEAR_TO_YEAR.search(text):
        return True
    if kind is ValueKind.PERCENTAGE and _RATIO.search(text):
        return True
    forms, signs = value_units()[kind], _SIGNS.get(kind, frozenset[str]())
    return any(
        (forms.holds(word) or word in signs) and not _is_asked_value(word, asked)
        for near in _numbers(text)
        for word in near
    )


def _is_asked_value(word: str, asked: frozenset[str]) -> bool:
    """Whether a unit is the value that is asked for: "two monthly rents" does not tell the rent."""
    return bool(kinds_named_by([word, word.removesuffix("s")])) and any(
        known.removesuffix("s") == word.removesuffix("s") for known in asked
    )


def _is_named(text: str, kind: ValueKind) -> bool:
    """Whether the text has the name of such a value before a number without a unit: "Weight: 12"."""
    return any(kind in kinds_named_by(words(found["name"])) for found in _NAMED.finditer(text))


def _is_in_asked_unit(text: str, kind: ValueKind, asked: frozenset[str]) -> bool:
    """Whether a text names the unit that is asked for, and has a number without one: "in seconds. Default: 600"."""
    forms = value_units().get(kind)
    if forms is None:
        return False
    units = {word[:_SAME_UNIT] for word in asked if forms.holds(word)}
    named = {word[:_SAME_UNIT] for word in words(text) if forms.holds(word)}
    return not units.isdisjoint(named) and _is_plain(text)


def _is_plain(text: str) -> bool:
    """Whether the text has a number without a unit, which is no time of day."""
    return any(not any(map(_is_unit, near)) for near in _numbers(_HOURS.sub(" ", text)))


def _is_unit(word: str) -> bool:
    return any(forms.holds(word) for forms in value_units().values())


def _tells_hour(text: str) -> bool:
    return any(
        not (found["at"] and _counts_no_hours(text, found.end()))
        and not (found["span"] and any(map(_is_unit, _words_behind(text, found.end())[:1])))
        for found in _clock().finditer(text)
    )


def _counts_no_hours(text: str, end: int) -> bool:
    beside = _words_behind(text, end)[:1]
    return any(value_units()[kind].holds(word) for kind in _NO_HOURS for word in beside if len(word) > 1)


def _counts_time(text: str) -> bool:
    return _has_unit(text, ValueKind.DURATION, frozenset())


_IN_OWN_WAY: dict[ValueKind, Callable[[str], bool]] = {
    ValueKind.CLOCK: _tells_hour,
    ValueKind.PHONE: lambda text: _PHONE.search(_DAY_OR_SEASON.sub(" ", text)) is not None,
    ValueKind.EMAIL: lambda text: _EMAIL.search(text) is not None,
    ValueKind.ADDRESS: lambda text: _ADDRESS.search(text) is not None,
    ValueKind.AGE: _is_plain,
    ValueKind.COUNT: _is_plain,
    ValueKind.FREQUENCY: _counts_time,
    ValueKind.TIME: _counts_time,
}


@lru_cache(1024)
def _numbers(text: str) -> tuple[tuple[str, ...], ...]:
    """For each number, the words beside it that may be its unit."""
    return tuple(_read(text))


def _read(text: str) -> Iterator[tuple[str, ...]]:
    for found in quantities(text):
        yield (*_words_behind(text, found.end), *_words_before(text, found.start))
    for one in _one().finditer(text):
        behind = _words_behind(text, one.end())[:_REACH_BEHIND_ONE]
        if any(map(_is_unit, behind)):
            yield tuple(behind)


def _words_behind(text: str, end: int) -> list[str]:
    window = text[end : end + _WINDOW]
    ends = _ENDS.search(window)
    return _units_in(window[: ends.start()] if ends else window)[:_REACH_BEHIND]


def _words_before(text: str, start: int) -> list[str]:
    return _units_in(text[max(0, start - _WINDOW) : start])[-_REACH_BEFORE:]


def _units_in(window: str) -> list[str]:
    return [folded(found[0]).replace(" ", "") for found in _WORD.finditer(window)]
