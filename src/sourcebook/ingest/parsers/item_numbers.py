"""How the items of a list are counted: with numbers, letters or Roman numbers."""

from __future__ import annotations

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_LETTERS = 26
_LARGEST_ROMAN = 3999


def item_number(number: int, form: str) -> str:
    """The number of an item in one of the forms `1`, `a`, `A`, `i` and `I`; as a plain number in any other."""
    if form in ("a", "A") and number > 0:
        counted = _in_letters(number)
    elif form in ("i", "I") and 0 < number <= _LARGEST_ROMAN:
        counted = _in_roman(number)
    else:
        return str(number)
    return counted.upper() if form.isupper() else counted


def _in_letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, _LETTERS)
        letters = chr(ord("a") + rest) + letters
    return letters


def _in_roman(number: int) -> str:
    signs = ""
    for value, sign in _ROMAN:
        times, number = divmod(number, value)
        signs += sign * times
    return signs
