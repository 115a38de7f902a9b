"""Formulas of OpenDocument, which are MathML, as people would type them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.xml_element import Element

_MATH = "{http://www.w3.org/1998/Math/MathML}"
# What stands between the parts of such an element.
_SIGNS = {
    "msup": ("^",),
    "mover": ("^",),
    "msub": ("_",),
    "munder": ("_",),
    "msubsup": ("_", "^"),
    "munderover": ("_", "^"),
    "mfrac": ("/",),
}
_ANNOTATIONS = ("annotation", "annotation-xml")
_DEEPEST = 60


def formula_text(math: Element) -> str:
    """The signs of a formula in one line: `E=mc^2`."""
    return "".join("".join(_pieces(math, 0)).split())


def _pieces(element: Element, depth: int) -> Iterator[str]:
    yield element.text or ""
    name = str(element.tag).removeprefix(_MATH)
    signs = _SIGNS.get(name, ())
    for place, child in enumerate(element):
        if str(child.tag).removeprefix(_MATH) in _ANNOTATIONS or depth == _DEEPEST:
            continue
        if 0 < place <= len(signs):
            yield signs[place - 1]
        yield from _pieces(child, depth + 1)
        yield child.tail or ""
