"""The leaf: the source itself, beside what stands on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote as quoted

from markupsafe import Markup

from sourcebook.curate.source_changes import nearest_stretch
from sourcebook.faces.web.answer_view import document_address, file_name
from sourcebook.faces.web.diff_view import word_diff
from sourcebook.faces.web.document_text import document_text, is_sheet
from sourcebook.model.chat import Citation, SourceState
from sourcebook.model.documents import Document

_AROUND = 500
"""So many characters before and after the quote are shown with it."""


@dataclass(frozen=True, slots=True)
class Part:
    html: Markup
    is_around: bool


@dataclass(frozen=True, slots=True)
class Leaf:
    """A source as it lies beside an answer. Without parts it is gone, and only the quote is left."""

    number: int | None
    title: str
    file: str
    path: str
    section: str | None
    page: int | None
    state: str
    indexed_at: int
    parts: Sequence[Part]
    quote: str
    document: str | None
    picture: str | None
    change: Markup | None = None
    """What became of a quote that is no longer there."""


def leaf_of(citation: Citation, document: Document | None, beside: Sequence[Citation] = ()) -> Leaf:
    """The leaf of a citation, from the document as it stands now. What those `beside` it quote is marked too."""
    section = citation.section_name
    return _leaf(
        document,
        _marks(citation, document, beside),
        collection=citation.collection_id,
        number=citation.number,
        title=citation.document_title or file_name(citation.document_path),
        path=citation.document_path,
        section=section,
        page=citation.page,
        state=citation.state if document is not None else SourceState.REMOVED,
        quote=citation.quote,
    )


def change_of(citation: Citation, document: Document) -> Markup | None:
    """The quote against what stands in its place now; None if it still stands, or nothing resembles it."""
    return None if _place_of(citation, document) is not None else _change(citation.quote, document)


def leaf_of_span(collection: str, document: Document, start: int, end: int, section: str | None) -> Leaf:
    """The leaf of a passage that was found."""
    text = document.content
    start, end = max(0, min(start, len(text))), max(0, min(end, len(text)))
    return _leaf(
        document,
        [(start, end)],
        collection=collection,
        number=None,
        title=document.title or file_name(document.file_path),
        path=document.file_path,
        section=section,
        page=document.page_at(start),
        state=SourceState.CURRENT,
        quote=text[start:end],
    )


def picture_address(collection: str, document: str, page: int, start: int, end: int) -> str:
    place = f"/documents/{quoted(collection, safe='')}/{quoted(document, safe='')}/pages/{page}"
    return f"{place}?start={start}&end={end}"


def parts_around(document: Document, spans: Sequence[tuple[int, int]]) -> list[Part]:
    """The text around spans: the paragraphs that they stand in with the spans marked, and some before and after."""
    text = document.content
    start, end = min(start for start, _ in spans), max(end for _, end in spans)
    first = _back_to_break(text, max(0, start - _AROUND), start)
    last = _on_to_break(text, min(len(text), end + _AROUND), end)
    if is_sheet(document):
        # A table that is cut at the marked row would be two, and the row none.
        return [Part(document_text(document, first, last, spans), is_around=False)]
    opening = max(text.rfind("\n\n", first, start) + 2, first) if "\n\n" in text[first:start] else first
    closing = text.find("\n\n", end, last)
    closing = last if closing < 0 else closing
    cuts = ((first, opening, True), (opening, closing, False), (closing, last, True))
    return [
        Part(document_text(document, a, b, spans), is_around) for a, b, is_around in cuts if text[a:b].strip()
    ]


def _leaf(
    document: Document | None,
    spans: Sequence[tuple[int, int]],
    *,
    collection: str,
    number: int | None,
    title: str,
    path: str,
    section: str | None,
    page: int | None,
    state: SourceState,
    quote: str,
) -> Leaf:
    picture = whole = change = None
    shown: list[Part] = []
    span = next(iter(spans), None)
    if document is not None and span is None:
        change = _change(quote, document)
    if document is not None:
        whole = document_address(collection, document.id, *(span or (None, None)))
        if span is not None:
            shown = parts_around(document, spans)
            # A passage may go over a page: the picture is of the page that its marked words stand on.
            page = page if (there := document.page_at(span[0])) is None else there
            if page is not None and document.file_path.lower().endswith(".pdf"):
                picture = picture_address(collection, document.id, page, *span)
    return Leaf(
        number=number,
        title=title,
        file=file_name(path),
        path=path,
        section=section,
        page=page,
        state=state.value,
        indexed_at=document.indexed_at if document else 0,
        parts=shown,
        quote=quote,
        document=whole,
        picture=picture,
        change=change,
    )


def _change(quote: str, document: Document) -> Markup | None:
    now = nearest_stretch(quote, document.content)
    return word_diff(quote, now, document.content) if now else None


def _marks(
    citation: Citation, document: Document | None, beside: Sequence[Citation]
) -> list[tuple[int, int]]:
    """What is marked, the citation's own first: of an excerpt only the words that carry the answer, as in the answer.

    What stands far away is not shown with it.
    """
    marks: list[tuple[int, int]] = []
    for each in (citation, *beside):
        start = _place_of(each, document)
        keys = [] if start is None else (each.highlight or [(0, len(each.quote))])
        for first, last in keys:
            span = ((start or 0) + first, (start or 0) + last)
            is_near = not marks or abs(span[0] - marks[0][0]) <= _AROUND
            if is_near and all(span[1] <= a or b <= span[0] for a, b in marks):
                marks.append(span)
        if not marks:
            return []
    return marks


def _place_of(citation: Citation, document: Document | None) -> int | None:
    """Where the quote stands now: where it stood, or the nearest place that says the same."""
    if document is None or not citation.quote:
        return None
    if document.content[citation.start : citation.start + len(citation.quote)] == citation.quote:
        return citation.start
    places: list[int] = []
    at = document.content.find(citation.quote)
    while at >= 0 and len(places) < 100:
        places.append(at)
        at = document.content.find(citation.quote, at + 1)
    return min(places, key=lambda place: abs(place - citation.start), default=None)


def _back_to_break(text: str, at: int, limit: int) -> int:
    """The beginning of the paragraph or, if that is far, of the sentence that this place stands in."""
    if at == 0:
        return 0
    for mark in ("\n\n", ". ", " "):
        found = text.find(mark, at, limit)
        if found >= 0:
            return found + len(mark)
    return at


def _on_to_break(text: str, at: int, limit: int) -> int:
    if at == len(text):
        return at
    for mark in ("\n\n", ". ", " "):
        found = text.rfind(mark, limit, at)
        if found >= 0:
            return found + (1 if mark == ". " else 0)
    return at
