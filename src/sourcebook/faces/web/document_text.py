"""The text of a document as HTML: Markdown as it is meant, other texts in their paragraphs, a span marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from sourcebook.faces.web.safe_html import Span, marked, with_spans
from sourcebook.faces.web.sheet_rows import SHEETS, sheet_rows
from sourcebook.model.documents import Document

MARKDOWN = "text/markdown"
_LONGEST_HEADING = 70
_NO_HEADING_ENDS = (".", ":", ";", ",", "!", "…")


def is_sheet(document: Document) -> bool:
    """Whether its rows were made lines, each cell with the name of its column."""
    return document.layout.get("kind") in SHEETS


def document_text(
    document: Document,
    start: int,
    end: int,
    spans: Sequence[tuple[int, int]] = (),
) -> Markup:
    """The text between two places, with what of the spans lies between them marked. They must not overlap.

    The rows of a sheet, which answers quote as lines, are set in a table.
    """
    text = document.content[start:end]
    here = [(max(a, start) - start, min(b, end) - start) for a, b in spans if max(a, start) < min(b, end)]
    if document.layout.get("kind") == MARKDOWN:
        return marked(text, [Span(a, b, "mark") for a, b in here], links=True)
    if is_sheet(document):
        return Markup("").join(sheet_rows(text, here, lambda a, b: _paragraph(text, a, b, here)))
    return Markup("").join(_paragraphs(text, here))


def _paragraphs(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Markup]:
    at = 0
    for part in text.split("\n\n"):
        if part.strip():
            yield _paragraph(text, at, at + len(part.rstrip()), spans)[0]
        at += len(part) + 2


def _paragraph(text: str, start: int, end: int, spans: Sequence[tuple[int, int]]) -> tuple[Markup, bool]:
    """The paragraph between two places, and whether it is a heading."""
    line = text[start:end]
    here = [(max(0, a - start), min(b - start, len(line))) for a, b in spans]
    html = with_spans(line, [(a, b) for a, b in here if a < b])
    is_heading = _is_heading(line)
    return Markup("<{0}>{1}</{0}>").format(Markup("h4") if is_heading else Markup("p"), html), is_heading


def _is_heading(part: str) -> bool:
    """Files other than Markdown tell no headings in their text: a short line that ends like none is taken for one."""
    line = part.strip()
    is_short = "\n" not in line and len(line) <= _LONGEST_HEADING
    # A row of a sheet reads `Item: Locker; Price: 36`.
    is_prose = ". " in line or "; " in line
    return is_short and not is_prose and not line.endswith(_NO_HEADING_ENDS)
