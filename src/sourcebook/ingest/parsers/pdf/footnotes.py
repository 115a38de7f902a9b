"""Footnotes of a page come behind the paragraph that refers to them, so that the text does not break off for them."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.ingest.parsers.pdf.layout import PageBlock, paragraphs

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.pdf.lines import Line

SMALL = 0.96
"""Letters below this part of the usual size are small."""
_MARK = re.compile(r"(\d{1,3}|[*†‡§¶]{1,3})(?=[\s\w«“\"(])")
_SENTENCE_END = re.compile(r"[.!?…][\"»”’)]*(?:\d{1,3})?\s+(?=\S)")
_WHOLE = re.compile(r"[.!?…:][\"»”’)]*(?:\d{1,3}|[*†‡§¶]*)\s*$")


class Footnote(NamedTuple):
    mark: str
    lines: list[Line]


def parted(lines: Sequence[Line], body: float) -> tuple[list[Line], list[Footnote]]:
    """The lines of the text, and the footnotes below it: small lines with nothing else below them, from a mark on."""
    small = [line for line in lines if line.size < SMALL * body]
    large = [line for line in lines if line.size >= SMALL * body]
    notes: list[Footnote] = []
    for line in sorted((line for line in small if _is_lowest(line, large)), key=_column_place):
        mark = _MARK.match(line.text)
        if mark:
            notes.append(Footnote(mark[1], [line]))
        elif notes and _goes_on(notes[-1].lines[-1], line):
            notes[-1].lines.append(line)
    text = "\n".join(line.text for line in large)
    notes = [note for note in notes if _reference(note.mark, text)]
    taken = [line for note in notes for line in note.lines]
    return [line for line in lines if line not in taken], notes


def _is_lowest(line: Line, large: Sequence[Line]) -> bool:
    """Whether it stands below the text of its column."""
    above = [other for other in large if other.left < line.right and line.left < other.right]
    return bool(above) and all(other.baseline > line.baseline for other in above)


def _column_place(line: Line) -> tuple[int, float]:
    # Lines of one column begin at about the same place.
    return round(line.left / 100), -line.baseline


def _goes_on(before: Line, line: Line) -> bool:
    return 0 < before.baseline - line.baseline < 2.5 * max(before.size, 1.0)


def with_footnotes(
    blocks: Sequence[PageBlock], notes: Sequence[Footnote], words: Container[str]
) -> list[PageBlock]:
    """The blocks of a page, each footnote behind the one that refers to it; a torn sentence comes last."""
    if not notes:
        return list(blocks)
    owners = [max(blocks, key=lambda block: _reference(note.mark, block.text)) for note in notes]
    placed: list[PageBlock] = []
    for block in blocks:
        own = [note for note, owner in zip(notes, owners, strict=True) if owner is block]
        whole, torn = _torn(block) if own else (block, None)
        placed += [whole] if whole else []
        placed += [_block(note, words) for note in own]
        placed += [torn] if torn else []
    return placed


def _reference(mark: str, text: str) -> int:
    """How surely a text refers to a footnote: its mark stands right behind the end of a sentence (2) or a word (1)."""
    behind = rf"{re.escape(mark)}(?=[\s,.;:)\]»”]|$)"
    if re.search(rf"(?:[^\W\d_]{{2}}|[)\]»”\"’%])[.,;:!?…»”\"’)]{behind}", text):
        return 2
    # At the end of a line the mark may stand apart.
    apart = rf"[.!?…]\s{re.escape(mark)}\s(?=[^\W\d_])"
    return int(bool(re.search(rf"(?:[^\W\d_]{{2}}|[)\]»”\"’]){behind}|{apart}", text)))


def _torn(block: PageBlock) -> tuple[PageBlock | None, PageBlock | None]:
    """A paragraph that goes on in the next column or page, cut before the sentence that does."""
    if _WHOLE.search(block.text) and not block.is_hyphenated:
        return block, None
    ends = [match.end() for match in _SENTENCE_END.finditer(block.text)]
    if not ends:
        return None, block
    whole = replace(block, text=block.text[: ends[-1]].rstrip(), is_hyphenated=False)
    return whole, replace(block, text=block.text[ends[-1] :])


def _block(note: Footnote, words: Container[str]) -> PageBlock:
    parts = paragraphs(note.lines, words)
    return replace(parts[0], text=" ".join(part.text for part in parts).replace("\n", " "))
