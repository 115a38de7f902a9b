"""What kind of file some bytes are. Their content decides; the name chooses only between kinds of text."""

from __future__ import annotations

import io
import re
import zipfile
from enum import StrEnum
from pathlib import PurePath

from sourcebook.errors import DamagedFile, EmptyFile, EncryptedFile, UnsupportedFile

OOXML = "application/vnd.openxmlformats-officedocument"


class FileKind(StrEnum):
    """The kinds that are read, by their MIME types."""

    PDF = "application/pdf"
    DOCX = f"{OOXML}.wordprocessingml.document"
    HTML = "text/html"
    MARKDOWN = "text/markdown"
    CSV = "text/csv"
    TSV = "text/tab-separated-values"
    JSON = "application/json"
    JSONL = "application/jsonl"
    SOURCE = "text/x-source"
    PLAIN = "text/plain"


_SOURCE_SUFFIXES = """
    .asm .bash .bat .c .cc .cfg .clj .cmake .conf .cpp .cs .css .cxx .d .dart .el .erl .ex .exs .f90 .fs .go .gradle
    .groovy .h .hpp .hs .ini .java .jl .js .jsx .kt .kts .less .lisp .lua .m .mjs .ml .nim .pas .php .pl .pm .proto
    .ps1 .py .pyi .r .rb .rs .sass .scala .scm .scss .sh .sql .swift .tcl .tf .toml .ts .tsx .v .vb .vhdl .vue .xml
    .xsd .xsl .yaml .yml .zig .zsh
"""
SUFFIXES: dict[str, FileKind] = {
    ".pdf": FileKind.PDF,
    ".docx": FileKind.DOCX,
    ".docm": FileKind.DOCX,
    ".html": FileKind.HTML,
    ".htm": FileKind.HTML,
    ".xhtml": FileKind.HTML,
    ".md": FileKind.MARKDOWN,
    ".markdown": FileKind.MARKDOWN,
    ".mdx": FileKind.MARKDOWN,
    ".csv": FileKind.CSV,
    ".tsv": FileKind.TSV,
    ".json": FileKind.JSON,
    ".jsonl": FileKind.JSONL,
    ".ndjson": FileKind.JSONL,
    ".txt": FileKind.PLAIN,
    ".text": FileKind.PLAIN,
    ".log": FileKind.PLAIN,
    ".rst": FileKind.PLAIN,
    ".adoc": FileKind.PLAIN,
    ".org": FileKind.PLAIN,
    ".tex": FileKind.PLAIN,
    **dict.fromkeys(_SOURCE_SUFFIXES.split(), FileKind.SOURCE),
}
"""The kind that a file is expected to be by its name."""

_LONGEST_PREFIX = 1024
"""Readers of PDF find its mark within so many bytes, whatever stands before it."""
_SPACE = b" \t\r\n\f\x00\xef\xbb\xbf"
_HTML = re.compile(
    rb"(?:<\?xml[^>]{0,200}>|<!--.{0,4000}?-->|\s)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
# What the most common other files begin with, and what people call them.
_REFUSED = (
    (b"MZ", "a program for Windows"),
    (b"\x7fELF", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program for macOS"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"RIFF", "a picture, sound or film (RIFF)"),
    (b"II*\x00", "a picture (TIFF)"),
    (b"MM\x00*", "a picture (TIFF)"),
    (b"BM", "a picture (BMP)"),
    (b"\x1f\x8b", "an archive (gzip)"),
    (b"7z\xbc\xaf\x27\x1c", "an archive (7z)"),
    (b"Rar!\x1a", "an archive (RAR)"),
    (b"BZh", "an archive (bzip2)"),
    (b"\xfd7zXZ", "an archive (xz)"),
    (b"\x28\xb5\x2f\xfd", "an archive (zstd)"),
    (b"SQLite format 3\x00", "a database (SQLite)"),
    (b"ID3", "a sound (MP3)"),
    (b"OggS", "a sound (Ogg)"),
    (b"{\\rtf", "a text in the format RTF"),
    (b"%!PS", "a PostScript file"),
)
_TEXT_MARKS = frozenset({b"BM", b"MZ", b"II*\x00", b"ID3", b"BZh", b"GIF8", b"RIFF", b"OggS"})
"""Some texts begin with these letters too, so a file must hold other bytes than text to be what they mean."""
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_PACKAGES = {
    "xl/": "a spreadsheet (XLSX); save it as CSV",
    "ppt/": "a presentation (PPTX); save it as PDF",
    "META-INF/container.xml": "a book (EPUB); save it as HTML or PDF",
    "content.xml": "an OpenDocument file; save it as DOCX or PDF",
}
_DOCX_PART = "word/document.xml"


def kind_of(data: bytes, name: str) -> FileKind:
    """The kind of a file. What cannot be read is a BadFile that says what it is instead, as far as that is known."""
    if not data.strip(_SPACE):
        raise EmptyFile("The file is empty." if not data else "The file contains only white space.")
    return _binary_kind(data, name) or _text_kind(data, name)


def _binary_kind(data: bytes, name: str) -> FileKind | None:
    head = data[:_LONGEST_PREFIX]
    if head.lstrip(_SPACE).startswith(b"%PDF-"):
        return FileKind.PDF
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _package_kind(data)
    if data.startswith(_OLD_OFFICE):
        if _ENCRYPTED_PACKAGE in data:
            raise EncryptedFile
        raise UnsupportedFile(
            "The file is in an old Office format.", hint="Save it as DOCX and add it again."
        )
    for mark, what in _REFUSED:
        if data.startswith(mark) and (mark not in _TEXT_MARKS or b"\x00" in data[:4096]):
            raise UnsupportedFile(f"The file is {what}.")
    if b"%PDF-" in head and (PurePath(name).suffix.lower() == ".pdf" or b"\x00" in data[:65536]):
        return FileKind.PDF
    return None


def _package_kind(data: bytes) -> FileKind:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            names = package.namelist()
    except (zipfile.BadZipFile, ValueError, OverflowError, NotImplementedError) as error:
        raise DamagedFile(f"The file starts like a DOCX or an archive but is not: {error}.") from None
    if _DOCX_PART in names:
        return FileKind.DOCX
    for part, what in _PACKAGES.items():
        if any(entry == part or entry.startswith(part) for entry in names):
            raise UnsupportedFile(f"The file is {what}.")
    raise UnsupportedFile("The file is an archive (zip).", hint="Unpack it and add its files.")


def _text_kind(data: bytes, name: str) -> FileKind:
    if _HTML.match(_ascii_head(data)):
        return FileKind.HTML
    named = SUFFIXES.get(PurePath(name).suffix.lower())
    if named in (None, FileKind.PDF, FileKind.DOCX):
        return _by_first_letter(data)
    return named


def _ascii_head(data: bytes) -> bytes:
    """The beginning of a text with its ASCII letters as single bytes, also when it is UTF-16."""
    head = data[:8192].lstrip(b"\xef\xbb\xbf\xff\xfe")
    return head.replace(b"\x00", b"")


def _by_first_letter(data: bytes) -> FileKind:
    """What a text without a telling name may be; the parsers of JSON fall back on plain text if it is none."""
    head = _ascii_head(data).lstrip()
    return FileKind.JSON if head.startswith((b"{", b"[")) else FileKind.PLAIN
