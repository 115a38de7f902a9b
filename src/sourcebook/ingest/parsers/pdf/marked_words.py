"""Words marked on the picture of a page, as with a yellow pen."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sourcebook.ingest.parsers.pdf.pdfium import PdfBitmap, PdfPage, PdfTextPage, raw

FEWEST_LETTERS = 12
"""A shorter part of a quote may stand anywhere on a page."""
_PARTS = re.compile(r"\n+|(?<=[.!?…;:])\s+")
_CHANNELS = 3
_BLUE = 2
# Without most of the blue, white is yellow, and black stays black.
_LESS = bytes(value * 2 // 5 for value in range(256))


class Box(NamedTuple):
    """A part of the page, in its own measure."""

    left: float
    bottom: float
    right: float
    top: float


def places_of(page: PdfPage, quote: str) -> list[Box]:
    """Where the letters of the quote stand: as a whole or, if it is not there so, those of its parts that are."""
    text = page.get_textpage()
    try:
        letters, places = _letters_of(text)
        wanted = [quote] if _plain(quote) in letters else _PARTS.split(quote)
        found: list[Box] = []
        for part in map(_plain, wanted):
            start = letters.find(part) if len(part) >= min(FEWEST_LETTERS, len(_plain(quote)) or 1) else -1
            if part and start >= 0:
                found += _boxes(text, sorted(set(places[start : start + len(part)])))
        return found
    finally:
        text.close()


def mark(bitmap: PdfBitmap, page: PdfPage, boxes: Sequence[Box]) -> None:
    """Colour these parts of a picture of the page, whose dots are red, green and blue. No dot is coloured twice."""
    dots = memoryview(bitmap.buffer).cast("B")
    coloured: dict[int, set[tuple[int, int]]] = {}
    for box in boxes:
        left, top, right, bottom = _on_picture(bitmap, page, box)
        for line in range(top, bottom):
            coloured.setdefault(line, set()).add((left, right))
    for line, spans in coloured.items():
        for left, right in _joined(spans):
            start = line * bitmap.stride + left * _CHANNELS
            row = bytearray(dots[start : line * bitmap.stride + right * _CHANNELS])
            row[_BLUE::_CHANNELS] = row[_BLUE::_CHANNELS].translate(_LESS)
            dots[start : start + len(row)] = row


def _letters_of(text: PdfTextPage) -> tuple[str, list[int]]:
    """The letters and digits of the page, and for each the number of the character that it comes from."""
    letters: list[str] = []
    places: list[int] = []
    for index in range(text.count_chars()):
        for letter in _plain(chr(raw.FPDFText_GetUnicode(text.raw, index) % 0x110000)):
            letters.append(letter)
            places.append(index)
    return "".join(letters), places


def _plain(text: str) -> str:
    """Letters and digits alone: spaces, hyphens at the ends of lines and marks of Markdown differ."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def _boxes(text: PdfTextPage, indexes: Sequence[int]) -> Iterator[Box]:
    """The boxes around these characters, one for each run of them on a line."""
    run: Box | None = None
    for index in indexes:
        box = _box(text, index)
        if box is None:
            continue
        if run is not None and box.bottom < run.top and run.bottom < box.top and box.left >= run.left:
            run = Box(run.left, min(run.bottom, box.bottom), box.right, max(run.top, box.top))
            continue
        if run is not None:
            yield run
        run = box
    if run is not None:
        yield run


def _box(text: PdfTextPage, index: int) -> Box | None:
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    if not raw.FPDFText_GetCharBox(text.raw, index, left, right, bottom, top):
        return None
    return Box(left.value, bottom.value, right.value, top.value)


def _on_picture(bitmap: PdfBitmap, page: PdfPage, box: Box) -> tuple[int, int, int, int]:
    """The box in dots, a little wider than the letters: left, top, right, bottom."""
    handle = getattr(page, "raw", None)
    corners: list[tuple[int, int]] = []
    for x, y in ((box.left, box.bottom), (box.right, box.top)):
        across, down = ctypes.c_int(), ctypes.c_int()
        raw.FPDF_PageToDevice(handle, 0, 0, bitmap.width, bitmap.height, 0, x, y, across, down)
        corners.append((across.value, down.value))
    (x1, y1), (x2, y2) = corners
    air = 2
    return (
        max(0, min(x1, x2) - air),
        max(0, min(y1, y2) - air),
        min(bitmap.width, max(x1, x2) + air),
        min(bitmap.height, max(y1, y2) + air),
    )


def _joined(spans: set[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    last: tuple[int, int] | None = None
    for left, right in sorted(spans):
        if last is not None and left <= last[1]:
            last = (last[0], max(last[1], right))
            continue
        if last is not None:
            yield last
        last = (left, right)
    if last is not None:
        yield last
