"""How large and how bold the letters of an OpenDocument text are, by the styles of their paragraphs and spans."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.ingest.parsers.large_lines import NO_LOOK, LargeLines
from sourcebook.ingest.parsers.office.opendocument_text import LEFT_OUT, SHAPES, STYLE, TEXT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sourcebook.ingest.parsers.large_lines import PlacedParagraph
    from sourcebook.ingest.parsers.sections import Heading
    from sourcebook.ingest.parsers.xml_element import Element

_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_NAME, _PARENT, _LETTERS = f"{STYLE}name", f"{STYLE}parent-style-name", f"{STYLE}text-properties"
_OF_ELEMENT = f"{TEXT}style-name"
_SIZE = re.compile(r"(\d{1,4}(?:\.\d{1,4})?)(pt|%)", re.ASCII)
_USUAL_SIZE = 24
_LONGEST_CHAIN = 20


class _Letters(NamedTuple):
    """The size of letters in half points, and whether they are bold."""

    size: int = _USUAL_SIZE
    is_bold: bool = False


class LetterStyles:
    """What the styles of one document say about letters."""

    def __init__(self, *roots: Element | None) -> None:
        found = [root for root in roots if root is not None]
        self._styles = {style.get(_NAME, ""): style for root in found for style in root.iter(f"{STYLE}style")}
        defaults = (style for root in found for style in root.iter(f"{STYLE}default-style"))
        is_text = (style for style in defaults if style.get(f"{STYLE}family", "") == "paragraph")
        self._usual = _over(_Letters(), next(is_text, None))

    def headings(self, paragraphs: Sequence[PlacedParagraph]) -> list[Heading]:
        """The paragraphs whose letters make them headings, for a document that has no others."""
        lines = LargeLines()
        for start, words, element in paragraphs:
            look = NO_LOOK
            for text, letters in self._pieces(element, self._usual):
                if any(map(str.isalpha, text)):
                    look = look.with_letters(letters.size, is_bold=letters.is_bold)
                    lines.count(letters.size, len(text))
            lines.add(start, look, words)
        return list(lines.headings())

    def _pieces(self, element: Element, around: _Letters) -> Iterator[tuple[str, _Letters]]:
        letters = self._styled(element.get(_OF_ELEMENT, ""), around)
        yield element.text or "", letters
        for child in element:
            if isinstance(child.tag, str) and child.tag not in LEFT_OUT and child.tag not in SHAPES:
                yield from self._pieces(child, letters)
            yield child.tail or "", letters

    def _styled(self, name: str, around: _Letters) -> _Letters:
        chain: list[Element] = []
        while len(chain) < _LONGEST_CHAIN and (style := self._styles.get(name)) is not None:
            chain.append(style)
            name = style.get(_PARENT, "")
        for style in reversed(chain):
            around = _over(around, style)
        return around


def _over(letters: _Letters, style: Element | None) -> _Letters:
    said = style.find(_LETTERS) if style is not None else None
    if said is None:
        return letters
    size, weight = _SIZE.fullmatch(said.get(f"{_FO}font-size", "")), said.get(f"{_FO}font-weight", "")
    if size:
        is_part = size[2] == "%"
        letters = letters._replace(size=round(float(size[1]) * (letters.size / 100 if is_part else 2)))
    return letters._replace(is_bold=weight in ("bold", "600", "700", "800", "900")) if weight else letters
