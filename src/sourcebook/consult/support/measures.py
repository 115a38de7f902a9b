"""Compares the units of numbers, and qualifiers such as "business" days."""

from __future__ import annotations

from functools import cache

from sourcebook.text.analysis import words
from sourcebook.text.numbers import Quantity, quantities
from sourcebook.text.vocabulary.word_lists import WordForms, named_lines

_REACH = 3
"""The qualifier may be among so many words after a number: "ten full business days"."""
_WINDOW = 60


def has_other_units(sentence: str, quote: str, language: str | None) -> bool:
    """Whether a number has another unit than in the quote."""
    held = quantities(quote, language)
    return any(
        _is_other_unit(found, held) or _is_otherwise_qualified(found, sentence, held, quote)
        for found in quantities(sentence, language)
    )


def _is_other_unit(found: Quantity, held: list[Quantity]) -> bool:
    units = {other.unit for other in held if other.value == found.value}
    return found.unit is not None and bool(units) and found.unit not in units and units != {None}


def _is_otherwise_qualified(found: Quantity, sentence: str, held: list[Quantity], quote: str) -> bool:
    """Whether the qualifiers differ: business days here, calendar days, or just days, there."""
    known = [_qualifiers_of(quote, other.end) for other in held if other.value == found.value]
    return bool(known) and _qualifiers_of(sentence, found.end) not in known


def _qualifiers_of(text: str, end: int) -> frozenset[str]:
    behind = words(text[end : end + _WINDOW])[:_REACH]
    return frozenset(meaning for meaning, forms in _qualifiers() if any(map(forms.holds, behind)))


@cache
def _qualifiers() -> tuple[tuple[str, WordForms], ...]:
    return tuple((meaning, WordForms.read(forms)) for meaning, forms in named_lines("qualifiers.txt"))
