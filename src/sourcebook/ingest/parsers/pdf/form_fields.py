"""What was filled into the fields of a form: it is drawn above the page, and belongs behind the labels on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sourcebook.ingest.parsers.pdf.page import PageContent, read_page
from sourcebook.ingest.parsers.pdf.pdfium import PdfDocument, PdfPage, raw

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.pdf.layout import Line

SAME_LINE = 0.8
"""A label and its field stand about as high, in parts of the height of the letters."""


def has_form(document: PdfDocument) -> bool:
    handle: Any = getattr(document, "raw", None)
    return handle is not None and raw.FPDF_GetFormType(handle) != raw.FORMTYPE_NONE


def read_filled_page(document: PdfDocument, index: int, page: PdfPage) -> PageContent:
    """What stands on a page of a form, with the values of its fields behind their labels. The page is closed."""
    content = read_page(page)
    letters = page.get_textpage()
    count = letters.count_chars()
    letters.close()
    is_drawn = raw.FPDFPage_Flatten(getattr(page, "raw", None), raw.FLAT_NORMALDISPLAY) == raw.FLATTEN_SUCCESS
    page.close()
    if not is_drawn:
        return content
    filled = document.get_page(index)
    try:
        values = [value for row in read_page(filled, after=count).rows for value in row]
    finally:
        filled.close()
    return replace(content, rows=with_values(content.rows, values), has_pictures=False) if values else content


def with_values(rows: Sequence[Sequence[Line]], values: Sequence[Line]) -> list[list[Line]]:
    """Each value in the row that stands as high as it does, or else behind the last row above it."""
    filled = [list(row) for row in rows]
    for value in values:
        beside = [row for row in filled if _is_as_high(row[0], value)]
        if beside:
            nearest = max(beside, key=lambda row: _ends_before(row, value))
            nearest.append(value)
            nearest.sort(key=lambda line: line.left)
            continue
        above = [place for place, row in enumerate(filled) if row[0].baseline > value.baseline]
        filled.insert(above[-1] + 1 if above else 0, [value])
    return filled


def _is_as_high(line: Line, value: Line) -> bool:
    return abs(line.baseline - value.baseline) < SAME_LINE * min(line.size, value.size)


def _ends_before(row: Sequence[Line], value: Line) -> float:
    """Where the row ends on the left of the value: that of its label is the nearest."""
    return max((line.right for line in row if line.left < value.left), default=float("-inf"))
