"""How the items of a list are counted: with numbers, letters or Roman numbers, and words around them."""

from __future__ import annotations

import re

_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщыэюя"
"""Lists are counted without letters that look like others or begin no word."""
_LARGEST_ROMAN = 3999
LONGEST_LABEL = 40
"""A file names the words around a number once, and they are repeated for every item."""
# Signs that would make the line of an item something else: a heading, a fence of code, a row of a table, a quotation.
_SIGNS_OF_MARKDOWN = re.compile(r"(?:[`~|>]|#+(?=[\s`~|>]|$)|\s)+")


def item_number(number: int, form: str) -> str:
    """The number of an item in one of the forms `1`, `01`, `a`, `A`, `i`, `I`, `а`, `А`, else as it is."""
    if form == "01":
        return f"{number:02}"
    if form in ("a", "A") and number > 0:
        counted = _in_letters(number, _LATIN)
    elif form in ("а", "А") and number > 0:
        counted = _in_letters(number, _RUSSIAN)
    elif form in ("i", "I") and 0 < number <= _LARGEST_ROMAN:
        counted = _in_roman(number)
    else:
        return str(number)
    return counted.upper() if form.isupper() else counted


def item_label(label: str) -> str:
    """What is shown before an item, on one line. Nothing if it is longer than labels are."""
    words = " ".join(label.split()) if len(label) <= LONGEST_LABEL else ""
    signs = _SIGNS_OF_MARKDOWN.match(words)
    return words[signs.end() :] if signs else words


def _in_letters(number: int, alphabet: str) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, len(alphabet))
        letters = alphabet[rest] + letters
    return letters


def _in_roman(number: int) -> str:
    signs = ""
    for value, sign in _ROMAN:
        times, number = divmod(number, value)
        signs += sign * times
    return signs
