"""How large and how bold the letters of a DOCX are, by themselves and by their styles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.ingest.parsers.docx.xml import VALUE, based_on, qn, value_of
from sourcebook.ingest.parsers.large_lines import Look
from sourcebook.ingest.parsers.style_chain import style_chain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sourcebook.ingest.parsers.xml_element import Element

_USUAL_SIZE = 20
_NUMBER = re.compile(r"\d{1,4}", re.ASCII)
_STYLE, _STYLE_ID, _DEFAULT, _TYPE = (qn(f"w:{name}") for name in ("style", "styleId", "default", "type"))
_OF_ALL = "/".join(qn(f"w:{name}") for name in ("docDefaults", "rPrDefault", "rPr"))
_LETTERS, _SIZE, _BOLD, _RUN, _TEXT = (qn(f"w:{name}") for name in ("rPr", "sz", "b", "r", "t"))
_TEXT_BOX = qn("w:txbxContent")
_OF_PARAGRAPH, _PARAGRAPH_STYLE, _RUN_STYLE = (qn(f"w:{name}") for name in ("pPr", "pStyle", "rStyle"))


class _Letters(NamedTuple):
    """What is said of letters, as far as it is said: their size in half points, and whether they are bold."""

    size: int | None = None
    is_bold: bool | None = None

    def over(self, other: _Letters) -> _Letters:
        return _Letters(
            other.size if self.size is None else self.size,
            other.is_bold if self.is_bold is None else self.is_bold,
        )


class DocxLetterStyles:
    """What the styles of one document say about letters."""

    def __init__(self, styles: Element | None) -> None:
        found = list(styles.iter(_STYLE)) if styles is not None else []
        self._elements = {style.get(_STYLE_ID, ""): style for style in found}
        self._default = next((style.get(_STYLE_ID, "") for style in found if _is_default(style)), "")
        self._of_all = _said(styles.find(_OF_ALL)) if styles is not None else _Letters()
        self._known: dict[str, _Letters] = {}

    def pieces(self, paragraph: Element) -> Iterator[tuple[str, Look]]:
        """The texts of a paragraph, without those of its boxes, and what their letters look like."""
        style = self._of_style(value_of(paragraph.find(_OF_PARAGRAPH), _PARAGRAPH_STYLE) or self._default)
        boxed = {run for box in paragraph.iter(_TEXT_BOX) for run in box.iter(_RUN)}
        for run in (run for run in paragraph.iter(_RUN) if run not in boxed):
            text = "".join(part.text or "" for part in run if part.tag == _TEXT)
            yield text, self._of_run(run, style)

    def _of_run(self, run: Element, style: _Letters) -> Look:
        own = run.find(_LETTERS)
        letters = _said(own).over(self._of_style(value_of(own, _RUN_STYLE))).over(style).over(self._of_all)
        return Look(letters.size or _USUAL_SIZE, bool(letters.is_bold))

    def _of_style(self, style_id: str) -> _Letters:
        if style_id not in self._known:
            letters = _Letters()
            for _, style in style_chain(self._elements, style_id, based_on):
                letters = letters.over(_said(style.find(_LETTERS)))
            self._known[style_id] = letters
        return self._known[style_id]


def _is_default(style: Element) -> bool:
    return style.get(_TYPE, "") == "paragraph" and style.get(_DEFAULT, "0") in ("1", "true", "on")


def _said(properties: Element | None) -> _Letters:
    size = value_of(properties, _SIZE)
    bold = properties.find(_BOLD) if properties is not None else None
    return _Letters(
        int(size) if _NUMBER.fullmatch(size) else None,
        bold.get(VALUE, "true") not in ("0", "false", "off") if bold is not None else None,
    )
