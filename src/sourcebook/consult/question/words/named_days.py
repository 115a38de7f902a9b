"""The days that a question or a text names, however they are written: 6 May, 06/05/2026, 2026-05-06."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from sourcebook.text.analysis import words
from sourcebook.text.layout.tables import named_rows
from sourcebook.text.vocabulary.word_lists import word_groups

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
_FULL = (_DAY_FIRST, _MONTH_FIRST, _ISO, _IN_DIGITS)
# A day without a year, alone in a line or between bars. There, dots are of prices and versions.
_ALONE = re.compile(
    r"(?m)(?:^(?P<first>\d{1,2})[./](?P<second>\d{1,2})\.?[ \t]*$"
    r"|\| ?(?P<first_of_row>\d{1,2})/(?P<second_of_row>\d{1,2})(?=[ \t]*\|))"
)
_WITHOUT_YEAR = re.compile(r"(\d{1,2})[./](\d{1,2})\.?")
_CELL = re.compile(
    r"(?m)(?:^|; | · )(?P<column>[^\W\d_][^:|·;\n]{0,60}): +(?P<value>[^;·|\n]+?)(?=[ \t]*(?:$|;| ·))"
)
_MOST_DAYS = 31


class Day(NamedTuple):
    """A day of any year."""

    month: int
    day: int


def named_days(text: str, among: str = "") -> frozenset[Day]:
    """The days that a text names. The dates in `among` tell whether 06/05 is in May."""
    return frozenset(
        day
        for day in _days(text, among or text)
        if 1 <= day.day <= _MOST_DAYS and 1 <= day.month <= len(_MONTHS)
    )


def days_of_rows(text: str) -> frozenset[Day]:
    """The days that the rows of a text's tables name."""
    return named_days("\n".join(f"{column}: {value}" for column, value in _cells(text)), text)


def without_days(text: str) -> str:
    """The text without the days that it names."""
    for written in _FULL:
        text = written.sub(" ", text)
    return text


def _days(text: str, among: str) -> Iterator[Day]:
    for found in (*_DAY_FIRST.finditer(text), *_MONTH_FIRST.finditer(text)):
        month = next(number for number in range(1, len(_MONTHS) + 1) if found[f"m{number}"])
        yield Day(month, int(found["day"]))
    for found in _ISO.finditer(text):
        yield Day(int(found["month"]), int(found["day"]))
    in_digits = _in_digits(text)
    is_month_first = bool(in_digits) and _is_month_first(_in_digits(among))
    yield from (_day(pair, is_month_first=is_month_first) for pair in in_digits)
    yield from _days_of_cells(text, among)


def _days_of_cells(text: str, among: str) -> Iterator[Day]:
    """The days without a year in the cells of day columns."""
    columns: dict[str, bool] | None = None
    for column, value in _cells(text):
        if found := _WITHOUT_YEAR.fullmatch(value):
            columns = _columns_of_days(among) if columns is None else columns
            if column in columns:
                yield _day((int(found[1]), int(found[2])), is_month_first=columns[column])


def _day(pair: tuple[int, int], *, is_month_first: bool) -> Day:
    return Day(*pair) if is_month_first else Day(pair[1], pair[0])


def _cells(text: str) -> Iterator[tuple[str, str]]:
    """The cells of a text's rows, each with the name of its column."""
    for row in (text, *named_rows(text).values()):
        yield from ((found["column"].strip(), found["value"]) for found in _CELL.finditer(row))


@lru_cache(64)
def _columns_of_days(text: str) -> dict[str, bool]:
    """The columns whose cells are days, and whether the month stands first in them."""
    columns: dict[str, list[str]] = {}
    for column, value in _cells(text):
        columns.setdefault(column, []).append(value)
    return {
        column: _is_month_first([*_without_year(values), *_in_digits(text)])
        for column, values in columns.items()
        if _is_of_days(column, values)
    }


def _is_of_days(column: str, values: Sequence[str]) -> bool:
    """Whether the name of a column is one for days, or all its cells are days and some have a year or a month's name.

    A column with 3.50 is not, whatever its name.
    """
    partial = _without_year(values)
    if any(not (0 < min(pair) <= len(_MONTHS) and max(pair) <= _MOST_DAYS) for pair in partial):
        return False
    full = sum(any(written.search(value) for written in _FULL) for value in values)
    return _is_named_as_days(column) or (full > 0 and full + len(partial) == len(values))


def _is_named_as_days(column: str) -> bool:
    named, (days, per) = words(column), word_groups("date_columns.txt", "day", "per")
    is_last = bool(named) and days.holds(named[-1]) and not (len(named) > 1 and per.holds(named[-2]))
    return is_last or (bool(named) and days.holds(named[0]))


def _without_year(values: Iterable[str]) -> list[tuple[int, int]]:
    found = map(_WITHOUT_YEAR.fullmatch, values)
    return [(int(each[1]), int(each[2])) for each in found if each]


def _in_digits(text: str) -> list[tuple[int, int]]:
    """Both numbers of each date in digits, and of each that stands alone."""
    with_year = [(int(each["first"]), int(each["second"])) for each in _IN_DIGITS.finditer(text)]
    return with_year + [
        (int(each["first"] or each["first_of_row"]), int(each["second"] or each["second_of_row"]))
        for each in _ALONE.finditer(text)
    ]


def _is_month_first(pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether dates are written as in 05/31/2026: some second number is too large for a month, and no first one."""
    months = len(_MONTHS)
    return any(second > months for _, second in pairs) and not any(first > months for first, _ in pairs)
