"""How large and how bold the letters of an OpenDocument text are, by the styles of their paragraphs and spans."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sourcebook.ingest.parsers.large_lines import Look
from sourcebook.ingest.parsers.office.opendocument_text import LEFT_OUT, SHAPES, STYLE, TEXT
from sourcebook.ingest.parsers.style_chain import style_chain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sourcebook.ingest.parsers.xml_element import Element

_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_NAME, _PARENT, _LETTERS = f"{STYLE}name", f"{STYLE}parent-style-name", f"{STYLE}text-properties"
_OF_ELEMENT = f"{TEXT}style-name"
_SIZE = re.compile(r"(\d{1,4}(?:\.\d{1,4})?)(pt|%)", re.ASCII)
_USUAL = Look(24, is_bold=False)
_LARGEST_SIZE = 20_000


class OpenDocumentLetterStyles:
    """What the styles of one document say about letters."""

    def __init__(self, *roots: Element | None) -> None:
        found = [root for root in roots if root is not None]
        self._styles = {style.get(_NAME, ""): style for root in found for style in root.iter(f"{STYLE}style")}
        defaults = (style for root in found for style in root.iter(f"{STYLE}default-style"))
        is_text = (style for style in defaults if style.get(f"{STYLE}family", "") == "paragraph")
        self._usual = _over(_USUAL, next(is_text, None))

    def pieces(self, paragraph: Element) -> Iterator[tuple[str, Look]]:
        """The texts of a paragraph, without those of its shapes, and what their letters look like."""
        return self._pieces(paragraph, self._usual)

    def _pieces(self, element: Element, around: Look) -> Iterator[tuple[str, Look]]:
        letters = self._styled(element.get(_OF_ELEMENT, ""), around)
        yield element.text or "", letters
        for child in element:
            if isinstance(child.tag, str) and child.tag not in LEFT_OUT and child.tag not in SHAPES:
                yield from self._pieces(child, letters)
            yield child.tail or "", letters

    def _styled(self, name: str, around: Look) -> Look:
        chain = style_chain(self._styles, name, lambda style: style.get(_PARENT, ""))
        for _, style in reversed(list(chain)):
            around = _over(around, style)
        return around


def _over(letters: Look, style: Element | None) -> Look:
    said = style.find(_LETTERS) if style is not None else None
    if said is None:
        return letters
    size, weight = _SIZE.fullmatch(said.get(f"{_FO}font-size", "")), said.get(f"{_FO}font-weight", "")
    if size:
        # Parts of parts, one span in another, can grow beyond all numbers.
        half_points = float(size[1]) * (letters.size / 100 if size[2] == "%" else 2)
        letters = letters._replace(size=min(round(half_points), _LARGEST_SIZE))
    return letters._replace(is_bold=weight in ("bold", "600", "700", "800", "900")) if weight else letters
