"""A document for reading: a part of it at a time if it is long, with its pages and the place one came for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from sourcebook.faces.web.document_text import document_text
from sourcebook.model.documents import Document

_LONGEST = 120_000
"""So many characters are shown at once: about forty pages."""


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """A page of a PDF or, of another document, all that is shown."""

    number: int | None
    html: Markup


@dataclass(frozen=True, slots=True)
class DocumentPart:
    """What is shown of a document. `before` and `after` are where the parts around it begin."""

    pages: list[DocumentPage]
    before: int | None
    after: int | None
    has_quote: bool


def part_of(document: Document, at: int, span: tuple[int, int] | None) -> DocumentPart:
    """The part of a document that begins at this place, or the one that holds the span."""
    length = len(document.content)
    if span is not None and not at <= span[0] < at + _LONGEST:
        at = span[0] // _LONGEST * _LONGEST
    first = _at_break(document.content, min(at, length))
    last = _at_break(document.content, min(first + _LONGEST, length))
    marks = [] if span is None else [span]
    pages = [
        DocumentPage(number, _shown(document, start, end, marks))
        for number, start, end in _pages(document, first, last)
    ]
    return DocumentPart(
        pages=pages,
        before=max(0, first - _LONGEST) if first else None,
        after=last if last < length else None,
        has_quote=span is not None,
    )


def _shown(document: Document, start: int, end: int, marks: Sequence[tuple[int, int]]) -> Markup:
    """The text with a place to jump to: the first mark of it. The title, which stands above it, is not said twice."""
    html = str(document_text(document, start, end, marks))
    if start == 0 and document.title:
        title = escape(document.title)
        html = html.removeprefix(f"<h3>{title}</h3>").removeprefix(f"<h4>{title}</h4>")
    return Markup(html.replace("<mark>", '<mark id="quote" tabindex="-1">', 1))  # noqa: S704 - safe before


def _at_break(text: str, at: int) -> int:
    if at in (0, len(text)):
        return at
    found = text.rfind("\n\n", max(0, at - 5000), at)
    return found + 2 if found >= 0 else at


def _pages(document: Document, first: int, last: int) -> list[tuple[int | None, int, int]]:
    begins: list[tuple[int, int]] = []
    listed = document.layout.get("pages")
    for each in listed if isinstance(listed, list) else []:
        match each:
            case [int() as number, int() as start, *_]:
                begins.append((number, start))
            case _:
                pass
    if not begins:
        return [(None, first, last)]
    ends = [start for _, start in begins[1:]] + [len(document.content)]
    return [
        (number, max(start, first), min(end, last))
        for (number, start), end in zip(begins, ends, strict=True)
        if max(start, first) < min(end, last)
    ]
