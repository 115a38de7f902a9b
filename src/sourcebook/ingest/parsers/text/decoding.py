"""Bytes become text."""

from __future__ import annotations

import codecs
import re

from sourcebook.errors import UnsupportedFile
from sourcebook.ingest.parsers.clean_text import cleaned
from sourcebook.ingest.parsers.text.japanese_mail import decode_japanese_mail, is_japanese_mail

# The mark of UTF-32 begins with that of UTF-16, so it is looked for first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Python also has encodings that are none of text, or that run over what they do not know.
_ENCODING_NAME = re.compile(
    r"(?:windows-|cp|ibm|iso-?8859|iso-2022|koi8|x?-?mac|gb|big5|euc|shift|sjis|latin|tis)[\w-]*",
    re.IGNORECASE,
)
_SUPERSETS = {"iso-8859-1": "cp1252", "latin1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROLS = 0.05
_MOST_BROKEN = 0.02
_FEWEST_ZEROS = 0.02
_LOOKED_AT = 100_000


def decode(data: bytes, declared: str | None = None) -> str:
    """The text of a file, without invisible characters and with `\\n` for line ends.

    A byte order mark decides, then UTF-8 if the bytes are that, then what the file declares together with what its
    letters look like. What is no text in any encoding is an UnsupportedFile.
    """
    marked = next(((mark, name) for mark, name in _MARKS if data.startswith(mark)), None)
    if marked:
        mark, encoding = marked
        return _checked(data[len(mark) :].decode(encoding, errors="replace"))
    return cleaned(_shifted(data, declared) or _utf8(data) or _utf16(data) or _guessed(data, declared))


def _shifted(data: bytes, declared: str | None) -> str | None:
    """The text if it is written in letters of ASCII with signs that shift between alphabets, as Japanese mail is."""
    if declared is None or not declared.lower().startswith("iso-2022-") or b"\x1b" not in data:
        return None
    encoding = _known(declared)
    try:
        return data.decode(encoding) if encoding else None
    except UnicodeDecodeError:
        is_japanese = declared.lower().startswith("iso-2022-jp") and is_japanese_mail(data)
        return decode_japanese_mail(data) if is_japanese else None


def _utf8(data: bytes) -> str | None:
    """The text if it is UTF-8, also with a few broken places: a file may be cut in the midst of a letter."""
    try:
        # Halves of pairs, which some programs write, are taken out later.
        text = data.decode(errors="surrogatepass")
    except UnicodeDecodeError:
        text = data.decode(errors="replace")
        beyond = sum(byte > 0x7F for byte in data[:_LOOKED_AT])
        if text[:_LOOKED_AT].count("\ufffd") > _MOST_BROKEN * beyond:
            return None
    return text if _has_few_controls(data) else None


def _utf16(data: bytes) -> str | None:
    """The text if it is UTF-16 without a mark. Half of the bytes of its spaces and line ends are zero."""
    head = data[: _LOOKED_AT - _LOOKED_AT % 2]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if len(data) % 2 or max(even, odd) < _FEWEST_ZEROS * len(head) or min(even, odd) > max(even, odd) / 20:
        return None
    text = data.decode("utf-16-le" if odd > even else "utf-16-be", errors="replace")
    sample = text[:_LOOKED_AT]
    wordlike = sum(character.isalnum() or character.isspace() for character in sample)
    return text if wordlike > 0.7 * len(sample) and "\x00" not in sample else None


def _guessed(data: bytes, declared: str | None) -> str:
    # Loading the guesser takes longer than reading most files.
    from sourcebook.ingest.parsers.text.encodings import guess_encoding  # noqa: PLC0415

    encoding = guess_encoding(data, _known(declared)) if _has_few_controls(data) else None
    if encoding is None:
        raise UnsupportedFile("The file is neither text nor any other supported kind.")
    return data.decode(encoding, errors="replace")


def _known(declared: str | None) -> str | None:
    """The name under which Python has an encoding of text, if it is one that files are written in."""
    if declared is None or not _ENCODING_NAME.fullmatch(declared):
        return None
    # What pages call Latin-1 has always been read as its superset.
    name = _SUPERSETS.get(declared.lower(), declared)
    try:
        return codecs.lookup(name).name
    except LookupError:
        return None


def _has_few_controls(data: bytes) -> bool:
    head = data[:_LOOKED_AT]
    return len(_CONTROLS.findall(head)) <= _MOST_CONTROLS * len(head)


def _checked(text: str) -> str:
    if text[:_LOOKED_AT].count("\ufffd") > _MOST_CONTROLS * len(text[:_LOOKED_AT]):
        raise UnsupportedFile("The file starts like Unicode text but is not.")
    return cleaned(text)
