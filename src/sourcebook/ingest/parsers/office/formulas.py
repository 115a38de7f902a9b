"""Formulas of office documents as people would type them: MathML in OpenDocument, a language of its own in Office."""

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
_OFFICE = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
OFFICE_FORMULA, OFFICE_SIGNS = f"{_OFFICE}oMath", f"{_OFFICE}t"
OFFICE_MARKS: dict[object, str] = {f"{_OFFICE}sup": "^", f"{_OFFICE}sub": "_", f"{_OFFICE}den": "/"}
"""What is raised, lowered or below a line in a formula of Office is written behind such a sign."""
_ANNOTATIONS = ("annotation", "annotation-xml")
_DEEPEST = 60


def formula_text(math: Element) -> str:
    """The signs of a formula in one line: `E=mc^2`."""
    return "".join("".join(_pieces(math, 0)).split())


def office_formula_text(formula: Element) -> str:
    """The same of a formula of Office."""
    return "".join(_office_pieces(formula, 0))


def _office_pieces(element: Element, depth: int) -> Iterator[str]:
    for child in element:
        yield OFFICE_MARKS.get(child.tag, "")
        if child.tag == OFFICE_SIGNS:
            yield child.text or ""
        elif depth < _DEEPEST:
            yield from _office_pieces(child, depth + 1)


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
