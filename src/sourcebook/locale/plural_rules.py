"""Which form of a word a number takes in each language."""

from __future__ import annotations

from collections.abc import Callable, Mapping


def _one_or_many(n: int) -> str:
    return "one" if abs(n) == 1 else "many"


def _slavic(n: int) -> str:
    last, last_two = abs(n) % 10, abs(n) % 100
    if last == 1 and last_two != 11:
        return "one"
    return "few" if last in (2, 3, 4) and last_two not in (12, 13, 14) else "many"


PLURAL_FORM_OF: Mapping[str, Callable[[int], str]] = {"en": _one_or_many, "pt": _one_or_many, "ru": _slavic}
