"""The days that a question or a text names, however they are written: 6 May, 06/05/2026, 2026-05-06."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_MONTHS = (
    "jan(?:uary|eiro)?|ene(?:ro)?|январ[яьею]",
    "feb(?:ruary|rero)?|fev(?:ereiro)?|феврал[яьею]",
    "mar(?:ch|ço|zo)?|март[ае]?",
    "apr(?:il)?|abr(?:il)?|апрел[яьею]",
    "may|maio|mayo|ма[йяею]",
    "june?|jun(?:ho|io)?|июн[яьею]",
    "july?|jul(?:ho|io)?|июл[яьею]",
    "aug(?:ust)?|ago(?:sto)?|август[ае]?",
    "sept?(?:ember|iembre)?|set(?:embro)?|сентябр[яьею]",
    "oct(?:ober|ubre)?|out(?:ubro)?|октябр[яьею]",
    "nov(?:ember|embro|iembre)?|ноябр[яьею]",
    "dec(?:ember)?|dez(?:embro)?|dic(?:iembre)?|декабр[яьею]",
)
_NAME = "|".join(f"(?P<m{number}>{names})" for number, names in enumerate(_MONTHS, start=1))
_DAY_FIRST = re.compile(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|º|-?го)?\.?\s+(?:de\s+|of\s+)?(?:{_NAME})\b", re.IGNORECASE
)
_MONTH_FIRST = re.compile(rf"\b(?:{_NAME})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)", re.IGNORECASE)
_ISO = re.compile(r"\b\d{4}-(?P<month>\d\d)-(?P<day>\d\d)\b")
_IN_DIGITS = re.compile(r"(?<![\d/.:])(?P<first>\d{1,2})(?P<mark>[./])(?P<second>\d{1,2})(?P=mark)\d{2,4}\b")
# A cell of a row that is nothing but a day without its year.
_CELL = re.compile(
    r"(?m)(?:^|: |\| ?)(?P<first>\d{1,2})(?P<mark>[./])(?P<second>\d{1,2})\.?(?=[ \t]*(?:$|;| ·| \|))"
)
_MOST_DAYS = 31


class Day(NamedTuple):
    """A day of any year."""

    month: int
    day: int


def named_days(text: str, among: str = "") -> frozenset[Day]:
    """The days that a text names. Whether 06/05 is in May is told by the other dates `among` which it stands."""
    return frozenset(
        day
        for day in _days(text, among or text)
        if 1 <= day.day <= _MOST_DAYS and 1 <= day.month <= len(_MONTHS)
    )


def without_days(text: str) -> str:
    """The text without the days that it names."""
    for written in (_DAY_FIRST, _MONTH_FIRST, _ISO, _IN_DIGITS):
        text = written.sub(" ", text)
    return text


def _days(text: str, among: str) -> Iterator[Day]:
    for found in (*_DAY_FIRST.finditer(text), *_MONTH_FIRST.finditer(text)):
        month = next(number for number in range(1, len(_MONTHS) + 1) if found[f"m{number}"])
        yield Day(month, int(found["day"]))
    for found in _ISO.finditer(text):
        yield Day(int(found["month"]), int(found["day"]))
    in_digits = [*_IN_DIGITS.finditer(text), *_CELL.finditer(text)]
    is_month_first = bool(in_digits) and _is_month_first(among)
    for found in in_digits:
        first, second = int(found["first"]), int(found["second"])
        yield Day(first, second) if is_month_first else Day(second, first)


def _is_month_first(text: str) -> bool:
    """Whether dates are written as in 05/31/2026: some day is too large for a month, and none the other way round."""
    found = [
        (int(each["first"]), int(each["second"]))
        for each in (*_IN_DIGITS.finditer(text), *_CELL.finditer(text))
    ]
    months = len(_MONTHS)
    return any(second > months for _, second in found) and not any(first > months for first, _ in found)
