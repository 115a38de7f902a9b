"""Styles that are based on others, as office documents have them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sourcebook.ingest.parsers.xml_element import Element

_LONGEST = 20


def style_chain(
    styles: Mapping[str, Element], name: str, based_on: Callable[[Element], str]
) -> Iterator[tuple[str, Element]]:
    """A style with its name, then the one that it is based on, and so on. One that leads back to itself ends it."""
    seen: set[str] = set()
    while name in styles and name not in seen and len(seen) < _LONGEST:
        seen.add(name)
        yield name, styles[name]
        name = based_on(styles[name])
