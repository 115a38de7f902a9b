"""The letters of one page of a PDF, and where they stand."""

from __future__ import annotations

import ctypes
import math
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median_low
from typing import NamedTuple

from sourcebook.ingest.parsers.clean_text import cleaned
from sourcebook.ingest.parsers.pdf.layout import Line
from sourcebook.ingest.parsers.pdf.pdfium import PdfPage, PdfTextPage, raw

HYPHEN = 2
"""The code that the library gives to a hyphen which only parts a word at the end of a line."""
WIDE_GAP = 1.0
"""Letters that are further apart than this part of their height may stand in different columns."""
_LINE_FEED, _RETURN = 10, 13
_SPACES = frozenset((9, 32, 0xA0))
_USUAL_CONTROLS = frozenset((HYPHEN, 9, _LINE_FEED, _RETURN))
_LAST_CODE = 0x10FFFF
# Fonts without a table of letters are mostly cut from TrueType fonts, whose glyphs have this order.
_GLYPH_SHIFT = 29
_GLYPHS = range(3, 98)
_MOSTLY = 0.8
_FEWEST_WIDTHS, _SAME_WIDTH = 6, 0.02
# The bullets of the fonts Symbol and Wingdings have private codes; ligatures are two letters to whoever searches.
_BULLETS = "\uf0b7\uf0a7\uf0a8\uf0d8\uf0fc\uf06e\uf076"
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_SYMBOLS = str.maketrans({**dict.fromkeys(_BULLETS, "•"), **_LIGATURES})


_CONTROL = 32
_QUARTER = math.pi / 2


class Letter(NamedTuple):
    """A letter and the box around it. `baseline` is where it stands, `x` where the one before it ends."""

    code: int
    left: float
    right: float
    bottom: float
    top: float
    x: float
    baseline: float

    def turned(self, quarters: int) -> Letter:
        """As it would stand if the page were turned back by so many quarters."""
        code, left, right, bottom, top, x, y = self
        match quarters:
            case 1:
                return Letter(code, -top, -bottom, left, right, -y, x)
            case 2:
                return Letter(code, -right, -left, -top, -bottom, -x, -y)
            case 3:
                return Letter(code, bottom, top, -right, -left, y, -x)
            case _:
                return self


@dataclass(frozen=True, slots=True)
class PageContent:
    """The rows of a page in the order of the file, each cut where it has a wide gap, and what is written sideways."""

    rows: list[list[Line]]
    sideways: list[list[Line]]
    width: float
    has_pictures: bool = False

    @property
    def has_text(self) -> bool:
        return bool(self.rows or self.sideways)


def read_page(page: PdfPage) -> PageContent:
    """What stands on a page. Pictures are looked for only if there are no letters."""
    text = page.get_textpage()
    try:
        turns, rows = _turned_rows(text)
    finally:
        text.close()
    lengths: Counter[int] = Counter()
    for turn, row in zip(turns, rows, strict=True):
        lengths[turn] += len(row)
    upright = lengths.most_common(1)[0][0] if lengths else 0
    lines = [
        (turn, segments)
        for turn, row in zip(turns, rows, strict=True)
        if (segments := _segments([letter.turned(turn) for letter in row] if turn else row))
    ]
    width = page.get_width() if upright % 2 == 0 else page.get_height()
    return PageContent(
        rows=[segments for turn, segments in lines if turn == upright],
        sideways=[segments for turn, segments in lines if turn != upright],
        width=width,
        has_pictures=not lines and _has_pictures(page),
    )


def _turned_rows(text: PdfTextPage) -> tuple[list[int], list[list[Letter]]]:
    """The rows as the library parts them, and by how many quarters each is turned."""
    turns: list[int] = []
    rows: list[list[Letter]] = []
    row: list[Letter] = []
    for index, letter in enumerate(_letters(text)):
        if letter.code in (_LINE_FEED, _RETURN):
            row = []
            continue
        if not row:
            turns.append(round(raw.FPDFText_GetCharAngle(text.raw, index) / _QUARTER) % 4)
            rows.append(row)
        row.append(letter)
        if letter.code == HYPHEN:
            row = []
    return turns, rows


