"""The letters of one page of a PDF, and where they stand."""

from __future__ import annotations

import ctypes
import math
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import TypeAlias

from sourcebook.ingest.parsers.clean_text import cleaned
from sourcebook.ingest.parsers.pdf.lines import Line
from sourcebook.ingest.parsers.pdf.pdfium import PdfPage, PdfTextPage, raw

HYPHEN = "\x02"
"""What the library gives for a hyphen which only parts a word at the end of a line."""
_HYPHEN_OF_TEXT = "\ufffe"
WIDE_GAP = 1.0
"""Words that are further apart than this part of their height may stand in different columns."""
# A row ends where the library breaks it, and behind a hyphen that parts a word.
_ROW = re.compile(r"[^\r\n\x02]+\x02?|\x02")
_WORD = re.compile(r"[^\t \xa0]+")
_CONTROLS = re.compile(r"[\x00\x01\x03-\x08\x0b\x0c\x0e-\x1f]")
# Letters of formulas take two codes, which the library gives one by one. Half of such a pair is nothing.
_PAIR = re.compile("([\ud800-\udbff])([\udc00-\udfff])")
_LETTERS_OF_FORMULAS = range(0x1D400, 0x1D800)
_NO_LETTER = re.compile("[\0-\x02\ue000-\uf8ff\ud800-\udfff]")
_LAST_CODE = 0x10FFFF
# Fonts without a table of letters are mostly cut from TrueType fonts, whose glyphs have this order.
_GLYPH_SHIFT = 29
_GLYPHS = range(3, 98)
_MOSTLY = 0.8
_FEWEST_WIDTHS, _SAME_WIDTH = 6, 0.02
# The bullets of the fonts Symbol and Wingdings have private codes; ligatures are two letters to whoever searches.
_BULLETS = "\uf0b7\uf0a7\uf0a8\uf0d8\uf0fc\uf06e\uf076"
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_HEIGHT = {"ℎ": "h"}
"""The only letter of formulas with one code."""
_SYMBOLS = str.maketrans({**dict.fromkeys(_BULLETS, "•"), **_LIGATURES, **_HEIGHT})

_QUARTER = math.pi / 2
# Asked for nearly every word of a file. Called by their addresses, they take what they are given as it is: to convert
# it to the declared types would take longer than the calls themselves.
_QUICK_CALL = ctypes.PYFUNCTYPE(ctypes.c_int)
_loose_box, _origin = (
    _QUICK_CALL(ctypes.cast(function, ctypes.c_void_p).value or 0)
    for function in (raw.FPDFText_GetLooseCharBox, raw.FPDFText_GetCharOrigin)
)

# There are very many of these: tuples with names would take three times as long to make.
Glyph: TypeAlias = tuple[float, float, float, float, float]
"""The box around a letter: left, right, bottom, top. The last number is the baseline, where it stands."""
PageWord: TypeAlias = tuple[int, int, Glyph, Glyph]
"""Letters without a space: their span in the text of the page, and the boxes of the first and the last."""


def _turned(left: float, top: float, right: float, bottom: float, x: float, y: float, quarters: int) -> Glyph:
    """As it would stand if the page were turned back by so many quarters. `x` and `y` are where it begins."""
    match quarters:
        case 1:
            return -top, -bottom, left, right, x
        case 2:
            return -right, -left, -top, -bottom, -y
        case _:
            return bottom, top, -right, -left, -x


def _distance_backwards(word: PageWord, other: PageWord) -> float:
    """The gap to the word that is read next, if that does not begin behind the first: some read from right to left."""
    _, _, (first_left, first_right, *_), (last_left, last_right, *_) = word
    _, _, (other_left, other_right, *_), (other_last_left, other_last_right, *_) = other
    return max(
        min(other_left, other_last_left) - max(first_right, last_right),
        min(first_left, last_left) - max(other_right, other_last_right),
    )


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
        lines = list(_PageReader(text).lines())
    finally:
        text.close()
    lengths: Counter[int] = Counter()
    for turn, segments in lines:
        lengths[turn] += sum(len(segment.text) for segment in segments)
    upright = lengths.most_common(1)[0][0] if lengths else 0
    return PageContent(
        rows=[segments for turn, segments in lines if turn == upright],
        sideways=[segments for turn, segments in lines if turn != upright],
        width=page.get_width() if upright % 2 == 0 else page.get_height(),
        has_pictures=not lines and _has_pictures(page),
    )


