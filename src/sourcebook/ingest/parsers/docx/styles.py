"""What the styles and lists of a DOCX say about a paragraph."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.docx.xml import qn, value_of
from sourcebook.ingest.parsers.item_numbers import item_number

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.xml_element import Element

_STYLE_ID, _NAME, _BASED_ON = (qn(f"w:{name}") for name in ("styleId", "name", "basedOn"))
_STYLE, _PROPERTIES, _PARAGRAPH_STYLE = (qn(f"w:{name}") for name in ("style", "pPr", "pStyle"))
_OUTLINE_LEVEL, _LIST, _LIST_ID, _LIST_LEVEL = (
    qn(f"w:{n}") for n in ("outlineLvl", "numPr", "numId", "ilvl")
)
_LIST_NUMBER, _ABSTRACT, _ABSTRACT_ID = (qn(f"w:{name}") for name in ("num", "abstractNum", "abstractNumId"))
_LEVEL, _FORMAT, _START = qn("w:lvl"), qn("w:numFmt"), qn("w:start")
_FORMS = {"decimal": "1", "lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}
_SMALL_NUMBER = re.compile(r"\d{1,6}", re.ASCII)
_HEADING = re.compile(r"(?:heading|заголовок|título|titulo) ?([1-9])", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|table of figures|оглавление)\b", re.IGNORECASE)
_LISTINGS = frozenset({"preformatted text", "html preformatted", "source code", "macro text"})
_LONGEST_CHAIN = 20
_LOWEST_LEVEL = 9


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """`level` is that of a heading, or 0 if the paragraph is none."""

    level: int = 0
    is_title: bool = False
    is_contents: bool = False
    is_listing: bool = False


class ParagraphStyles:
    """The styles of one document."""

    def __init__(self, styles: Element) -> None:
        self._elements = {style.get(_STYLE_ID, ""): style for style in styles.iter(_STYLE)}
        self._known: dict[str, ParagraphStyle] = {}

    def of(self, paragraph: Element) -> ParagraphStyle:
        """What a paragraph is by its style, or by the level that it claims in the outline itself."""
        properties = paragraph.find(_PROPERTIES)
        name = value_of(properties, _PARAGRAPH_STYLE)
        if name not in self._known:
            self._known[name] = self._resolved(name)
        style = self._known[name]
        own = _level(properties)
        return ParagraphStyle(own) if own and not style.level and not style.is_title else style

    def _resolved(self, style_id: str) -> ParagraphStyle:
        for _ in range(_LONGEST_CHAIN):
            style = self._elements.get(style_id)
            if style is None:
                break
            name = value_of(style, _NAME)
            heading = _HEADING.fullmatch(name)
            if heading:
                return ParagraphStyle(int(heading[1]))
            if name.casefold() in ("title", "название"):
                return ParagraphStyle(is_title=True)
            if _CONTENTS.match(name):
                return ParagraphStyle(is_contents=True)
            if name.casefold() in _LISTINGS:
                return ParagraphStyle(is_listing=True)
            level = _level(style.find(_PROPERTIES))
            if level:
                return ParagraphStyle(level)
            style_id = value_of(style, _BASED_ON)
        return ParagraphStyle()


class ListFormats:
    """The lists of one document, which count their items."""

    def __init__(self, numbering: Element | None) -> None:
        self._formats: dict[tuple[str, str], str] = {}
        self._starts: dict[tuple[str, str], int] = {}
        self._counts: dict[tuple[str, str], int] = {}
        if numbering is None:
            return
        levels = {
            abstract.get(_ABSTRACT_ID, ""): {
                level.get(_LIST_LEVEL, "0"): (value_of(level, _FORMAT), value_of(level, _START))
                for level in abstract.iter(_LEVEL)
            }
            for abstract in numbering.iter(_ABSTRACT)
        }
        for number in numbering.iter(_LIST_NUMBER):
            for level, (form, start) in levels.get(value_of(number, _ABSTRACT_ID), {}).items():
                key = number.get(_LIST_ID, ""), level
                self._formats[key] = form
                self._starts[key] = int(start) if _SMALL_NUMBER.fullmatch(start) else 1

    def mark(self, paragraph: Element) -> str:
        """What stands before an item of a list, with its indent, or nothing."""
        properties = paragraph.find(_PROPERTIES)
        listed = properties.find(_LIST) if properties is not None else None
        number, level = value_of(listed, _LIST_ID), value_of(listed, _LIST_LEVEL) or "0"
        if not number or number == "0":
            return ""
        key = number, level
        self._counts[key] = self._counts.get(key, self._starts.get(key, 1) - 1) + 1
        for deeper in [other for other in self._counts if other[0] == number and other[1] > level]:
            del self._counts[deeper]
        indent = "  " * (int(level) if level.isdecimal() and len(level) == 1 else 0)
        form = _FORMS.get(self._formats.get(key, ""))
        if form is not None:
            return f"{indent}{item_number(self._counts[key], form)}. "
        return f"{indent}- "


def _level(properties: Element | None) -> int:
    """The level in the outline, counted from 1; 0 is body text."""
    value = value_of(properties, _OUTLINE_LEVEL)
    return int(value) + 1 if value.isdecimal() and len(value) == 1 and int(value) < _LOWEST_LEVEL else 0