def _letters(text: PdfTextPage) -> Iterator[Letter]:
    # Each letter takes three calls, so what they need is at hand.
    page, box, x, y = text.raw, raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
    for index, code in enumerate(_codes(text)):
        if code not in _SPACES:
            raw.FPDFText_GetLooseCharBox(page, index, box)
            raw.FPDFText_GetCharOrigin(page, index, x, y)
        yield Letter(code, box.left, box.right, box.bottom, box.top, x.value, y.value)


def _codes(text: PdfTextPage) -> list[int]:
    """The letters of a page. Where fonts give only numbers of glyphs, these are made letters if that makes words."""
    page = text.raw
    codes = [raw.FPDFText_GetUnicode(page, index) for index in range(text.count_chars())]
    if not any(code < _CONTROL and code not in _USUAL_CONTROLS for code in codes):
        return codes
    unknown = [i for i in range(len(codes)) if raw.FPDFText_HasUnicodeMapError(page, i) == 1]
    shifted = {i: codes[i] + _GLYPH_SHIFT if codes[i] in _GLYPHS else 0 for i in unknown}
    wordlike = sum(chr(code).isalnum() or code == _CONTROL for code in shifted.values())
    if wordlike > _MOSTLY * len(unknown):
        for index, code in shifted.items():
            codes[index] = code
    return codes


def _segments(row: list[Letter]) -> list[Line]:
    """A row as lines, cut at each wide gap. The hyphen at its end is no part of the text."""
    lines: list[Line] = []
    part: list[Letter] = []
    end = 0.0
    for letter in row:
        if letter.code in _SPACES:
            part.append(letter)
            continue
        height = letter.top - letter.bottom
        if part and letter.left - end > WIDE_GAP * max(height, 1.0):
            lines += _line(part)
            part = []
        part.append(letter)
        end = letter.right
    return [*lines, *_line(part)]


def _line(letters: list[Letter]) -> list[Line]:
    """The letters as one line, or none if nothing can be seen of them."""
    seen = [letter for letter in letters if letter.code not in _SPACES]
    text = _text(letters)
    if not seen or not text:
        return []
    return [
        Line(
            text,
            left=min(letter.left for letter in seen),
            right=max(letter.right for letter in seen),
            baseline=median_low(letter.baseline for letter in seen),
            size=median_low(letter.top - letter.bottom for letter in seen),
            is_hyphenated=letters[-1].code == HYPHEN,
            is_listing=_is_typewritten(seen),
        )
    ]


def _is_typewritten(letters: list[Letter]) -> bool:
    """Whether all letters are equally wide, as in a listing."""
    widths = [letter.right - letter.left for letter in letters if letter.code != HYPHEN]
    return len(widths) >= _FEWEST_WIDTHS and max(widths) - min(widths) < _SAME_WIDTH * max(widths)


def _text(letters: list[Letter]) -> str:
    characters = "".join(_character(letter.code) for letter in letters)
    text = unicodedata.normalize("NFC", cleaned(characters.translate(_SYMBOLS)))
    return " ".join(text.split())


def _character(code: int) -> str:
    """Half of a pair is nothing: the library gives the other half separately, if at all."""
    is_letter = code > HYPHEN and code <= _LAST_CODE and not _is_private(code)
    return chr(code) if is_letter else ""


def _is_private(code: int) -> bool:
    return 0xE000 <= code <= 0xF8FF and chr(code) not in _BULLETS


def _has_pictures(page: PdfPage) -> bool:
    """Whether there is something to see although there is nothing to read: a scan, or letters drawn as curves."""
    wanted = [raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_SHADING]
    return next(iter(page.get_objects(filter=wanted, max_depth=3)), None) is not None
