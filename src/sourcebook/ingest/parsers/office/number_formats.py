"""Numbers of a sheet as people see them: dates, shares and amounts by the format of their cell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

_DATES = frozenset([*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)])
_BUILT_IN = {1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00"}
_DATE_CODE = "yyyy-mm-dd hh:mm:ss"
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
_BRACKETS = re.compile(r"\[[^\]]*\]")
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|[_*].')
_DATE_LETTERS = re.compile(r"[ymdhs]", re.IGNORECASE)
_PLACES = re.compile(r"[0#?][0#?,. ]*")
_FIRST_DAY = datetime(1899, 12, 30)  # noqa: DTZ001 - a sheet knows no zones
_FIRST_DAY_1904 = datetime(1904, 1, 1)  # noqa: DTZ001
_MOST_DAYS = 2_958_466
_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """What is shown around a number, with how many decimals, or that it is a moment."""

    is_date: bool = False
    is_percent: bool = False
    decimals: int | None = None
    before: str = ""
    after: str = ""


GENERAL = NumberFormat()


@lru_cache(maxsize=1024)
def number_format(number: int, code: str | None) -> NumberFormat:
    """The format of this number; those above 163 are the file's own, and written as a code."""
    if code is None:
        code = _DATE_CODE if number in _DATES else _BUILT_IN.get(number, "General")
    return _of_code(code.split(";")[0])


def _of_code(code: str) -> NumberFormat:
    bare = _BRACKETS.sub("", _CURRENCY.sub("", _LITERAL.sub("", code)))
    if "general" in code.lower() or "@" in bare:
        return GENERAL
    if _DATE_LETTERS.search(bare) or _DATE_LETTERS.fullmatch(code.strip("[]")):
        return NumberFormat(is_date=True)
    shown = _LITERAL.sub(_literal, _BRACKETS.sub("", _CURRENCY.sub(r'"\1"', code)))
    places = _PLACES.search(shown)
    if places is None or "E" in bare or "/" in bare:
        return GENERAL
    before, after = shown[: places.start()].strip(), shown[places.end() :].strip()
    return NumberFormat(
        is_percent="%" in bare,
        decimals=sum(sign in "0#?" for sign in places[0].strip().partition(".")[2]),
        before=before,
        after=after,
    )


def _literal(found: re.Match[str]) -> str:
    return found[1] or found[2] or ""


def shown_number(value: str, form: NumberFormat, *, from_1904: bool) -> str:
    """A number as it is stored, in its format. What is no number is left as it is."""
    try:
        number = float(value)
    except ValueError:
        return value
    if form.is_date:
        return _moment(number, from_1904=from_1904) or value
    if form.decimals is None:
        # The last digits of a stored number are noise of its binary form.
        return format(number, ".15g")
    text = format(number * 100 if form.is_percent else number, f".{min(form.decimals, 15)}f")
    after = form.after if form.after.startswith("%") or not form.after else f" {form.after}"
    return f"{form.before}{text}{after}"


def _moment(number: float, *, from_1904: bool) -> str | None:
    """A date as ISO text, with its time if it has one; without a date, only the time."""
    if not 0 <= number < _MOST_DAYS:
        return None
    seconds = round(number * 86_400)
    moment = (_FIRST_DAY_1904 if from_1904 else _FIRST_DAY) + timedelta(seconds=seconds)
    time = moment.strftime("%H:%M:%S" if seconds % 60 else "%H:%M")
    if number < 1:
        return time
    return moment.date().isoformat() + (f" {time}" if seconds % 86_400 else "")
