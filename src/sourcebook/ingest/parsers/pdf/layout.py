"""Lines of a page, as they are placed on it, become paragraphs in the order in which people read them.

Nothing here knows where lines come from. Coordinates grow to the right and upwards, as in a PDF.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.ingest.parsers.pdf.compound_words import is_compound
from sourcebook.ingest.parsers.pdf.late_lines import in_place
from sourcebook.ingest.parsers.pdf.right_to_left import logical
from sourcebook.ingest.parsers.pdf.table_lines import is_entry, with_whole_rows

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.pdf.lines import Line

MORE_LEADING = 1.35
"""A line this many times further below the last one than lines usually are begins a new paragraph."""
SAME_SIZE, OTHER_SIZE = 0.1, 0.25
COLUMN_FILL, COLUMN_WIDTH, COLUMN_LETTERS = 0.6, 0.25, 20
"""Prose fills this part of its column, which takes this part of the page, with so many letters in a line."""
FEWEST_COLUMN_LINES = 6
NARROW = 0.6
INDENT = 0.5
JUSTIFIED_GAP = 3.0
RAISED = 0.5
"""An exponent or the number of a note stands at most this part of a line higher."""
TABLE_GAPS = 2
"""A row with this many wide gaps is one of a table."""

_SENTENCE_ENDS = (".", "!", "?", "…", ":")
# A short word with a full stop is none: "Fig. 1", "Рис. 1", "id. If". Large Roman numbers count headings.
_ITEM = re.compile(r"(?:[•◦▪‣·–—*-]|\(?(?:\d{1,3}|[^\W\d_]|[ivxl]{2,5})[.)])\s+\S")
_WORD = re.compile(r"\w+(?:-\w+)*")
_LAST_PART, _FIRST_PART = re.compile(r"[\w-]*\w$"), re.compile(r"^[\w-]*\w")
_LEADERS = re.compile(r"(?:\s*\.){5,}\s*|(?:\s\.){4,}\s*")


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A paragraph, a heading, or lines that stand together; where its first line stands and how large its letters are.

    `is_hyphenated`: its last word goes on in the next block.
    """

    text: str
    baseline: float
    size: float
    is_hyphenated: bool = False


def joined_fragments(lines: Iterable[Line]) -> list[Line]:
    """Lines without the breaks that a raised number or another font puts into them."""
    joined: list[Line] = []
    for line in lines:
        last = joined[-1] if joined else None
        if last and _is_beside(last, line):
            gap = line.left - last.right
            needs_space = gap > 0.15 * min(last.size, line.size) and not last.text.endswith(" ")
            joined[-1] = last.to(line, " " if needs_space else "")
        else:
            joined.append(line)
    return joined


def _is_beside(one: Line, other: Line) -> bool:
    size = max(one.size, other.size)
    gap = other.left - one.right
    return (
        not one.is_hyphenated
        and abs(one.baseline - other.baseline) < RAISED * size
        and -0.3 * size < gap < 1.5 * size
    )


