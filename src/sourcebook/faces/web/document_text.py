"""The text of a document as HTML: Markdown as it is meant, other texts in their paragraphs, a span marked."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from sourcebook.faces.web.safe_html import Span, marked, with_spans
from sourcebook.model.documents import Document

MARKDOWN = "text/markdown"
_LONGEST_HEADING = 70
_NO_HEADING_ENDS = (".", ":", ";", ",", "!", "…")


def document_text(document: Document, start: int, end: int, span: tuple[int, int] | None) -> Markup:
    """The text between two places, with what of the span lies between them marked."""
    text = document.content[start:end]
    here = None
    if span is not None and max(span[0], start) < min(span[1], end):
        here = (max(span[0], start) - start, min(span[1], end) - start)
    if document.layout.get("kind") == MARKDOWN:
        return marked(text, [Span(*here, "mark")] if here else [], links=True)
    return Markup("").join(_paragraphs(text, here))


def _paragraphs(text: str, span: tuple[int, int] | None) -> Iterator[Markup]:
    at = 0
    for part in text.split("\n\n"):
        if part.strip():
            here = [(span[0] - at, min(span[1] - at, len(part)))] if span and span[1] > at else []
            html = with_spans(part.rstrip(), [(max(0, a), min(b, len(part.rstrip()))) for a, b in here])
            tag = Markup("h4") if _is_heading(part) else Markup("p")
            yield Markup("<{0}>{1}</{0}>").format(tag, html)
        at += len(part) + 2


def _is_heading(part: str) -> bool:
    """Files other than Markdown tell no headings in their text: a short line that ends like none is taken for one."""
    line = part.strip()
    is_short = "\n" not in line and len(line) <= _LONGEST_HEADING
    # A row of a sheet reads `Item: Locker; Price: 36`.
    is_prose = ". " in line or "; " in line
    return is_short and not is_prose and not line.endswith(_NO_HEADING_ENDS)
