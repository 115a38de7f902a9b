"""Dates, numbers and sizes, as people write them in each language."""

from __future__ import annotations

import time
from datetime import date, datetime, timedelta

from sourcebook.locale import Texts

_DIGIT_GROUPS = {"en": ",", "ru": "\u00a0", "pt": "."}
_DECIMAL_MARK = {"en": ".", "ru": ",", "pt": ","}
_BYTES = {
    "en": ("B", "kB", "MB", "GB"),
    "ru": ("Б", "КБ", "МБ", "ГБ"),
    "pt": ("B", "kB", "MB", "GB"),
}
_KILO = 1000


def moment(texts: Texts, seconds: int | float | None) -> str:
    """When it happened: with the time if that was today or yesterday, with the year if it is long ago."""
    if not seconds:
        return "–"
    then, today = datetime.fromtimestamp(seconds), _today()  # noqa: DTZ006 - people read the time of the server
    clock = f"{then:%H:%M}"
    if then.date() == today:
        return texts("today_at", time=clock)
    if then.date() == today - timedelta(days=1):
        return texts("yesterday_at", time=clock)
    return day(texts, seconds)


def day(texts: Texts, seconds: int | float | None) -> str:
    """The date, without the year if it is this one."""
    if not seconds:
        return "–"
    then = datetime.fromtimestamp(seconds)  # noqa: DTZ006 - as above
    name = texts("months").split()[then.month - 1]
    key = "date" if then.year == _today().year else "date_with_year"
    return texts(key, day=then.day, month=name, year=then.year)


def short_day(texts: Texts, seconds: int | float) -> str:
    """The day and the beginning of the month, for a plot."""
    then = datetime.fromtimestamp(seconds)  # noqa: DTZ006 - as above
    return f"{then.day} {texts('months').split()[then.month - 1][:3]}"


def is_today(seconds: int | float) -> bool:
    return datetime.fromtimestamp(seconds).date() == _today()  # noqa: DTZ006 - as above


def number(texts: Texts, value: float, digits: int = 0) -> str:
    """A number with its digits in groups."""
    whole, _, part = f"{value:,.{digits}f}".partition(".")
    whole = whole.replace(",", _DIGIT_GROUPS[texts.language]).replace("-", "\u2212")
    return f"{whole}{_DECIMAL_MARK[texts.language]}{part}" if part else whole


def size(texts: Texts, count: float | None) -> str:
    """A number of bytes."""
    if count is None:
        return "–"
    *units, largest = _BYTES[texts.language]
    for place, unit in enumerate(units):
        if count < _KILO:
            return f"{number(texts, count, 0 if place == 0 or count >= 10 else 1)}\u00a0{unit}"
        count /= _KILO
    return f"{number(texts, count, 1)}\u00a0{largest}"


def _today() -> date:
    return datetime.fromtimestamp(time.time()).date()  # noqa: DTZ006 - as above
