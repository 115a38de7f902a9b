"""Recognises numbered lines: "Step 1. …" above "Step 2. …" is a list, however its numbers are written."""

from __future__ import annotations

import re
from collections.abc import Sequence

# A sign before the number or after it: "№ 1", "Step 1.", "1 -", "a.", "II)". Numbers in brackets are those of notes.
_MARK = re.compile(
    r"(?P<before>(?:[^\W\d_]{2,12} ?)?[№#§(]?\s?)"
    r"(?:(?P<number>\d{1,3})|(?P<roman>[IVX]{1,6}|[ivx]{1,6})|(?P<letter>[^\W\d_]))"
    r"(?P<after>\s[-–—]|[.):/]{0,2})(?!\d)\s*(?=\S)"
)
_SIGNS = ("№", "#", "§")
_ROMAN = {"I": 1, "V": 5, "X": 10}
_LONGEST = 40
"""How many characters of a line are looked at."""

_Count = tuple[str, str, str, int]
"""What stands before and behind the number, how it is written, and the number."""


def counted_lines(lines: Sequence[str]) -> frozenset[int]:
    """The places of the lines whose number continues that of an earlier line, or is continued by a later one."""
    found: set[int] = set()
    last: dict[tuple[str, str, str], tuple[int, int]] = {}
    for place, line in enumerate(lines):
        for before, after, form, number in _counts(line[:_LONGEST]):
            key = before, after, form
            if key in last and last[key][0] == number - 1:
                found |= {last[key][1], place}
            last[key] = number, place
    return frozenset(found)


def _counts(line: str) -> list[_Count]:
    """The ways to read the number of a line: "i." may be a letter or the first Roman number."""
    match = _MARK.match(line)
    if match is None:
        return []
    before, after = match["before"].strip(), match["after"].strip()
    if not after and before[-1:] not in _SIGNS:
        return []
    if match["number"]:
        return [(before, after, "1", int(match["number"]))]
    letter, roman = match["letter"] or match["roman"], match["roman"]
    ways: list[_Count] = []
    # A letter or a Roman number without a sign after it is a word.
    if roman and after:
        ways.append((before, after, "I" if roman.isupper() else "i", _roman(roman.upper())))
    if len(letter) == 1 and after:
        ways.append((before, after, "A" if letter.isupper() else "a", ord(letter)))
    return ways


def _roman(signs: str) -> int:
    values = [_ROMAN[sign] for sign in signs]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))
