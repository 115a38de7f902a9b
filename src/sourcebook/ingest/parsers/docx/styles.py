"""What the styles of a DOCX say about a paragraph."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.ingest.parsers.docx.xml import based_on, qn, value_of
from sourcebook.ingest.parsers.style_chain import style_chain

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.xml_element import Element

_STYLE_ID, _NAME = (qn(f"w:{name}") for name in ("styleId", "name"))
_STYLE, _PROPERTIES, _PARAGRAPH_STYLE = (qn(f"w:{name}") for name in ("style", "pPr", "pStyle"))
_OUTLINE_LEVEL, _LIST, _LIST_ID, _LIST_LEVEL = (
    qn(f"w:{n}") for n in ("outlineLvl", "numPr", "numId", "ilvl")
)
_NO_LIST = "0"
_HEADING = re.compile(r"(?:heading|заголовок|título|titulo) ?([1-9])", re.IGNORECASE)
_CONTENTS = re.compile(r"(?:toc|table of figures|оглавление)\b", re.IGNORECASE)
_LISTINGS = frozenset({"preformatted text", "html preformatted", "source code", "macro text"})
_LOWEST_LEVEL = 9
_LIST_LEVELS = re.compile(r"[0-8]")


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """`level` is that of a heading, or 0 if the paragraph is none."""

    level: int = 0
    is_title: bool = False
    is_contents: bool = False
    is_listing: bool = False


class ListPlace(NamedTuple):
    """The name of a list, the level in it, and the style that may say the level instead."""

    name: str
    level: int | None
    style: str


class ParagraphStyles:
    """The styles of one document."""

    def __init__(self, styles: Element | None) -> None:
        found = styles.iter(_STYLE) if styles is not None else ()
        self._elements = {style.get(_STYLE_ID, ""): style for style in found}
        self._known: dict[str, ParagraphStyle] = {}
        self._lists: dict[str, tuple[str, str, str]] = {}

    def of(self, paragraph: Element) -> ParagraphStyle:
        """What a paragraph is by its style, or by the level that it claims in the outline itself."""
        properties = paragraph.find(_PROPERTIES)
        name = value_of(properties, _PARAGRAPH_STYLE)
        if name not in self._known:
            self._known[name] = self._resolved(name)
        style = self._known[name]
        own = _level(properties)
        return ParagraphStyle(own) if own and not style.level and not style.is_title else style

    def place_in_list(self, paragraph: Element) -> ListPlace | None:
        """The list that a paragraph is an item of, by itself or by its style."""
        properties = paragraph.find(_PROPERTIES)
        style = value_of(properties, _PARAGRAPH_STYLE)
        own = properties.find(_LIST) if properties is not None else None
        name, level = value_of(own, _LIST_ID), value_of(own, _LIST_LEVEL)
        if not name:
            if style not in self._lists:
                self._lists[style] = self._list_of_chain(style)
            name, of_style, style = self._lists[style]
            level = level or of_style
        if not name or name == _NO_LIST:
            return None
        return ListPlace(name, int(level) if _LIST_LEVELS.fullmatch(level) else None, style)

    def list_of(self, style_id: str) -> str:
        """The list that a style names."""
        return self._list_of_chain(style_id)[0]

    def _list_of_chain(self, style_id: str) -> tuple[str, str, str]:
        """The list and the level that a style or one that it is based on names, and the style that does."""
        level = ""
        for name, style in style_chain(self._elements, style_id, based_on):
            properties = style.find(_PROPERTIES)
            said = properties.find(_LIST) if properties is not None else None
            level = level or value_of(said, _LIST_LEVEL)
            if value_of(said, _LIST_ID):
                return value_of(said, _LIST_ID), level, name
        return "", level, style_id

    def _resolved(self, style_id: str) -> ParagraphStyle:
        for _, style in style_chain(self._elements, style_id, based_on):
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
        return ParagraphStyle()


def _level(properties: Element | None) -> int:
    """The level in the outline, counted from 1; 0 is body text."""
    value = value_of(properties, _OUTLINE_LEVEL)
    return int(value) + 1 if value.isdecimal() and len(value) == 1 and int(value) < _LOWEST_LEVEL else 0
