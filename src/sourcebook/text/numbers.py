"""Numbers in running text, with the unit that each counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from sourcebook.text.case_and_accents import folded
from sourcebook.text.vocabulary.word_lists import names_by_word

_SPACE = "[ \u00a0\u2009\u202f]"
_NUMBER = re.compile(
    rf"""
    (?<![\w.,]) [-−]?
    (?: \d{{1,3}} (?: (?:{_SPACE}\d{{3}})+ (?:[.,]\d+)? | (?:,\d{{3}})+ (?:\.\d+)? | (?:\.\d{{3}})+ (?:,\d+)? )
      | \d+ (?:[.,:]\d+)* )
    (?![\d])
    """,
    re.VERBOSE,
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_AFTER = re.compile(
    rf"{_SPACE}?(?P<sign>%|‰|°\s?[CFСФ]?|[$€£₽])|{_SPACE}?-?(?:por{_SPACE})?(?P<word>[^\W\d_]+[²³23]?\.?)"
)
_BEFORE = re.compile(r"(?P<sign>[$€£₽]|R\$|US\$)\s?$")
# Between the ends of a range. The unit is only at the end: "3–4 kg", "from 3 to 4 kg".
_RANGE = re.compile(rf"{_SPACE}?(?:[-–—…/]|\.\.|до|to|and|a|e|и|или|or|ou){_SPACE}?", re.IGNORECASE)

# Number words that mean something else in another language.
_SPELLED_IN = {"es": {"dos": "2", "once": "11"}}
ANY_LANGUAGE = (None, *_SPELLED_IN)
"""The languages that may find different numbers in a text: all others find what None finds."""
_ONES = {"one": 1, "first": 1, "second": 2, "third": 3}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number in one form for all ways to write it, its unit if that is known, and where it stands."""

    value: str
    unit: str | None
    start: int
    end: int


def quantities(text: str, language: str | None = None) -> list[Quantity]:
    """The numbers of a text in their order: in digits, and from two to ninety-nine also in words."""
    return list(_quantities(text, language))


@lru_cache(1024)
def _quantities(text: str, language: str | None) -> tuple[Quantity, ...]:
    """A sentence is compared with many quotes, and a quote with many sentences."""
    found = sorted([*_in_digits(text), *_in_words(text, language)], key=lambda found: found.start)
    return tuple(found)


def _in_digits(text: str) -> Iterator[Quantity]:
    found = list(_NUMBER.finditer(text))
    units = [_unit(text, match.start(), match.end()) for match in found]
    for number in range(len(found) - 2, -1, -1):
        # The first end of a range has the unit of the last.
        if units[number] is None and _RANGE.fullmatch(text, found[number].end(), found[number + 1].start()):
            units[number] = units[number + 1]
    for match, unit in zip(found, units, strict=True):
        yield Quantity(_value(match[0]), unit, match.start(), match.end())


def _in_words(text: str, language: str | None) -> Iterator[Quantity]:
    own = _SPELLED_IN.get(language or "", {})
    for match in _WORD.finditer(text):
        word = folded(match[0])
        value, length = (own[word], len(match[0])) if word in own else _spelled_value(word)
        if value is not None:
            end = match.start() + length
            yield Quantity(value, _unit(text, match.start(), end), match.start(), end)


def _spelled_value(word: str) -> tuple[str | None, int]:
    """The number that a word says, and how many of its letters: all of "twenty-two", the first five of "three-year"."""
    spelled = _spelled()
    first, _, rest = word.partition("-")
    if word in spelled or not rest:
        return spelled.get(word), len(word)
    tens = spelled.get(first)
    ones = _ONES.get(rest) or int(spelled.get(rest, 0))
    if tens is not None and tens.endswith("0") and 0 < ones < 10:
        return str(int(tens) + ones), len(word)
    return tens, len(first)


def _unit(text: str, start: int, end: int) -> str | None:
    units = _units()
    if after := _AFTER.match(text, end):
        written = folded(after["sign"] or after["word"]).replace(" ", "").rstrip(".")
        if unit := units.get(written) or units.get(written.rstrip("²³23")):
            return unit
    if before := _BEFORE.search(text, max(0, start - 4), start):
        return units[folded(before["sign"])]
    return None


def _value(written: str) -> str:
    """One form for 1000, 1 000 and 1,000, and for 2.5 and 2,5."""
    plain = re.sub(_SPACE, "", written).replace("−", "-")
    if re.fullmatch(r"-?\d{1,3}(,\d{3})+(\.\d+)?", plain):
        plain = plain.replace(",", "")
    elif re.fullmatch(r"-?\d{1,3}(\.\d{3})+(,\d+)?", plain):
        plain = plain.replace(".", "").replace(",", ".")
    plain = plain.replace(",", ".")
    whole, mark, rest = plain.partition(".")
    if mark and rest.isdigit():
        rest = rest.rstrip("0")
        return f"{whole}.{rest}" if rest else whole
    return plain


@cache
def _units() -> dict[str, str]:
    return names_by_word("units.txt")


@cache
def _spelled() -> dict[str, str]:
    return names_by_word("number_words.txt")
