"""What was filled into the fields of a form: it stands above the page, and belongs behind the labels on it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from sourcebook.ingest.parsers.clean_text import cleaned, one_line
from sourcebook.ingest.parsers.pdf.lines import Line
from sourcebook.ingest.parsers.pdf.pdfium import PdfDocument, PdfPage, raw

CHECKED = "✔"
SAME_LINE = 0.8
"""A label and its field stand about as high, in parts of the height of the letters."""
_LETTERS, _FOOT = 10.0, 0.3
"""How high letters in a field mostly are, and in which part of it they stand."""
_WIDTH = 0.5
_HIDDEN = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
_PASSWORD = 1 << 13
_BOXES = (raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON)
_CHOICES = (raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
_TEXTS = (raw.FPDF_FORMFIELD_TEXTFIELD, *_CHOICES)
_MOST_OPTIONS = 1_000
_LOWEST_LINE, _MOST_LINES = 6.0, 100
"""Lines that a field has no room for belong to its last one: one has to scroll to see them."""
_MOST_PLACED = 1_000
"""Each value is compared with all rows. What more values a page has come below it."""
_NEWEST_INTERFACE = 2


class FormFields:
    """The fields of one document, which has none most of the time. It is to be closed before the document."""

    def __init__(self, document: PdfDocument) -> None:
        handle: Any = getattr(document, "raw", None)
        self._form: Any = None
        if handle is not None and raw.FPDF_GetFormType(handle) != raw.FORMTYPE_NONE:
            # The library keeps what it is given here, as long as the form is open.
            self._interface = raw.FPDF_FORMFILLINFO(version=_NEWEST_INTERFACE)
            self._form = raw.FPDFDOC_InitFormFillEnvironment(handle, self._interface)

    def close(self) -> None:
        if self._form:
            raw.FPDFDOC_ExitFormFillEnvironment(self._form)
            self._form = None

    def values(self, page: PdfPage) -> list[Line]:
        """What was filled in on a page, where it stands."""
        if not self._form:
            return []
        handle: Any = getattr(page, "raw", None)
        raw.FORM_OnAfterLoadPage(handle, self._form)
        try:
            return list(self._values(handle))
        finally:
            raw.FORM_OnBeforeClosePage(handle, self._form)

    def _values(self, page: Any) -> Iterator[Line]:
        for index in range(raw.FPDFPage_GetAnnotCount(page)):
            field = raw.FPDFPage_GetAnnot(page, index)
            if not field:
                continue
            try:
                if raw.FPDFAnnot_GetSubtype(field) == raw.FPDF_ANNOT_WIDGET and self._is_seen(field):
                    yield from _lines(self._value(field), field)
            finally:
                raw.FPDFPage_CloseAnnot(field)

    def _is_seen(self, field: Any) -> bool:
        is_password = raw.FPDFAnnot_GetFormFieldFlags(self._form, field) & _PASSWORD
        is_text = raw.FPDFAnnot_GetFormFieldType(self._form, field) == raw.FPDF_FORMFIELD_TEXTFIELD
        return not raw.FPDFAnnot_GetFlags(field) & _HIDDEN and not (is_text and is_password)

    def _value(self, field: Any) -> str:
        kind = raw.FPDFAnnot_GetFormFieldType(self._form, field)
        if kind in _BOXES:
            return CHECKED if raw.FPDFAnnot_IsChecked(self._form, field) else ""
        chosen = ", ".join(self._chosen(field)) if kind in _CHOICES else ""
        if chosen or kind not in _TEXTS:
            return chosen
        return _string(lambda buffer, size: raw.FPDFAnnot_GetFormFieldValue(self._form, field, buffer, size))

    def _chosen(self, field: Any) -> Iterator[str]:
        """What the chosen options are called."""
        for option in range(min(raw.FPDFAnnot_GetOptionCount(self._form, field), _MOST_OPTIONS)):
            if raw.FPDFAnnot_IsOptionSelected(self._form, field, option):
                yield _string(
                    lambda buffer, size, option=option: raw.FPDFAnnot_GetOptionLabel(
                        self._form, field, option, buffer, size
                    )
                )


def _string(read: Callable[[Any, int], int]) -> str:
    """A string of the library, which first says how long it is."""
    size = read(None, 0)
    buffer = ctypes.create_string_buffer(size)
    read(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return cleaned(buffer.raw.decode("utf-16-le", errors="ignore").rstrip("\0"))


def _lines(value: str, field: Any) -> Iterator[Line]:
    """The lines of a value from the upper edge of its field on."""
    box = raw.FS_RECTF()
    raw.FPDFAnnot_GetRect(field, box)
    lines = [words for line in value.splitlines() if (words := one_line(line))]
    last = int(min(_MOST_LINES, max(1, (box.top - box.bottom) / _LOWEST_LINE))) - 1
    lines[last:] = [" ".join(lines[last:])] if lines[last:] else []
    height = (box.top - box.bottom) / max(len(lines), 1)
    for number, words in enumerate(lines):
        size = min(_LETTERS, height)
        width = min(_WIDTH * size * len(words), box.right - box.left)
        baseline = box.top - (number + 1) * height + _FOOT * height
        yield Line(words, box.left, box.left + width, baseline, size)


def with_values(rows: Sequence[Sequence[Line]], values: Sequence[Line]) -> list[list[Line]]:
    """Each value in the row that stands as high as it does, or else behind the last row above it."""
    filled = [list(row) for row in rows]
    # Rows with values, by their identity: they are put in order once, when they have all of theirs.
    changed: dict[int, list[Line]] = {}
    for value in values[:_MOST_PLACED]:
        row = _row_beside(filled, value)
        if row is None:
            above = [place for place, row in enumerate(filled) if row[0].baseline > value.baseline]
            row = list[Line]()
            filled.insert(above[-1] + 1 if above else 0, row)
        row.append(value)
        changed[id(row)] = row
    rest = [list(row) for _, row in groupby(values[_MOST_PLACED:], key=lambda value: value.baseline)]
    for row in (*changed.values(), *rest):
        # No line of a form goes on in the next.
        row[:] = [replace(line, is_listing=True, is_table=True) for line in row]
        row.sort(key=lambda line: line.left)
    return [*filled, *rest]


def _row_beside(rows: Sequence[list[Line]], value: Line) -> list[Line] | None:
    """The row whose label is about as high as the value and nearest on its left."""
    away = [abs(row[0].baseline - value.baseline) for row in rows]
    nearest = min(away, default=float("inf"))
    if nearest > SAME_LINE * value.size:
        return None
    beside = [row for row, height in zip(rows, away, strict=True) if height < nearest + 1]
    return max(beside, key=lambda row: _ends_before(row, value)) if len(beside) > 1 else beside[0]


def _ends_before(row: Sequence[Line], value: Line) -> float:
    """Where the row ends on the left of the value: that of its label is the nearest."""
    return max((line.right for line in row if line.left < value.left), default=float("-inf"))
