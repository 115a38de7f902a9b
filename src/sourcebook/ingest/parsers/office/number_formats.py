"""Numbers of a sheet as people see them: shares, amounts, dates and times by the format of their cell."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import takewhile
from math import isfinite
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.office.date_formats import iso_moment, shown_moment
from sourcebook.ingest.parsers.office.format_codes import PartKind, Section, sections_of_code

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sourcebook.ingest.parsers.office.format_codes import Part

_BUILT_IN = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    5: "#,##0",
    6: "#,##0",
    7: "#,##0.00",
    8: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm AM/PM",
    19: "h:mm:ss AM/PM",
    20: "h:mm",
    21: "h:mm:ss",
    37: "#,##0;(#,##0)",
    38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)",
    40: "#,##0.00;(#,##0.00)",
    41: '#,##0;-#,##0;"-"',
    42: '#,##0;-#,##0;"-"',
    43: '#,##0.00;-#,##0.00;"-"',
    44: '#,##0.00;-#,##0.00;"-"',
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss",
    48: "0.0E+0",
}
_LOCAL_DATES = frozenset([14, 22, *range(27, 37), *range(50, 59)])
"""What these look like depends on where the program runs that shows them; here they are ISO dates."""
_CONDITIONS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<>": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
_MOST_DIGITS = 15
_MOST_PARTS = 9_999
_NOISE = 2**-51
"""Two steps of a binary number. Fifteen digits, as many as a sheet keeps, are a little coarser."""
_EXACT = 1e21
"""Above it a number in its own format is written with an exponent."""


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How numbers are shown by the sections of a code; without any as they are, or as ISO dates if they are dates."""

    sections: tuple[NumberSection, ...] = ()
    is_iso_date: bool = False


@dataclass(frozen=True, slots=True)
class NumberSection:
    """A section of a code for numbers: what stands around the digits, and how many there are.

    `holes` are the places of the digits if other signs than a point stand between them: `000-000`.
    """

    code: Section
    before: str = ""
    after: str = ""
    holes: tuple[Part, ...] = ()
    least_whole: int = 0
    least_decimals: int = 0
    most_decimals: int = 0
    factor: float = 1
    is_grouped: bool = False
    has_digits: bool = False
    is_general: bool = False
    is_moment: bool = False

    def counts_for(self, number: float) -> bool:
        """Whether the section has a condition that the number meets."""
        if not self.code.condition:
            return False
        sign = self.code.condition.rstrip("0123456789.-")
        return _CONDITIONS[sign](number, float(self.code.condition[len(sign) :]))

    def shown(self, number: float) -> str:
        """A number that is not below zero."""
        number *= self.factor
        if not number.is_integer():
            # Halves are rounded up, also those that are a little less in their binary form.
            number *= 1 + _NOISE
        return " ".join(f"{self.before}{self._digits(number)}{self.after}".split())

    def _digits(self, number: float) -> str:
        if any(part.text == "/" for part in self.holes):
            return _fraction(number, _text(self.holes))
        if any(part.kind is PartKind.EXPONENT for part in self.holes):
            return format(number, f".{self.most_decimals}E")
        if self.holes:
            return _filled(self.holes, format(number, f".{self.most_decimals}f"))
        if not self.has_digits:
            return ""
        text = format(number, f"{',' if self.is_grouped else ''}.{self.most_decimals}f")
        whole, _, decimals = text.partition(".")
        decimals = decimals[: self.least_decimals] + decimals[self.least_decimals :].rstrip("0")
        if not self.least_whole and not decimals and not whole.strip("0"):
            # Places that need not be filled are empty for zero.
            return ""
        return f"{whole.zfill(self.least_whole)}{'.' if decimals else ''}{decimals}"


GENERAL = NumberFormat()


@lru_cache(maxsize=1024)
def number_format(number: int, code: str | None) -> NumberFormat:
    """The format of this number; those above 163 are the file's own, and written as a code."""
    if code is None and number in _LOCAL_DATES:
        return NumberFormat(is_iso_date=True)
    sections = sections_of_code(code or _BUILT_IN.get(number, "General"))
    # The fourth is for texts, which are shown anyway.
    return NumberFormat(tuple(_number_section(section) for section in sections[:3]))


