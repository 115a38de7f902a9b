"""Finds the highlights of the quotes in the text of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sourcebook.consult.excerpt.clean_markdown import clean_block, clean_inline
from sourcebook.text.layout.blocks import BlockKind

if TYPE_CHECKING:
    from sourcebook.model.chat import Answer, Citation

_MARK = re.compile(r"\[\d{1,2}\]|[\s\-*•·]+")
_AS_SHOWN = (BlockKind.TEXT, BlockKind.ROW, BlockKind.RECORD, BlockKind.ITEM)


def shown_highlights(answer: Answer) -> list[tuple[int, int]]:
    """Spans of the answer's text, in order; none if they would cover all of it and so highlight nothing."""
    text = answer.answer
    spans = sorted({span for citation in answer.citations for span in _found(text, citation)})
    apart = [span for number, span in enumerate(spans) if not number or span[0] >= spans[number - 1][1]]
    rest, place = "", 0
    for start, end in apart:
        rest, place = rest + text[place:start], end
    return apart if _MARK.sub("", rest + text[place:]) else []


def _found(text: str, citation: Citation) -> Iterator[tuple[int, int]]:
    for start, end in citation.highlight:
        quoted = citation.quote[start:end]
        said = [
            clean_inline(quoted),
            *(clean_block(kind, quoted).strip().removeprefix("- ") for kind in _AS_SHOWN),
        ]
        places = ((text.find(words), len(words)) for words in said if words)
        if not quoted.lstrip().startswith("```"):
            found = [(at, at + length) for at, length in places if at >= 0]
            yield from (found or list(_row_with_names(text, quoted)))[:1]


def _row_with_names(text: str, quoted: str) -> Iterator[tuple[int, int]]:
    """Where the row of a table is shown with the names of its columns."""
    row = quoted.strip()
    cells = [clean_inline(cell) for cell in row.strip("|").split("|")] if row.startswith("|") else []
    if any(cells):
        pattern = " · ".join(rf"(?:[^·\n]*?: )?{re.escape(cell)}" for cell in cells if cell)
        yield from (found.span("row") for found in re.finditer(rf"(?m)^(?:- )?(?P<row>{pattern})", text))
