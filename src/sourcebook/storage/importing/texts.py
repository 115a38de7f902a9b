"""Where pieces of a text stand in it, and the text itself when only pieces are left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

# Two pieces of one text overlap by hundreds of letters. Fewer than these may be alike by chance.
_LEAST_OVERLAP = 20
_GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class Placed:
    """A text, and the spans of pieces in it, in the order of the pieces."""

    text: str
    spans: Sequence[tuple[int, int]]
    added: int = 0
    """How many pieces did not stand in the text and were written behind it."""


def joined(pieces: Sequence[str]) -> Placed:
    """The text that overlapping pieces were cut from."""
    text = ""
    spans: list[tuple[int, int]] = []
    for piece in pieces:
        start = spans[-1][0] if spans else 0
        common = _overlap(text[start:], piece)
        if not common and text:
            text += _GAP
        begin = len(text) - common
        text += piece[common:]
        spans.append((begin, begin + len(piece)))
    return Placed(text, spans)


def located(text: str, pieces: Sequence[tuple[str, int]]) -> Placed:
    """Where pieces stand that are said to begin somewhere; the count may be one of UTF-16 units."""
    spans: list[tuple[int, int]] = []
    whole, after, added = text, 0, 0
    for piece, said in pieces:
        begin = _found(text, piece, said, after)
        if begin is None:
            whole += _GAP + piece
            begin, added = len(whole) - len(piece), added + 1
        else:
            after = begin
        spans.append((begin, begin + len(piece)))
    return Placed(whole, spans, added)


def _found(text: str, piece: str, said: int, after: int) -> int | None:
    if said >= 0 and text.startswith(piece, said):
        return said
    begin = text.find(piece, after)
    if begin < 0:
        begin = text.find(piece)
    return None if begin < 0 else begin


def _overlap(before: str, piece: str) -> int:
    """How many letters at the end of a text are those at the beginning of a piece."""
    if len(piece) < _LEAST_OVERLAP:
        return 0
    head = re.escape(piece[:_LEAST_OVERLAP])
    for match in re.finditer(f"(?={head})", before):
        common = len(before) - match.start()
        if piece.startswith(before[match.start() :]):
            return common
    return 0