def reading_order(lines: Sequence[Line], gutter: float | None) -> list[Line]:
    """The lines as they are read: column by column if there is a gutter between two, else from top to bottom.

    The order in which a PDF draws them is kept as long as it makes sense, because whoever made it knew more.
    """
    if gutter is not None:
        return (
            _by_columns(lines, gutter)
            if _changes_of_side(lines, gutter) > _few(lines, gutter)
            else list(lines)
        )
    jumps = sum(_is_above(after, before) for before, after in pairwise(lines))
    if jumps > max(3, len(lines) // 5):
        return sorted(lines, key=lambda line: -line.baseline)
    return in_place(lines)


def _is_above(line: Line, other: Line) -> bool:
    shares_columns = min(line.right, other.right) > max(line.left, other.left)
    return shares_columns and line.baseline > other.baseline + 0.5 * other.size


def _side(line: Line, gutter: float) -> int:
    """-1 left of the gutter, 1 right of it, 0 across."""
    if line.left < gutter < line.right:
        return 0
    return -1 if line.right <= gutter else 1


def _changes_of_side(lines: Sequence[Line], gutter: float) -> int:
    sides = [side for line in lines if (side := _side(line, gutter))]
    return sum(before != after for before, after in pairwise(sides))


def _few(lines: Sequence[Line], gutter: float) -> int:
    """How often one goes from one column to the other on a page with so many lines across both."""
    return 4 + 2 * sum(_side(line, gutter) == 0 for line in lines)


def _by_columns(lines: Sequence[Line], gutter: float) -> list[Line]:
    ordered: list[Line] = []
    left: list[Line] = []
    right: list[Line] = []
    for line in sorted(lines, key=lambda line: -line.baseline):
        side = _side(line, gutter)
        if side:
            (left if side < 0 else right).append(line)
        else:
            ordered += [*left, *right, line]
            left, right = [], []
    return [*ordered, *left, *right]


def laid_out(rows: Sequence[Sequence[Line]], width: float) -> list[Line]:
    """The lines of a page in reading order. A row that runs through both of two columns is parted between them."""
    segments = [segment for row in rows for segment in row]
    gutter = find_gutter(segments, width)
    lines = [line for row in rows for line in _parted(row, gutter)]
    ordered = with_whole_rows(joined_fragments(reading_order(lines, gutter)))
    return [_logical(line) for line in ordered]


def _logical(line: Line) -> Line:
    text = logical(line.text)
    return line if text == line.text else replace(line, text=text)


def _parted(row: Sequence[Line], gutter: float | None) -> list[Line]:
    parts = [row[0]]
    gaps: list[float] = []
    for segment in row[1:]:
        is_parted = gutter is not None and parts[-1].right <= gutter <= segment.left
        if is_parted:
            parts.append(segment)
        else:
            gaps.append(segment.left - parts[-1].right)
            parts[-1] = parts[-1].to(segment, " ")
    is_table = (len(gaps) >= TABLE_GAPS and not _is_justified(row, gaps)) or is_entry(row, gaps)
    return [replace(part, is_listing=True, is_table=True) for part in parts] if is_table else parts


def _is_justified(row: Sequence[Line], gaps: Sequence[float]) -> bool:
    """Whether a line of prose was only stretched to fill its column: all its gaps are alike, and none is huge."""
    size = row[0].size
    are_alike = max(gaps) < JUSTIFIED_GAP * size and max(gaps) - min(gaps) < 0.5 * size
    # Each space of such a line is stretched; cells of several words and the dots before a page number hold others.
    return are_alike and sum(segment.text.count(" ") for segment in row) <= len(gaps)


def find_gutter(segments: Sequence[Line], width: float) -> float | None:
    """Where two columns of prose part, if the page has two: a strip near the middle that few lines cross."""
    rights, lefts = sorted([line.right for line in segments]), sorted([line.left for line in segments])
    # By how many lines they have: as the strip moves on, a column keeps its lines or gets others beside them.
    left_is_prose: dict[int, bool] = {}
    right_is_prose: dict[int, bool] = {}
    best: tuple[int, float] | None = None
    for percent in range(35, 66):
        at = width * percent / 100
        ending, beginning = bisect_right(rights, at), len(lefts) - bisect_left(lefts, at)
        free = ending + beginning
        if (
            (best is not None and free <= best[0])
            or min(ending, beginning) < FEWEST_COLUMN_LINES
            or 3 * free < 2 * len(segments)
        ):
            continue
        if ending not in left_is_prose:
            left_is_prose[ending] = _is_prose([line for line in segments if line.right <= at], width)
        if beginning not in right_is_prose:
            right_is_prose[beginning] = _is_prose([line for line in segments if line.left >= at], width)
        if left_is_prose[ending] and right_is_prose[beginning]:
            best = free, at
    return best[1] if best else None


def _is_prose(column: Sequence[Line], width: float) -> bool:
    """Whether most lines are long and reach from one side of the column to the other; cells of a table do not."""
    extent = max(line.right for line in column) - min(line.left for line in column)
    typical = median(line.width for line in column)
    letters = median(len(line.text) for line in column)
    return typical >= COLUMN_FILL * extent and extent >= COLUMN_WIDTH * width and letters >= COLUMN_LETTERS


def paragraphs(lines: Sequence[Line], words: Container[str] = ()) -> list[PageBlock]:
    """The lines of a page joined into paragraphs, headings and lists. `words` are those that the document uses."""
    leading, extent = _usual_leading(lines), _extent(lines)
    groups: list[list[Line]] = []
    for line in lines:
        if groups and _belongs(groups[-1], line, leading):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [_block(group, extent, words) for group in groups]


class _Leading(NamedTuple):
    """How far below each other the lines of a paragraph are: in points, and as a multiple of their size."""

    step: float = 0.0
    ratio: float = 1.4

    def is_kept(self, step: float, size: float, times: float = 1.0) -> bool:
        return step <= times * max(self.step, self.ratio * size)


def _usual_leading(lines: Sequence[Line]) -> _Leading:
    """Steps between paragraphs are larger, and on some pages there are as many of them."""
    steps = [
        (before.baseline - after.baseline, before.size)
        for before, after in pairwise(lines)
        if before.size > 0 and 0.5 * before.size < before.baseline - after.baseline < 4 * before.size
    ]
    if not steps:
        return _Leading()
    low = len(steps) * 3 // 10
    return _Leading(sorted(step for step, _ in steps)[low], sorted(step / size for step, size in steps)[low])


def _belongs(group: Sequence[Line], line: Line, leading: _Leading) -> bool:
    """Whether a line goes on with the paragraph whose lines so far are the group."""
    first, before = group[0], group[-1]
    size = max(before.size, line.size, 1.0)
    step = before.baseline - line.baseline
    difference = abs(before.size - line.size) / size
    # A line with words in another font is a little larger or smaller; a heading is also set apart.
    if difference > OTHER_SIZE or (difference > SAME_SIZE and not leading.is_kept(step, size, 1.1)):
        return False
    if before.is_hyphenated:
        return True
    is_outside = (
        is_item(first.text) and line.left < first.left - INDENT * size and not line.text[:1].islower()
    )
    is_indented = before.text.endswith(_SENTENCE_ENDS) and line.left > before.left + INDENT * size
    if (
        is_item(line.text)
        or is_outside
        or _ends_listing(before, line)
        or (is_indented and before is not first)
    ):
        return False
    return step > -0.4 * size and leading.is_kept(step, size, MORE_LEADING)


def _ends_listing(before: Line, line: Line) -> bool:
    """Whether one is a line of a listing and the other is prose, which is indented less."""
    prose, listing = (line, before) if before.is_listing else (before, line)
    is_prose = not prose.is_listing and len(prose.text) >= COLUMN_LETTERS
    is_indented = listing.left > prose.left + INDENT * max(line.size, 1.0)
    return is_prose and is_indented and listing.is_listing and not listing.is_table


def is_item(text: str) -> bool:
    return bool(_ITEM.match(text))


def _extent(lines: Sequence[Line]) -> float:
    """How wide prose is on this page: most letters stand in lines of about this width."""
    widths = sorted(line.width for line in lines for _ in range(0, len(line.text), COLUMN_LETTERS))
    return widths[len(widths) * 3 // 4] if widths else 0.0


def _block(lines: Sequence[Line], extent: float, words: Container[str]) -> PageBlock:
    """Lines that were broken because they were full are joined; where a line could have gone on, its end stays.

    Lines of a listing and narrow lines, as those of an address, are never full.
    """
    rights = sorted(line.right for line in lines)
    # A single line may stick out of the column.
    right = rights[-1 - len(rights) // 4]
    is_narrow = right - min(line.left for line in lines) < NARROW * extent
    is_listing = 2 * sum(line.is_listing for line in lines) > len(lines)
    pieces = [lines[0].text]
    for before, line in pairwise(lines):
        if before.is_hyphenated:
            pieces.append("-" if keeps_hyphen(before.text, line.text, words) else "")
        else:
            is_apart = is_narrow or _is_apart(before, line, is_listing=is_listing)
            pieces.append("\n" if is_apart or not _is_full(before, line, right) else " ")
        pieces.append(line.text)
    first = lines[0]
    return PageBlock(
        _LEADERS.sub(" … ", "".join(pieces)), first.baseline, first.size, lines[-1].is_hyphenated
    )


def _is_apart(before: Line, line: Line, *, is_listing: bool) -> bool:
    """Whether a line of a block, which mostly is a listing or not, cannot be what a full one before it goes on with."""
    if (before.is_listing and line.is_listing) or _LEADERS.search(before.text):
        return True
    is_near_listing = is_listing and (before.is_listing or line.is_listing)
    begins_anew = is_listing or before.is_table or line.is_table
    return is_near_listing or (begins_anew and not line.text[:1].islower())


def _is_full(line: Line, following: Line, right: float) -> bool:
    """Whether the first word of the following line had no room any more."""
    word = following.text.split(" ", 1)[0]
    letter = following.width / max(len(following.text), 1)
    return line.right + (len(word) + 1) * letter > right


def words_of(pages: Iterable[Iterable[Line]]) -> frozenset[str]:
    """The words of a document in small letters, those with a hyphen as one; a word that a line cuts is none."""
    return frozenset(
        word
        for page in pages
        for line in page
        for word in _WORD.findall(line.text.casefold()[: -len(_last_word(line.text)) or None])
    )


def _last_word(text: str) -> str:
    return text.rsplit(" ", 1)[-1]


def keeps_hyphen(before: str, after: str, words: Container[str] = ()) -> bool:
    """Whether the hyphen at the end of a line belongs to the word: `GPL-2`, `task-oriented`, but not `exam-ple`."""
    first, rest = _LAST_PART.findall(before.casefold()), _FIRST_PART.findall(after.casefold())
    if first and rest:
        if first[0] + rest[0] in words:
            return False
        if f"{first[0]}-{rest[0]}" in words or is_compound(first[0], rest[0]):
            return True
    word = _last_word(before)
    is_address = any(mark in word for mark in "/.:#@_")
    return is_address or word.isupper() or not after[:1].islower() or not before[-1:].isalpha()
