"""What stands before the items of a list, and before numbered headings, in a DOCX: it is counted, not written there."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.docx.xml import qn, value_of
from sourcebook.ingest.parsers.item_numbers import LONGEST_LABEL, item_label, item_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from sourcebook.ingest.parsers.xml_element import Element

_NUMBER, _NUMBER_ID, _LEVEL_ID = (qn(f"w:{name}") for name in ("num", "numId", "ilvl"))
_ABSTRACT, _ABSTRACT_ID, _STYLE_LINK = (
    qn(f"w:{name}") for name in ("abstractNum", "abstractNumId", "numStyleLink")
)
_LEVEL, _FORMAT, _START, _TEXT, _IS_LEGAL, _LEVEL_STYLE = (
    qn(f"w:{name}") for name in ("lvl", "numFmt", "start", "lvlText", "isLgl", "pStyle")
)
_OVERRIDE, _OVERRIDE_START = qn("w:lvlOverride"), qn("w:startOverride")
_FORMS = {
    "decimal": "1",
    "decimalZero": "01",
    "lowerLetter": "a",
    "upperLetter": "A",
    "lowerRoman": "i",
    "upperRoman": "I",
    "russianLower": "а",
    "russianUpper": "А",
}
_SMALL_NUMBER = re.compile(r"\d{1,6}", re.ASCII)
_PLACE = re.compile(r"%([1-9])")
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class _Level:
    """How one level of a list is counted. `text` is what is shown, with `%1` for the number of the first level."""

    form: str = "bullet"
    start: int = 1
    text: str = ""
    is_legal: bool = False


@dataclass(frozen=True, slots=True)
class _Format:
    """The levels of a list, and which of them belongs to a style of paragraphs."""

    levels: dict[int, _Level] = field(default_factory=dict[int, _Level])
    of_styles: dict[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class _List:
    """A list: the format whose counting it shares with others, and where it begins to count anew, by its levels."""

    shared: str
    format: _Format
    restarts: dict[int, int]


class Lists:
    """The lists of one document, which count their items."""

    def __init__(self, numbering: Element | None, list_of_style: Callable[[str], str]) -> None:
        """`list_of_style` names the list that a style of lists stands for."""
        self._lists: dict[str, _List] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()
        if numbering is None:
            return
        abstracts = {abstract.get(_ABSTRACT_ID, ""): abstract for abstract in numbering.iter(_ABSTRACT)}
        numbers = {number.get(_NUMBER_ID, ""): number for number in numbering.iter(_NUMBER)}
        formats = {name: _format(abstract) for name, abstract in abstracts.items()}
        for name, number in numbers.items():
            shared = value_of(number, _ABSTRACT_ID)
            link = value_of(abstracts.get(shared), _STYLE_LINK)
            if link and list_of_style(link) in numbers:
                # The levels stand in another list, which a style names.
                shared = value_of(numbers[list_of_style(link)], _ABSTRACT_ID)
            self._lists[name] = _list(number, shared, formats.get(shared, _Format()))

    def level_of_style(self, name: str, style: str) -> int:
        """The level of the list that belongs to a style of paragraphs."""
        known = self._lists.get(name)
        return known.format.of_styles.get(style, 0) if known else 0

    def mark(self, name: str, level: int) -> str | None:
        """What the next item is counted with: `3.`, `b)`, `2.1`. Nothing if it has a bullet; None if it has no mark."""
        known = self._lists.get(name)
        if known is None:
            return ""
        self._count(known, name, level)
        how = known.format.levels.get(level, _Level())
        if how.form == "bullet":
            return ""
        shown = _PLACE.sub(lambda place: self._number(known, int(place[1]) - 1, how), how.text).strip()
        return item_label(shown) if shown else None

    def _count(self, known: _List, name: str, level: int) -> None:
        counts = self._counts.setdefault(known.shared, {})
        if level in known.restarts and (name, level) not in self._begun:
            self._begun.add((name, level))
            counts[level] = known.restarts[level] - 1
        levels = known.format.levels
        for higher in range(level):
            # A level that was passed over counts as its first item.
            counts.setdefault(higher, levels.get(higher, _Level()).start)
        counts[level] = counts.get(level, levels.get(level, _Level()).start - 1) + 1
        for deeper in [other for other in counts if other > level]:
            del counts[deeper]

    def _number(self, known: _List, level: int, shown_by: _Level) -> str:
        how = known.format.levels.get(level, _Level())
        count = self._counts[known.shared].get(level, how.start)
        return item_number(max(count, 0), "1" if shown_by.is_legal else _FORMS.get(how.form, "1"))


def _format(abstract: Element) -> _Format:
    found = _Format()
    for level in abstract.iter(_LEVEL):
        depth = level.get(_LEVEL_ID, "0")
        if _SMALL_NUMBER.fullmatch(depth) and int(depth) <= _DEEPEST:
            found.levels[int(depth)] = _level(level)
            found.of_styles[value_of(level, _LEVEL_STYLE)] = int(depth)
    return found


def _level(level: Element) -> _Level:
    form, start = value_of(level, _FORMAT), value_of(level, _START)
    text = "" if form == "none" else value_of(level, _TEXT)
    return _Level(
        form or "decimal" if len(text) <= LONGEST_LABEL else "bullet",
        int(start) if _SMALL_NUMBER.fullmatch(start) else 0,
        text,
        level.find(_IS_LEGAL) is not None,
    )


def _list(number: Element, shared: str, of_format: _Format) -> _List:
    """A list may count some levels in its own way, and from another number."""
    levels = dict(of_format.levels)
    restarts: dict[int, int] = {}
    for override in number.iter(_OVERRIDE):
        depth = override.get(_LEVEL_ID, "0")
        if not _SMALL_NUMBER.fullmatch(depth) or int(depth) > _DEEPEST:
            continue
        own = override.find(_LEVEL)
        if own is not None:
            levels[int(depth)] = _level(own)
        start = value_of(override, _OVERRIDE_START)
        if _SMALL_NUMBER.fullmatch(start):
            restarts[int(depth)] = int(start)
    return _List(shared, _Format(levels, of_format.of_styles), restarts)
