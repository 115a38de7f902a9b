"""The part of the XML library that is used, with its types."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol


class Element(Protocol):
    """An element; going through it gives its children."""

    @property
    def tag(self) -> object: ...

    @property
    def text(self) -> str | None: ...

    @property
    def tail(self) -> str | None: ...

    @property
    def attrib(self) -> Mapping[str, str]: ...

    def __iter__(self) -> Iterator[Element]: ...

    def get(self, key: str, default: str) -> str: ...

    def find(self, tag: str) -> Element | None: ...

    def iter(self, tag: str) -> Iterator[Element]: ...

    def iterancestors(self, tag: str) -> Iterator[Element]: ...

    def getparent(self) -> Element | None: ...
