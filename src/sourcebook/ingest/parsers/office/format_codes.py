"""The codes that say how the cells of a sheet are shown, as in `#,##0.00 "kg"`, taken apart."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

LONGEST_CODE = 500
"""A longer code is none that a program writes."""
_PART = re.compile(
    r"""
    "(?P<quoted>[^"]*)" | \\(?P<escaped>.) | (?P<space>_.) | (?P<fill>\*.)
  | \[\$(?P<currency>[^\]-]*)(?:-(?P<language>[^\]]*))?\]
  | \[(?P<passed>h+|m+|s+)\]
  | \[(?P<condition>(?:<=|>=|<>|<|>|=)-?\d{1,15}(?:\.\d{1,15})?)\]
  | (?P<colour>\[[^\]]*\])
  | (?P<general>general|standard) | (?P<half>am/pm|a/p)
  | (?P<exponent>e[+-]) | (?P<moment>y+|m+|d+|h+|s+)
  | (?P<digit>[0\#?]|(?<=/)[1-9]\d{0,3}) | (?P<percent>%) | (?P<text>@) | (?P<sign>.)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_BETWEEN_SECTIONS = re.compile(r"""(?<!\\);(?=(?:[^"]*"[^"]*")*[^"]*$)""")
_MOST_SECTIONS = 4


class PartKind(Enum):
    """What a part of a code stands for. A literal is shown as it is."""

    LITERAL = "literal"
    PASSED = "passed"
    GENERAL = "general"
    HALF = "half"
    EXPONENT = "exponent"
    MOMENT = "moment"
    DIGIT = "digit"
    PERCENT = "percent"
    TEXT = "text"
    SIGN = "sign"


class Part(NamedTuple):
    kind: PartKind
    text: str


class Section(NamedTuple):
    """A section of a code: `language` is the number of the one for the names of months, `condition` when it counts."""

    parts: tuple[Part, ...]
    condition: str = ""
    language: str = ""

    def has(self, kind: PartKind) -> bool:
        return any(part.kind is kind for part in self.parts)


def sections_of_code(code: str) -> list[Section]:
    """The sections of a code: for numbers above zero, below it, for zero and for texts, as many as there are."""
    return [_section(text) for text in _BETWEEN_SECTIONS.split(code[:LONGEST_CODE])[:_MOST_SECTIONS]]


def _section(code: str) -> Section:
    parts: list[Part] = []
    condition = language = ""
    for found in _PART.finditer(code):
        name, text = found.lastgroup or "", found[found.lastgroup or 0] or ""
        match name:
            case "quoted" | "escaped":
                parts.append(Part(PartKind.LITERAL, text))
            case "space":
                parts.append(Part(PartKind.LITERAL, " "))
            case "currency" | "language":
                parts.append(Part(PartKind.LITERAL, found["currency"]))
                language = found["language"] or language
            case "condition":
                condition = text
            case "fill" | "colour":
                pass
            case _:
                parts.append(Part(PartKind(name), text))
    return Section(tuple(parts), condition, language)
