"""Fits text to the width of a terminal without breaking words or cutting what matters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum

from rich.cells import cell_len

NARROWEST = 24
"""On narrower lines, wrapping between words is pointless."""
GAP = 2
"""Cells between columns."""
READABLE = 40
"""The narrowest a shortened column should be. Spare columns make room for it."""


class Cut(Enum):
    """Which end of a text to cut. For a path it is the beginning, because its end identifies the file."""

    BEGINNING = "beginning"
    END = "end"


def wrapped(text: str, width: int) -> str:
    """The text wrapped between words to this width; continuation lines keep the indentation.

    A word that is longer than a line stays whole, so that a path can still be copied.
    """
    if width < NARROWEST:
        return text
    return "\n".join(piece for line in text.split("\n") for piece in _pieces(line, width))


def _pieces(line: str, width: int) -> Iterator[str]:
    if cell_len(line) <= width:
        yield line
        return
    bare = line.lstrip(" ")
    margin = " " * min(len(line) - len(bare), width // 2)
    piece, used = "", 0
    for word in bare.split(" "):
        size = cell_len(word)
        if piece and len(margin) + used + 1 + size > width:
            yield margin + piece
            piece, used = word, size
        else:
            piece, used = (f"{piece} {word}", used + 1 + size) if piece else (word, size)
    yield margin + piece


def shortened(text: str, width: int, cut: Cut) -> str:
    """The text in at most this many cells, with a mark where it was cut."""
    if cell_len(text) <= width:
        return text
    letters = text if cut is Cut.END else text[::-1]
    kept, room = "", max(width - 1, 0)
    for letter in letters:
        room -= cell_len(letter)
        if room < 0:
            break
        kept += letter
    return f"{kept.rstrip()}…" if cut is Cut.END else f"…{kept[::-1].lstrip()}"


def fitting_columns(
    rows: Sequence[Sequence[str]], cuts: Mapping[int, Cut], spare: Sequence[int], width: int
) -> dict[int, int]:
    """The columns to show, with their widths. The first row holds the headings."""
    widths = {i: max(cell_len(row[i]) for row in rows) for i in range(len(rows[0]))}
    for column in spare:
        wanted = sum(min(widths[i], READABLE) for i in cuts)
        if sum(w for i, w in widths.items() if i not in cuts) + wanted + GAP * (len(widths) - 1) <= width:
            break
        del widths[column]
    room = width - GAP * (len(widths) - 1) - sum(w for i, w in widths.items() if i not in cuts)
    for position, column in enumerate(sorted(cuts, key=lambda i: widths[i])):
        # The narrower ones take what they need, and the others share what that leaves.
        share = room // (len(cuts) - position)
        widths[column] = max(min(widths[column], share), min(widths[column], READABLE // 4))
        room -= widths[column]
    return widths
