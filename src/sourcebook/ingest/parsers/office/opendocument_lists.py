"""How the lists and headings of OpenDocument are counted: their numbers are not written in the text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.item_numbers import item_label, item_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sourcebook.ingest.parsers.xml_element import Element

_NS = "urn:oasis:names:tc:opendocument:xmlns:"
_TEXT, _STYLE = f"{{{_NS}text:1.0}}", f"{{{_NS}style:1.0}}"
_ID = "{http://www.w3.org/XML/1998/namespace}id"
_DIGITS = re.compile(r"\d{1,6}", re.ASCII)
_DEEPEST = 10
"""Lists and outlines have no more levels."""
_HEADINGS = ""
"""Headings are counted like the items of a list whose style has no name."""

Counts = dict[int, int]
"""The number of the last item on each level of a list."""


def number_in(text: str, default: int) -> int:
    return int(text) if _DIGITS.fullmatch(text) else default


@dataclass(frozen=True, slots=True)
class _Level:
    """How a level is counted. `shown` is how many levels its number names: two in `3.1`."""

    start: int
    form: str
    before: str
    after: str
    shown: int


class ListNumbers:
    """Counts the items of the lists of one document, and its headings."""

    def __init__(self, *roots: Element | None) -> None:
        """The roots hold the styles of lists."""
        self._levels = {key: level for root in roots if root is not None for key, level in _levels(root)}
        self._by_name: dict[str, Counts] = {}
        self._headings: Counts = {}

    def begun(self, items: Element, style: str) -> Counts:
        """The counts of a list: those of another that it goes on with, or none yet."""
        other = items.get(f"{_TEXT}continue-list", "")
        if not other and items.get(f"{_TEXT}continue-numbering", "") == "true":
            other = f"style {style}"
        counts = self._by_name.get(other, {}) if other else {}
        self._by_name[items.get(_ID, "")] = self._by_name[f"style {style}"] = counts
        return counts

    def mark(self, counts: Counts, style: str, level: int, start: str = "") -> str:
        """Count an item and say its number, as in `b)`; nothing if it has a bullet. Levels begin with 1."""
        how = self._levels.get((style, level))
        for deeper in [other for other in counts if other > level]:
            del counts[deeper]
        counts[level] = number_in(start, counts.get(level, how.start - 1 if how else 0) + 1)
        return self._shown(counts, style, level, how) if how else ""

    def heading_mark(self, heading: Element, level: int) -> str:
        """The number of a heading, or nothing if headings have none."""
        if (_HEADINGS, level) not in self._levels or heading.get(f"{_TEXT}is-list-header", "") == "true":
            return ""
        return self.mark(self._headings, _HEADINGS, level, heading.get(f"{_TEXT}start-value", ""))

    def _shown(self, counts: Counts, style: str, level: int, how: _Level) -> str:
        numbers: list[str] = []
        for named in range(max(level - how.shown, 0) + 1, level + 1):
            of_level = self._levels.get((style, named))
            if of_level is not None:
                numbers.append(item_number(counts.get(named, of_level.start), of_level.form))
        return item_label(f"{how.before}{'.'.join(numbers)}{how.after}".strip())


def _levels(root: Element) -> Iterator[tuple[tuple[str, int], _Level]]:
    for style in root.iter(f"{_TEXT}list-style"):
        for level in style.iter(f"{_TEXT}list-level-style-number"):
            yield from _level(level, style.get(f"{_STYLE}name", ""))
    for level in root.iter(f"{_TEXT}outline-level-style"):
        yield from _level(level, _HEADINGS)


def _level(level: Element, style: str) -> Iterator[tuple[tuple[str, int], _Level]]:
    form = level.get(f"{_STYLE}num-format", "")
    if form:
        yield (
            (style, number_in(level.get(f"{_TEXT}level", ""), 1)),
            _Level(
                number_in(level.get(f"{_TEXT}start-value", ""), 1),
                form,
                level.get(f"{_STYLE}num-prefix", ""),
                level.get(f"{_STYLE}num-suffix", ""),
                min(number_in(level.get(f"{_TEXT}display-levels", ""), 1), _DEEPEST),
            ),
        )
