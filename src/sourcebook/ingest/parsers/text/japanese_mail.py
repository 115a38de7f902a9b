"""ISO-2022-JP as mail programs write it: with signs that the standard does not have, such as circled numbers."""

from __future__ import annotations

import re
from contextlib import suppress

_SHIFT = re.compile(rb"\x1b(\$[@B]|\$\(D|\([A-Z])")
_PAIR = re.compile(rb"[\x21-\x7e]{2}")
_PIECE = re.compile(rb"[\x21-\x7e]{2}|[^\x21-\x7e]+|[\x21-\x7e]")
_TWO_BYTES = (b"$@", b"$B")
_RARE = b"$(D"
_KANA = b"(I"


def is_japanese_mail(data: bytes) -> bool:
    """Whether bytes shift into the Japanese letters of two bytes, as hardly any other text does."""
    return any(b"\x1b" + shift in data for shift in _TWO_BYTES)


def decode_japanese_mail(data: bytes) -> str:
    """The text. A sign that nobody knows is replaced, and spoils no other."""
    first, *shifted = _SHIFT.split(data)
    texts = [first.decode(errors="replace")]
    for shift, letters in zip(shifted[::2], shifted[1::2], strict=True):
        # Every line begins in ASCII, also behind one that was cut.
        line, end, rest = letters.partition(b"\n")
        texts += [_shifted(shift, line), (end + rest).decode(errors="replace")]
    return "".join(texts)


def _shifted(shift: bytes, letters: bytes) -> str:
    if shift in _TWO_BYTES:
        return "".join(_letter(piece[0]) for piece in _PIECE.finditer(letters))
    if shift == _RARE:
        return "".join(_rare_letter(piece[0]) for piece in _PIECE.finditer(letters))
    if shift == _KANA:
        return _high(letters).decode("cp932", errors="replace")
    return letters.decode(errors="replace")


def _letter(piece: bytes) -> str:
    """A letter of the standard, or else one of Windows, which has the signs that the standard lacks."""
    if not _PAIR.fullmatch(piece):
        return piece.decode("ascii", errors="replace")
    for encoded, encoding in ((_high(piece), "euc_jp"), (_in_windows(*piece), "cp932")):
        with suppress(UnicodeDecodeError):
            return encoded.decode(encoding)
    return "\ufffd"


def _rare_letter(piece: bytes) -> str:
    if not _PAIR.fullmatch(piece):
        return piece.decode("ascii", errors="replace")
    with suppress(UnicodeDecodeError):
        return (b"\x8f" + _high(piece)).decode("euc_jp")
    return "\ufffd"


def _in_windows(row: int, cell: int) -> bytes:
    lead = (row - 0x21) // 2 + 0x81
    trail = cell + 0x7E if row % 2 == 0 else cell + (0x1F if cell < 0x60 else 0x20)
    return bytes((lead if lead < 0xA0 else lead + 0x40, trail))


def _high(letters: bytes) -> bytes:
    return bytes(byte | 0x80 if byte > 0x20 else byte for byte in letters)
