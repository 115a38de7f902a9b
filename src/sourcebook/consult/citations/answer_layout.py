"""Finds the parts of an answer where citation marks are not allowed: code, rows of tables, headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

_FENCE = re.compile(r"[^\S\n]*(?P<fence>`{3,}|~{3,})(?P<rest>.*)")
_HEADING = re.compile(r"[^\S\n]*#{1,6}(?:\s|$)")
_BOLD_LINE = re.compile(r"\s*(\*\*|__)(?:(?!\1).)+\1(?:\s*\[\d{1,3}\])*\s*")
"""A heading, if more follows it."""
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)\s*")
_ROW = re.compile(r"\s*\|")
_RULE_OF_A_TABLE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*")


class AnswerPartKind(StrEnum):
    PROSE = "prose"
    CODE = "code"
    LINE = "line"
    """A row of a table, or a heading."""


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """A run of lines of one kind, as a span of the answer."""

    kind: AnswerPartKind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AnswerLayout:
    """The parts of an answer, which cover it without gaps."""

    parts: Sequence[AnswerPart]

    @classmethod
    def of(cls, answer: str) -> AnswerLayout:
        lines = answer.splitlines(keepends=True)
        parts: list[AnswerPart] = []
        at = 0
        for line, kind in zip(lines, _kinds(lines), strict=True):
            if parts and parts[-1].kind is kind:
                parts[-1] = AnswerPart(kind, parts[-1].start, at + len(line))
            else:
                parts.append(AnswerPart(kind, at, at + len(line)))
            at += len(line)
        return cls(parts)

    def within(self, start: int, end: int) -> Iterator[AnswerPart]:
        """The parts, cut to a span."""
        for part in self.parts:
            first, last = max(start, part.start), min(end, part.end)
            if first < last:
                yield AnswerPart(part.kind, first, last)

    def takes_mark(self, end: int) -> bool:
        """Whether a mark may be written at this place, after what ends here."""
        return any(part.kind is AnswerPartKind.PROSE for part in self.within(end - 1, end))


def _kinds(lines: Sequence[str]) -> list[AnswerPartKind]:
    kinds = [AnswerPartKind.PROSE] * len(lines)
    fence, is_table = "", False
    for number, line in enumerate(lines):
        opened = _FENCE.match(line)
        if fence:
            kinds[number] = AnswerPartKind.CODE
            if opened and opened["fence"].startswith(fence) and not opened["rest"].strip():
                fence = ""
            continue
        is_table = is_table and bool(line.strip())
        follows_text = (
            number > 0 and kinds[number - 1] is AnswerPartKind.PROSE and bool(lines[number - 1].strip())
        )
        if opened and not (opened["fence"][0] == "`" and "`" in opened["rest"]):
            fence, is_table = opened["fence"], False
            kinds[number] = AnswerPartKind.CODE
        elif follows_text and (_UNDERLINE.fullmatch(line) or _RULE_OF_A_TABLE.fullmatch(line)):
            is_table = "|" in line
            kinds[number - 1 : number + 1] = [AnswerPartKind.LINE, AnswerPartKind.LINE]
        elif is_table or _HEADING.match(line) or _ROW.match(line) or _is_bold_heading(lines, number):
            kinds[number] = AnswerPartKind.LINE
    return kinds


def _is_bold_heading(lines: Sequence[str], number: int) -> bool:
    """Whether a line is bold as a whole, with nothing right above it, and more text somewhere below."""
    is_first = number == 0 or not lines[number - 1].strip()
    is_bold = is_first and _BOLD_LINE.fullmatch(lines[number]) is not None
    return is_bold and any(line.strip() for line in lines[number + 1 :])