class _PageReader:
    """Reads one page word by word: to ask the library for every single letter takes most of the time."""

    def __init__(self, page: PdfTextPage) -> None:
        self._page = page.raw
        self._letters = _letters(page)
        box, self._x, self._y = raw.FS_RECTF(), ctypes.c_double(), ctypes.c_double()
        self._at_box, self._at_x, self._at_y = map(ctypes.byref, (box, self._x, self._y))
        # The numbers in the box, which the library writes there: to read them by their names takes longer.
        self._numbers = memoryview(box).cast("B").cast("f")

    def lines(self) -> Iterator[tuple[int, list[Line]]]:
        """The rows as the library parts them, cut at wide gaps, and by how many quarters each is turned."""
        for row in _ROW.finditer(self._letters):
            angle = raw.FPDFText_GetCharAngle(self._page, row.start())
            turn = round(angle / _QUARTER) % 4
            lines = [line for words in self._segments(row, turn) if (line := self._line(words, turn))]
            if lines:
                yield turn, lines

    def _segments(self, row: re.Match[str], turn: int) -> list[list[PageWord]]:
        segments: list[list[PageWord]] = []
        glyph = self._glyph
        before: PageWord | None = None
        for found in _WORD.finditer(self._letters, row.start(), row.end()):
            start, end = found.span()
            first = glyph(start, turn)
            word = (start, end, first, first if end == start + 1 else glyph(end - 1, turn, first))
            if before is not None:
                gap = first[0] - before[3][1]
                if gap < 0:
                    gap = _distance_backwards(before, word)
                if gap <= WIDE_GAP * max(first[3] - first[2], 1.0):
                    segments[-1].append(word)
                    before = word
                    continue
            segments.append([word])
            before = word
        return segments

    def _glyph(self, index: int, turn: int, beside: Glyph | None = None) -> Glyph:
        """A letter. One that is just as high as the letter beside it stands on the same line."""
        _loose_box(self._page, index, self._at_box)
        left, top, right, bottom = self._numbers
        if beside is not None and turn == 0 and bottom == beside[2] and top == beside[3]:
            return left, right, bottom, top, beside[4]
        _origin(self._page, index, self._at_x, self._at_y)
        if turn:
            return _turned(left, top, right, bottom, self._x.value, self._y.value, turn)
        return left, right, bottom, top, self._y.value

    def _line(self, words: Sequence[PageWord], turn: int) -> Line | None:
        """The words as one line, or None if nothing can be seen of them. The hyphen at its end is no part of it."""
        (start, *_), (_, end, *_) = words[0], words[-1]
        text = _text(self._letters[start:end])
        if not text:
            return None
        glyphs = [glyph for _, _, first, last in words for glyph in (first, last)]
        lefts, rights, _, _, baselines = zip(*glyphs, strict=True)
        baseline = median_low(baselines)
        return Line(
            text,
            left=min(lefts),
            right=max(rights),
            baseline=baseline,
            size=median_low(_heights(glyphs, baseline)),
            is_hyphenated=self._letters[end - 1] == HYPHEN,
            is_listing=self._is_typewritten(words, turn),
        )

    def _is_typewritten(self, words: Sequence[PageWord], turn: int) -> bool:
        """Whether all letters are equally wide, as in a listing. Mostly the first letters of words tell already."""
        if not _are_equal(right - left for _, _, (left, right, *_), _ in words):
            return False
        places = [i for start, end, *_ in words for i in range(start, end) if self._letters[i] != HYPHEN]
        return len(places) >= _FEWEST_WIDTHS and _are_equal(self._widths(places, turn))

    def _widths(self, places: Iterable[int], turn: int) -> Iterator[float]:
        for index in places:
            _loose_box(self._page, index, self._at_box)
            left, top, right, bottom = self._numbers
            yield top - bottom if turn % 2 else right - left


def _heights(glyphs: Sequence[Glyph], line: float) -> list[float]:
    """The heights of the letters, but for the raised ones: the number of a footnote is smaller than its line."""
    return [
        height for _, _, bottom, top, baseline in glyphs if baseline - line < 0.2 * (height := top - bottom)
    ] or [0.0]


def _are_equal(widths: Iterable[float]) -> bool:
    """Whether all of them are about the same. Of most lines the second one tells that they are not."""
    least, most = math.inf, -math.inf
    for width in widths:
        if width < least:
            least = width
        if width > most:
            most = width
        if most - least >= _SAME_WIDTH * most:
            return False
    return True


def _letters(text: PdfTextPage) -> str:
    """The letters of a page, each at the place that it has in the library.

    Where fonts give only numbers of glyphs, these are made letters if that makes words.
    """
    count = text.count_chars()
    letters = _all_at_once(text, count)
    if letters is None:
        codes = (raw.FPDFText_GetUnicode(text.raw, index) for index in range(count))
        letters = "".join(chr(code) if code <= _LAST_CODE else "\0" for code in codes)
    if not _CONTROLS.search(letters):
        return letters
    unknown = [i for i in range(count) if raw.FPDFText_HasUnicodeMapError(text.raw, i) == 1]
    shifted = {i: chr(code + _GLYPH_SHIFT) if (code := ord(letters[i])) in _GLYPHS else "\0" for i in unknown}
    if sum(letter.isalnum() or letter == " " for letter in shifted.values()) <= _MOSTLY * len(unknown):
        return letters
    return "".join(shifted.get(index, letter) for index, letter in enumerate(letters))


def _all_at_once(text: PdfTextPage, count: int) -> str | None:
    """The letters in one call, unless some of them take two codes or none: then places would no longer agree."""
    buffer = (ctypes.c_ushort * (count + 1))()
    if raw.FPDFText_GetText(text.raw, 0, count, buffer) != count + 1:
        return None
    letters = bytes(buffer).decode("utf-16-le" if sys.byteorder == "little" else "utf-16-be", "surrogatepass")
    return None if len(letters) != count + 1 else letters[:count].replace(_HYPHEN_OF_TEXT, HYPHEN)


def _text(letters: str) -> str:
    if letters.isascii() and letters.isprintable():
        return " ".join(letters.split())
    seen = _NO_LETTER.sub("", _PAIR.sub(_of_pair, letters.translate(_SYMBOLS)))
    return " ".join(unicodedata.normalize("NFC", cleaned(seen)).split())


def _of_pair(pair: re.Match[str]) -> str:
    """The sign that two codes stand for; a letter of a formula is a plain letter to whoever searches."""
    code = 0x10000 + ((ord(pair[1]) - 0xD800) << 10) + ord(pair[2]) - 0xDC00
    return unicodedata.normalize("NFKC", chr(code)) if code in _LETTERS_OF_FORMULAS else chr(code)


def _has_pictures(page: PdfPage) -> bool:
    """Whether there is something to see although there is nothing to read: a scan, or letters drawn as curves."""
    wanted = [raw.FPDF_PAGEOBJ_IMAGE, raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_SHADING]
    return next(iter(page.get_objects(filter=wanted, max_depth=3)), None) is not None
