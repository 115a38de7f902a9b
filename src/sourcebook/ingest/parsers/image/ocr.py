"""The letters in pictures of pages, where the extra `ocr` and tesseract are installed."""

from __future__ import annotations

import re
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from math import sqrt
from shutil import which
from typing import TYPE_CHECKING, Any, Protocol, cast

from sourcebook.errors import BadFile, DamagedFile, EmptyFile, FileOverLimit, NeedsOcr
from sourcebook.ingest.parsers.clean_text import cleaned
from sourcebook.ingest.parsers.parsed_text import PageSpan, ParsedText
from sourcebook.ingest.parsers.sections import PARAGRAPH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sourcebook.ingest.parsers.pdf.pdfium import PdfPage

DOTS_PER_POINT = 300 / 72
MOST_DOTS = 30_000_000
PAGE_SECONDS = 120
_USUAL = ("ru", "en", "pt")
_PACKS_TEXT = """
    ar ara az aze be bel bg bul ca cat cs ces da dan de deu el ell en eng es spa et est fa fas fi fin fr fra he heb
    hi hin hr hrv hu hun hy hye id ind it ita ja jpn ka kat kk kaz ko kor lt lit lv lav nl nld no nor pl pol pt por
    ro ron ru rus sk slk sl slv sr srp sv swe th tha tr tur uk ukr vi vie zh chi_sim
"""
_WORDS = _PACKS_TEXT.split()
_PACKS = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))
"""What tesseract calls the languages."""
MOST_FRAMES = 500
_PARAGRAPH = re.compile(r"\n\s*\n")
_HYPHEN = re.compile(r"(?<=[^\W\d_])-\n(?=[^\W\d_])")


class _Tesseract(Protocol):
    """The part of pytesseract that is used here."""

    def get_languages(self) -> list[str]: ...

    def image_to_string(self, image: object, *, lang: str, timeout: float) -> str: ...


@cache
def can_read_pictures() -> bool:
    """Whether all that it takes is installed."""
    return which("tesseract") is not None and find_spec("pytesseract") is not None


def read_pictures(data: bytes, languages: Sequence[str] = ()) -> ParsedText:
    """The text of a picture, or of a PDF; pages that are pictures are read as such, the others as they are.

    `languages` are those that the letters are expected to be in, as `ru`.
    """
    packs = chosen_packs(languages, _tesseract().get_languages())
    if b"%PDF-" not in data[:1024]:
        return _read_image(data, packs)
    # Most processes that read files never need this.
    from sourcebook.ingest.parsers.pdf.document import read_pdf  # noqa: PLC0415

    return read_pdf(data, partial(_read_page, packs=packs))


def chosen_packs(languages: Sequence[str], installed: Sequence[str]) -> str:
    """What tesseract is told to read: the languages wanted that are installed, and English beside them.

    If not one of them is installed, the file cannot be read, and the reason names what is missing.
    """
    known = [_PACKS[language] for language in languages if language in _PACKS]
    wanted = known or [_PACKS[language] for language in _USUAL]
    found = [pack for pack in wanted if pack in installed]
    if not found and known:
        missing = ", ".join(sorted(known))
        raise NeedsOcr(
            f"The pages are pictures, and tesseract has no pack for the languages of this collection ({missing}).",
            hint=f"Install the packs, for example the packages {_packages(known)}, and add with --retry-failed.",
        )
    found = found or [pack for pack in installed if pack != "osd"][:1] or ["eng"]
    return "+".join(found if "eng" in found or "eng" not in installed else [*found, "eng"])


def _packages(packs: Sequence[str]) -> str:
    return ", ".join(f"tesseract-ocr-{pack.replace('_', '-')}" for pack in sorted(packs))


def _read_image(data: bytes, packs: str) -> ParsedText:
    """The letters in a picture file, which may hold several pages."""
    image: Any = import_module("PIL.Image")
    image.MAX_IMAGE_PIXELS = MOST_DOTS
    text, pages = "", list[PageSpan]()
    try:
        with image.open(BytesIO(data)) as opened:
            count = min(int(getattr(opened, "n_frames", 1)), MOST_FRAMES)
            if opened.width * opened.height > MOST_DOTS:
                raise FileOverLimit(f"The picture has more than {MOST_DOTS:,} dots.")
            # An animation shows much the same again and again.
            for number in range(1 if opened.format in ("GIF", "WEBP", "PNG") else count):
                opened.seek(number)
                words = PARAGRAPH.join(_paragraphs(opened.convert("L"), packs))
                if words:
                    start = len(text) + (len(PARAGRAPH) if text else 0)
                    text += (PARAGRAPH if text else "") + words
                    pages.append(PageSpan(number + 1, start, len(text)))
    except (BadFile, MemoryError):
        raise
    except Exception as error:
        # The library answers broken pictures with whatever breaks first.
        raise DamagedFile(f"The picture cannot be read: {type(error).__name__}.") from None
    if not text:
        raise EmptyFile("No text was found in the picture.")
    return ParsedText(text, pages=pages, kind="image/*")


def _read_page(page: PdfPage, packs: str) -> Sequence[str]:
    size = page.get_width() * page.get_height()
    bitmap = page.render(scale=min(DOTS_PER_POINT, sqrt(MOST_DOTS / max(size, 1.0))), grayscale=True)
    try:
        return _paragraphs(bitmap.to_pil(), packs)
    finally:
        bitmap.close()


def _paragraphs(picture: object, packs: str) -> Sequence[str]:
    try:
        text = _tesseract().image_to_string(picture, lang=packs, timeout=PAGE_SECONDS)
    except RuntimeError as error:
        raise DamagedFile(f"OCR failed on the file's pictures: {error}") from None
    return [paragraph for block in _PARAGRAPH.split(text) if (paragraph := _joined(block))]


def _joined(block: str) -> str:
    """The lines of a paragraph as one, words that were parted whole again."""
    return " ".join(_HYPHEN.sub("", cleaned(block)).split())


@cache
def _tesseract() -> _Tesseract:
    return cast("_Tesseract", import_module("pytesseract"))
