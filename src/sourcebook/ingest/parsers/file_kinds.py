"""What kind of file some bytes are. Their content decides; the name chooses only between kinds of text."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from enum import StrEnum
from pathlib import PurePath

from sourcebook.errors import BadFile, DamagedFile, EmptyFile, EncryptedFile, UnsupportedFile

OOXML = "application/vnd.openxmlformats-officedocument"
ODF = "application/vnd.oasis.opendocument"


class FileKind(StrEnum):
    """The kinds that are read, by their MIME types."""

    PDF = "application/pdf"
    DOCX = f"{OOXML}.wordprocessingml.document"
    XLSX = f"{OOXML}.spreadsheetml.sheet"
    PPTX = f"{OOXML}.presentationml.presentation"
    ODT = f"{ODF}.text"
    ODS = f"{ODF}.spreadsheet"
    ODP = f"{ODF}.presentation"
    RTF = "application/rtf"
    EPUB = "application/epub+zip"
    EML = "message/rfc822"
    MBOX = "application/mbox"
    NOTEBOOK = "application/x-ipynb+json"
    SUBTITLES = "text/vtt"
    ZIP = "application/zip"
    TAR = "application/x-tar"
    IMAGE = "image/*"
    AUDIO = "audio/*"
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
_IMAGE_SUFFIXES = ".png .jpg .jpeg .gif .tif .tiff .bmp .webp"
_AUDIO_SUFFIXES = ".mp3 .wav .ogg .oga .opus .flac .m4a .mp4 .webm"
SUFFIXES: dict[str, FileKind] = {
    ".pdf": FileKind.PDF,
    ".docx": FileKind.DOCX,
    ".docm": FileKind.DOCX,
    ".xlsx": FileKind.XLSX,
    ".xlsm": FileKind.XLSX,
    ".xltx": FileKind.XLSX,
    ".pptx": FileKind.PPTX,
    ".pptm": FileKind.PPTX,
    ".ppsx": FileKind.PPTX,
    ".odt": FileKind.ODT,
    ".ott": FileKind.ODT,
    ".ods": FileKind.ODS,
    ".ots": FileKind.ODS,
    ".odp": FileKind.ODP,
    ".otp": FileKind.ODP,
    ".rtf": FileKind.RTF,
    ".epub": FileKind.EPUB,
    ".eml": FileKind.EML,
    ".mbox": FileKind.MBOX,
    ".mbx": FileKind.MBOX,
    ".ipynb": FileKind.NOTEBOOK,
    ".srt": FileKind.SUBTITLES,
    ".vtt": FileKind.SUBTITLES,
    ".zip": FileKind.ZIP,
    ".tar": FileKind.TAR,
    ".tgz": FileKind.TAR,
    **dict.fromkeys(_IMAGE_SUFFIXES.split(), FileKind.IMAGE),
    **dict.fromkeys(_AUDIO_SUFFIXES.split(), FileKind.AUDIO),
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
SPACE = b" \t\r\n\f\x00\xef\xbb\xbf"
_HTML = re.compile(
    rb"(?:<\?xml[^>]{0,200}>|<!--.{0,4000}?-->|\s)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_BOX = re.compile(rb"From [^\n]{3,200}\n(?:>?From |[A-Za-z][\w-]{1,60}:)")
# What other files begin with, and what they are; those that are not read by what people call them.
_MARKS: tuple[tuple[bytes, FileKind | str], ...] = (
    (b"{\\rtf", FileKind.RTF),
    (b"\x89PNG", FileKind.IMAGE),
    (b"\xff\xd8\xff", FileKind.IMAGE),
    (b"GIF8", FileKind.IMAGE),
    (b"II*\x00", FileKind.IMAGE),
    (b"MM\x00*", FileKind.IMAGE),
    (b"BM", FileKind.IMAGE),
    (b"ID3", FileKind.AUDIO),
    (b"\xff\xfb", FileKind.AUDIO),
    (b"\xff\xf3", FileKind.AUDIO),
    (b"OggS", FileKind.AUDIO),
    (b"fLaC", FileKind.AUDIO),
    (b"\x1aE\xdf\xa3", FileKind.AUDIO),
    (b"MZ", "a program for Windows"),
    (b"\x7fELF", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program for macOS"),
    (b"\x1f\x8b", "an archive (gzip)"),
    (b"7z\xbc\xaf\x27\x1c", "an archive (7z)"),
    (b"Rar!\x1a", "an archive (RAR)"),
    (b"BZh", "an archive (bzip2)"),
    (b"\xfd7zXZ", "an archive (xz)"),
    (b"\x28\xb5\x2f\xfd", "an archive (zstd)"),
    (b"SQLite format 3\x00", "a database (SQLite)"),
    (b"%!PS", "a PostScript file"),
)
_TEXT_MARKS = frozenset(
    {b"BM", b"MZ", b"II*\x00", b"ID3", b"BZh", b"GIF8", b"RIFF", b"OggS", b"fLaC", b"\xff\xfb", b"\xff\xf3"}
)
"""Some texts begin with these letters too, so a file must hold other bytes than text to be what they mean."""
_RIFF = {b"WEBP": FileKind.IMAGE, b"WAVE": FileKind.AUDIO}
_PACKED_TAR = (".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ")
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# The streams of the older formats, whose names stand in the file in UTF-16, and what to do with such a file.
_OLD_KINDS = (
    ("EncryptedPackage", "", ""),
    ("WordDocument", "an old Word document (DOC)", "Save it as DOCX and add it again."),
    ("PowerPoint Document", "an old PowerPoint presentation (PPT)", "Save it as PPTX and add it again."),
    ("Workbook", "an old Excel workbook (XLS)", "Save it as XLSX and add it again."),
    ("Book", "an old Excel workbook (XLS)", "Save it as XLSX and add it again."),
    (
        "__substg1.0_",
        "an Outlook message (MSG)",
        "Save it as EML, or drag it into a mail folder, and add it again.",
    ),
)
_PARTS = {
    "word/document.xml": FileKind.DOCX,
    "xl/workbook.xml": FileKind.XLSX,
    "ppt/presentation.xml": FileKind.PPTX,
    "META-INF/container.xml": FileKind.EPUB,
}
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    ValueError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    OSError,
    EOFError,
)
_MIMETYPE = "mimetype"
_LONGEST_MIMETYPE = 200
_TYPES = "[Content_Types].xml"
_LONGEST_TYPES = 1_000_000
# Some programs give the main part another name than the usual one, and only its type tells what it is.
_MAIN_PARTS = {
    "wordprocessingml.document.main+xml": FileKind.DOCX,
    "spreadsheetml.sheet.main+xml": FileKind.XLSX,
    "presentationml.presentation.main+xml": FileKind.PPTX,
}
# Kinds that a name cannot make out of a text.
_BINARY = frozenset(
    {
        FileKind.PDF,
        FileKind.DOCX,
        FileKind.XLSX,
        FileKind.PPTX,
        FileKind.ODT,
        FileKind.ODS,
        FileKind.ODP,
        FileKind.RTF,
        FileKind.EPUB,
        FileKind.ZIP,
        FileKind.TAR,
        FileKind.IMAGE,
        FileKind.AUDIO,
    }
)


def is_text(kind: FileKind) -> bool:
    return kind not in _BINARY


def unlike_its_name(name: str) -> DamagedFile | None:
    """What is wrong with a file of no known kind that is named like a document. None if its name says nothing."""
    suffix = PurePath(name).suffix
    if SUFFIXES.get(suffix.lower()) not in _BINARY - {
        FileKind.ZIP,
        FileKind.TAR,
        FileKind.IMAGE,
        FileKind.AUDIO,
    }:
        return None
    return DamagedFile(f"The file is named {suffix}, but its content is something else.")


def kind_of(data: bytes, name: str) -> FileKind:
    """The kind of a file. What cannot be read is a BadFile that says what it is instead, as far as that is known."""
    if not data.strip(SPACE):
        raise EmptyFile("The file is empty (0 bytes)." if not data else "The file contains only white space.")
    return _binary_kind(data, name) or _text_kind(data, name)


def _binary_kind(data: bytes, name: str) -> FileKind | None:
    head = data[:_LONGEST_PREFIX]
    if head.lstrip(SPACE).startswith(b"%PDF-"):
        return FileKind.PDF
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _package_kind(data)
    if data.startswith(_OLD_OFFICE):
        raise _old_office(data)
    if head[257:262] == b"ustar" or (data.startswith(_PACKED) and name.lower().endswith(_PACKED_TAR)):
        return FileKind.TAR
    if head[4:8] == b"ftyp":
        return FileKind.AUDIO
    if data.startswith(b"RIFF") and b"\x00" in data[:4096]:
        if head[8:12] in _RIFF:
            return _RIFF[head[8:12]]
        raise UnsupportedFile("The file is a picture, sound or film (RIFF).")
    for mark, what in _MARKS:
        if data.startswith(mark) and (mark not in _TEXT_MARKS or b"\x00" in data[:4096]):
            if isinstance(what, FileKind):
                return what
            raise UnsupportedFile(f"The file is {what}.")
    if b"%PDF-" in head and (PurePath(name).suffix.lower() == ".pdf" or b"\x00" in data[:65536]):
        return FileKind.PDF
    return None


def _old_office(data: bytes) -> BadFile:
    for stream, what, hint in _OLD_KINDS:
        if stream.encode("utf-16-le") in data:
            return UnsupportedFile(f"The file is {what}.", hint=hint) if what else EncryptedFile()
    return UnsupportedFile("The file is in an old Office format.", hint="Save it as DOCX and add it again.")


def _package_kind(data: bytes) -> FileKind:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            names = frozenset(package.namelist())
            said = _small_part(package, _MIMETYPE, _LONGEST_MIMETYPE)
            types = "" if names & _PARTS.keys() else _small_part(package, _TYPES, _LONGEST_TYPES)
    except (
        zipfile.BadZipFile,
        ValueError,
        OverflowError,
        NotImplementedError,
        RuntimeError,
        OSError,
        zlib.error,
    ):
        raise DamagedFile(
            "The file starts like an Office document or an archive, but the rest is damaged."
        ) from None
    for part, kind in _PARTS.items():
        if part in names:
            return kind
    for type_of_main_part, kind in _MAIN_PARTS.items():
        if type_of_main_part in types:
            return kind
    for kind in (FileKind.ODT, FileKind.ODS, FileKind.ODP):
        if said.startswith(kind.value):
            return kind
    if "xl/workbook.bin" in names:
        raise UnsupportedFile(
            "The file is a binary spreadsheet (XLSB).", hint="Save it as XLSX and add it again."
        )
    if said.startswith(ODF):
        raise UnsupportedFile("The file is a drawing, formula or database (OpenDocument).")
    return FileKind.ZIP


def _small_part(package: zipfile.ZipFile, name: str, longest: int) -> str:
    """A part of a package that says what the package is, if it is there and not suspiciously long."""
    if name not in package.namelist() or package.getinfo(name).file_size > longest:
        return ""
    return package.read(name).decode("ascii", errors="replace").strip()


def _text_kind(data: bytes, name: str) -> FileKind:
    head = _ascii_head(data)
    if _HTML.match(head):
        return FileKind.HTML
    named = SUFFIXES.get(PurePath(name).suffix.lower())
    if named is None and _BOX.match(head):
        return FileKind.MBOX
    if named is None or named in _BINARY:
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
