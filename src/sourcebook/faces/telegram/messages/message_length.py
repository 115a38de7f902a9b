"""How long a message may be, and where a longer text is cut into several."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sourcebook.faces.telegram.messages.rich_text import units

if TYPE_CHECKING:
    from sourcebook.faces.telegram.messages.rich_text import RichText

MESSAGE_LIMIT = 4096
CAPTION_LIMIT = 1024
# A piece is not made shorter than this part of what fits, only to end it well.
_FULL_ENOUGH = 3
_BORDERS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?…])[\])»”\"']*\s"),
    re.compile(r"\s"),
)


def split(rich: RichText, limit: int = MESSAGE_LIMIT) -> list[RichText]:
    """The text in messages that are short enough: cut between paragraphs, else lines, sentences, words, letters."""
    rest, pieces = rich.stripped(), list["RichText"]()
    while units(rest.text) > limit:
        end = _border(rest.text, limit)
        pieces.append(rest.cut(0, end).stripped())
        rest = rest.cut(end, len(rest.text)).stripped()
    if rest:
        pieces.append(rest)
    return [piece for piece in pieces if piece]


def _border(text: str, limit: int) -> int:
    """Where a piece that fits ends."""
    fits = _fitting(text, limit)
    for border in _BORDERS:
        ends = [found.end() for found in border.finditer(text, 0, fits)]
        if ends and ends[-1] * _FULL_ENOUGH >= fits:
            return ends[-1]
    return fits


def _fitting(text: str, limit: int) -> int:
    """How many characters from the beginning fit; at least one."""
    used = 0
    for index, letter in enumerate(text):
        used += units(letter)
        if used > limit:
            return max(index, 1)
    return len(text)
