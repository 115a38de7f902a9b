"""Names and values in the XML of DOCX."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docx.oxml.ns import qn

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.xml_element import Element

__all__ = ["VALUE", "qn", "value_of"]

VALUE = qn("w:val")


def value_of(parent: Element | None, tag: str) -> str:
    """What the child with this tag says, or nothing."""
    child = parent.find(tag) if parent is not None else None
    return child.get(VALUE, "") if child is not None else ""
