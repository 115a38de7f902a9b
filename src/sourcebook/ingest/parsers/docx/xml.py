"""Names and values in the XML of DOCX."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.xml_element import Element

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def qn(name: str) -> str:
    """The name of an element or attribute of Word, written as `w:p`."""
    return f"{{{_WORD}}}{name.removeprefix('w:')}"


VALUE = qn("w:val")
_BASED_ON = qn("w:basedOn")


def value_of(parent: Element | None, tag: str) -> str:
    """What the child with this tag says, or nothing."""
    child = parent.find(tag) if parent is not None else None
    return child.get(VALUE, "") if child is not None else ""


def based_on(style: Element) -> str:
    """The id of the style that a style is based on, or nothing."""
    return value_of(style, _BASED_ON)
