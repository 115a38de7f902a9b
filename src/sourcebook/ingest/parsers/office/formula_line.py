"""The parts of a formula written in one line, with brackets where the line would otherwise mean something else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from unicodedata import combining, normalize

_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_NAMES = re.compile("(?:arc)?(?:sin|cos|tan|cot)h?|log|ln|lg|exp|lim|max|min")
_PAIRS = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⌊": "⌋", "⌈": "⌉", "|": "|", "‖": "‖"}
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
_PRIMES = frozenset("′″‴'")
# What stands above a sign in a formula, and what joins that sign in a text.
_ACCENTS = {
    "¯": "\u0304", "‾": "\u0304", "ˉ": "\u0304", "^": "\u0302", "ˆ": "\u0302", "~": "\u0303", "˜": "\u0303",
    "→": "\u20d7", "˙": "\u0307", "¨": "\u0308", "ˇ": "\u030c", "˘": "\u0306", "´": "\u0301", "`": "\u0300",
}  # fmt: skip


class _Fraction(str):
    """Stands in brackets beside what it would otherwise take in."""

    __slots__ = ()


class Word(str):
    """Stands apart from letters and digits beside it."""

    __slots__ = ()


def line(parts: Iterable[str]) -> str:
    """Parts that follow each other. A single one stays what it is."""
    wanted = [part for part in parts if part]
    if len(wanted) == 1:
        return wanted[0]
    written = ""
    for place, part in enumerate(wanted):
        behind = wanted[place + 1][:1] if place + 1 < len(wanted) else ""
        if isinstance(part, _Fraction) and (_takes(written[-1:]) or _takes(behind) or behind == "("):
            written += f"({part})"
            continue
        is_apart = isinstance(part, Word) or (place > 0 and isinstance(wanted[place - 1], Word))
        if is_apart and _takes(written[-1:]) and part[0].isalnum():
            written += " "
        written += part
    return written


def fraction(above: str, below: str) -> str:
    if not above or not below:
        return above or below
    return _Fraction(f"{_one(above)}/{_one(below)}")


def scripts(base: str, below: str, above: str) -> str:
    """What is lowered and what is raised, behind their marks. No mark stands for nothing."""
    written = _one(base) if below or above else base
    if below:
        written += f"_{_one(below)}"
    if above and not _PRIMES.issuperset(above):
        return f"{written}^{_one(above)}"
    return written + above


def root(inner: str, degree: str) -> str:
    if not inner:
        return ""
    if degree in _ROOTS:
        return Word(f"{_ROOTS[degree]}{_one(inner)}")
    return f"{_one(inner)}^(1/{_one(degree)})"


def accented(inner: str, accent: str) -> str | None:
    """A part with its accent, such as a bar; None if that is none."""
    mark = _ACCENTS.get(accent, accent)
    if len(mark) != 1 or not (combining(mark) or mark == "\u20d7"):
        return None
    return normalize("NFC", _one(inner) + mark) if inner else ""


def table(rows: Iterable[Iterable[str]]) -> str:
    """A matrix: its rows behind each other."""
    return f"[{'; '.join(', '.join(row) for row in rows)}]"


def _one(part: str) -> str:
    """The part as one thing: in brackets, unless it is a sign, a number, a known name or in brackets already."""
    letters = sum(not combining(sign) for sign in part)
    is_one = letters <= 1 or _NUMBER.fullmatch(part) or _NAMES.fullmatch(part) or _is_in_brackets(part)
    return part if is_one else f"({part})"


def _is_in_brackets(part: str) -> bool:
    """Whether the bracket that opens the part is closed at its end."""
    opened, closed = part[:1], _PAIRS.get(part[:1])
    if closed is None or not part.endswith(closed):
        return False
    if opened == closed:
        return part.count(opened) == 2
    depth = 0
    for sign in part[:-1]:
        depth += (sign == opened) - (sign == closed)
        if not depth:
            return False
    return True


def _takes(sign: str) -> bool:
    """Whether what stands next to such a sign is read together with it."""
    return sign.isalnum() or sign == ")"
