"""A page of a PDF as a picture."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

from sourcebook.errors import BadFile, DamagedFile
from sourcebook.ingest.parsers.pdf.marked_words import mark, places_of
from sourcebook.ingest.parsers.pdf.pdfium import PdfBitmap, PdfiumError, open_document
from sourcebook.ingest.parsers.process.pool_protocol import PNG

LONGEST_SIDE = 1600
"""Dots. An A4 page then has about 137 to the inch, which can be read on a telephone."""
MOST_DOTS_PER_POINT = 4.0
"""A stamp is not blown up to the size of a poster."""
_CHANNELS = 3
_RGB = 2
_NO_FILTER = b"\x00"


def draw_page(data: bytes, number: int, quote: str = "") -> bytes:
    """The page of this number, counted from 1, as a PNG whose sides are not longer than the longest.

    The quote is marked where it stands on the page; one that is not found there leaves the page as it is.
    """
    document = open_document(data)
    try:
        if not 1 <= number <= len(document):
            raise BadFile(
                f"The PDF has no page {number}; it has {len(document)}.", hint="Pages are counted from 1."
            )
        page = document.get_page(number - 1)
        longest = max(page.get_width(), page.get_height(), 1.0)
        # The library rounds sides up.
        scale = min((LONGEST_SIDE - 1) / longest, MOST_DOTS_PER_POINT)
        bitmap = page.render(scale=scale, rev_byteorder=True)
        if quote:
            mark(bitmap, page, places_of(page, quote))
        return as_png(bitmap)
    except PdfiumError:
        raise DamagedFile(f"Page {number} of the PDF cannot be drawn.") from None
    finally:
        document.close()


def as_png(bitmap: PdfBitmap) -> bytes:
    """The dots, which are red, green and blue, as a file."""
    head = struct.pack(">IIBBBBB", bitmap.width, bitmap.height, 8, _RGB, 0, 0, 0)
    packed = zlib.compress(b"".join(_lines(bitmap)))
    return PNG + _part(b"IHDR", head) + _part(b"IDAT", packed) + _part(b"IEND", b"")


def _lines(bitmap: PdfBitmap) -> Iterator[bytes]:
    dots = memoryview(bitmap.buffer).cast("B")
    for start in range(0, bitmap.height * bitmap.stride, bitmap.stride):
        yield _NO_FILTER
        yield bytes(dots[start : start + bitmap.width * _CHANNELS])


def _part(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