def shown_number(value: str, form: NumberFormat, *, from_1904: bool) -> str:
    """A number as it is stored, in its format. What is no number is left as it is."""
    try:
        number = float(value)
    except ValueError:
        return value
    if form.is_iso_date:
        return iso_moment(number, from_1904=from_1904) or value
    section = _section_for(number, form.sections)
    if section is None or section.is_general or not isfinite(number):
        return _in_general(number)
    if section.is_moment:
        return shown_moment(number, section.code, from_1904=from_1904) or value
    # A section of its own for numbers below zero shows the minus, or whatever it has instead.
    has_own = len(form.sections) > 1 and section is form.sections[1] and not section.code.condition
    sign = "-" if number < 0 and not has_own else ""
    return f"{sign}{section.shown(abs(number))}"


def _in_general(number: float) -> str:
    # The last digits of a stored number are noise of its binary form.
    text = format(number, ".15g")
    return format(Decimal(text), "f") if "e+" in text and abs(number) < _EXACT else text


def _section_for(number: float, sections: tuple[NumberSection, ...]) -> NumberSection | None:
    for section in sections:
        if section.counts_for(number):
            return section
    if any(section.code.condition for section in sections):
        others = [section for section in sections if not section.code.condition]
        return others[-1] if others else None
    place = 1 if number < 0 else 2 if number == 0 else 0
    return sections[place if place < len(sections) else 0] if sections else None


def _number_section(code: Section) -> NumberSection:
    """What a section says about digits. Those of a date or a text are not looked at here."""
    parts = code.parts
    places = [at for at, part in enumerate(parts) if part.kind is PartKind.DIGIT]
    is_moment = code.has(PartKind.MOMENT) or code.has(PartKind.PASSED)
    is_general = code.has(PartKind.GENERAL) or code.has(PartKind.TEXT)
    if not places or is_moment or is_general:
        return NumberSection(code, before=_text(parts), is_moment=is_moment, is_general=is_general)
    first, last = places[0], places[-1]
    inner = parts[first : last + 1]
    behind = len(list(takewhile(_is_comma, parts[last + 1 :])))
    digits = "".join(p.text for p in inner if p.kind in (PartKind.DIGIT, PartKind.EXPONENT) or p.text == ".")
    whole, _, decimals = digits.upper().partition("E")[0].partition(".")
    is_plain = all(part.kind is PartKind.DIGIT or part.text in ",." for part in inner)
    has_percent = code.has(PartKind.PERCENT)
    return NumberSection(
        code,
        before=_text(parts[:first]),
        after=_text(parts[last + 1 + behind :]),
        holes=() if is_plain else inner,
        least_whole=whole.count("0"),
        least_decimals=min(decimals.count("0"), _MOST_DIGITS),
        most_decimals=min(len(decimals), _MOST_DIGITS),
        factor=(100 if has_percent else 1) / 1000**behind,
        is_grouped=any(map(_is_comma, inner)),
        has_digits=True,
    )


def _is_comma(part: Part) -> bool:
    return part.kind is PartKind.SIGN and part.text == ","


def _text(parts: Sequence[Part]) -> str:
    return "".join(part.text for part in parts)


def _fraction(number: float, holes: str) -> str:
    """A number as `1 1/2`, with the number below the line that is given, or as many digits as there are holes."""
    if not isfinite(number):
        return str(number)
    below = holes.rpartition("/")[2].strip()
    if below.isdecimal() and 0 < int(below) <= _MOST_PARTS:
        parts = int(below)
        whole, rest = divmod(round(Fraction(number) * parts), parts)
    else:
        fraction = Fraction(number).limit_denominator(min(10 ** len(below) - 1, _MOST_PARTS))
        parts = fraction.denominator
        whole, rest = divmod(fraction.numerator, parts)
    if not rest:
        return str(whole)
    return f"{whole} {rest}/{parts}" if whole else f"{rest}/{parts}"


def _filled(holes: Sequence[Part], number: str) -> str:
    """The digits of a number in the holes: whole ones from the last to the first, what is left over before them."""
    whole, _, decimals = number.partition(".")
    point = next((at for at, part in enumerate(holes) if part.text == "."), len(holes))
    left, behind = list(whole), iter(decimals)
    shown: list[str] = []
    for part in reversed(holes[:point]):
        if part.kind is not PartKind.DIGIT:
            shown.append("" if part.text == "," else part.text)
        elif left or part.text == "0":
            shown.append(left.pop() if left else "0")
    before = "".join(left) + "".join(reversed(shown)).lstrip(" -/")
    return before + "".join(
        next(behind, "") if part.kind is PartKind.DIGIT else part.text for part in holes[point:]
    )
