"""The part of the XML library that is used for DOCX, with its types."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from docx.oxml.ns import qn

__all__ = ["VALUE", "Element", "qn", "value_of"]

VALUE = qn("w:val")


class Element(Protocol):
    """An element; going through it gives its children."""

    @property
    def tag(self) -> object: ...

    @property
    def text(self) -> str | None: ...

    def __iter__(self) -> Iterator[Element]: ...

    def get(self, key: str, default: str) -> str: ...

    def find(self, tag: str) -> Element | None: ...

    def iter(self, tag: str) -> Iterator[Element]: ...

    def iterancestors(self, tag: str) -> Iterator[Element]: ...

    def getparent(self) -> Element | None: ...


def value_of(parent: Element | None, tag: str) -> str:
    """What the child with this tag says, or nothing."""
    child = parent.find(tag) if parent is not None else None
    return child.get(VALUE, "") if child is not None else ""
