"""Page numbers, and the lines that stand above or below the text of every page: they belong to the paper."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import pairwise, takewhile
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.ingest.parsers.pdf.layout import FEWEST_COLUMN_LINES, MORE_LEADING

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.pdf.layout import PageBlock
    from sourcebook.ingest.parsers.pdf.lines import Line

EDGE_LINES = 2
HEAD_GAP = 1.8
"""Between a running head and the text there is at least this many times the height of a line."""

SHORT = 5
"""Of so few pages one cannot say what stands on most of them: it may be the letterhead of a letter."""
LETTERHEAD_LINES = 8

_PAGE_NUMBER = re.compile(
    r"[-–—]? ?(?:page|seite|página|pág\.|p\.|страница|стр\.|лист)? ?([0-9]{1,5})(?: ?(?:/|of|von|de|из) ?[0-9]{1,5})?"
    r" ?[-–—]?",
    re.IGNORECASE,
)
# The address below a page, and the time above it with the title.
_BY_BROWSER = (
    re.compile(r"(?:https?|file)://\S+(?: \d+/\d+)?"),
    re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}:\d\d(?: [AP]M)?(?: .*)?"),
)
_NUMBERS = re.compile(r"\d+|\b[ivxlc]{1,6}\b")
_DIGITS = re.compile(r"\d{1,9}", re.ASCII)


def without_running_heads(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """The pages without page numbers and the lines that stand above or below the text of most pages."""
    heads, places, body = _repeated(pages), _head_places(pages), body_size(pages)
    letterhead, is_printed = _letterhead(pages, body), list(map(_is_printed_by_browser, pages))

    def is_head(line: Line, index: int) -> bool:
        if _is_number(line.text, index + 1) or (is_printed[index] and _is_of_browser(line.text)):
            return line.size <= 1.05 * body
        if line in letterhead.told[index]:
            return False
        if line in letterhead.said_again[index]:
            return True
        is_placed = round(line.baseline) in places and line in _apart(pages[index])
        return line.size <= 1.05 * body and (is_placed or _mark(line) in heads)

    def kept(index: int) -> list[Line]:
        page = pages[index]
        by_height = sorted(page, key=lambda line: line.baseline)
        left_out: list[Line] = []
        for lines in (by_height, by_height[::-1]):
            deep = max(EDGE_LINES, len(letterhead.said_again[index]))
            edge = len(list(takewhile(lambda line: is_head(line, index), lines[:deep])))
            left_out += lines[: _set_apart(lines, edge)]
        # A page that would be left empty says nothing else, so what it says stays.
        return [line for line in page if line not in left_out] or list(page)

    return [kept(index) for index in range(len(pages))]


def _is_number(words: str, page: int) -> bool:
    """Whether a line at the edge is the number of its page."""
    numbered = _PAGE_NUMBER.fullmatch(words)
    return numbered is not None and int(numbered[1]) == page


def _is_of_browser(words: str) -> bool:
    return any(pattern.fullmatch(words) for pattern in _BY_BROWSER)


def _is_printed_by_browser(page: Sequence[Line]) -> bool:
    """Whether a page has both. Either alone may be text: the address of a house, or when something takes place."""
    said = [line.text for line in _outermost(page)]
    return all(any(map(pattern.fullmatch, said)) for pattern in _BY_BROWSER)


class _Letterhead(NamedTuple):
    """By pages, the lines of a letterhead where they are told, and where they are only said again."""

    told: list[list[Line]]
    said_again: list[list[Line]]


def _letterhead(pages: Sequence[Sequence[Line]], body: float) -> _Letterhead:
    """The outermost lines of a short document that other pages have too, word for word at the same height.

    They are told once: at the top of the first page that has them, or at the bottom of the last. What is larger than
    the text is a title, unless all pages have it. On three and more pages a single line above the text without a
    number is what is read, and told nowhere.
    """
    found = _Letterhead([[] for _ in pages], [[] for _ in pages])
    if not 1 < len(pages) <= SHORT:
        return found
    for is_top in (True, False):
        edges = [
            sorted(page, key=lambda line: line.baseline, reverse=is_top)[:LETTERHEAD_LINES] for page in pages
        ]
        counts = Counter(place for edge in edges for place in {_place(line) for line in edge})
        seen: set[tuple[str, int]] = set()
        for index in range(len(pages)) if is_top else reversed(range(len(pages))):
            # From the edge on: the same words further in are those of the text.
            repeated = list(takewhile(partial(_is_repeated, counts, len(pages), body), edges[index]))
            if is_top and len(pages) > 2 and _is_running_head(repeated, body):
                continue
            for line in repeated:
                (found.said_again if _place(line) in seen else found.told)[index].append(line)
            seen |= set(map(_place, repeated))
    return found


def _is_repeated(counts: Counter[tuple[str, int]], pages: int, body: float, line: Line) -> bool:
    count = counts[_place(line)]
    return count > 1 and (count == pages or line.size <= 1.05 * body)


def _is_running_head(lines: Sequence[Line], body: float) -> bool:
    """Whether a head only says what is read: one line in letters of the text, without an address or a number."""
    is_one = len({round(line.baseline) for line in lines}) == 1
    return is_one and not any(_DIGITS.search(line.text) or line.size > 1.05 * body for line in lines)


def _place(line: Line) -> tuple[str, int]:
    return line.text, round(line.baseline / 3)


def _set_apart(lines: Sequence[Line], edge: int) -> int:
    """How many of the lines at the edge of a page are parted from the others by more space than lines are."""
    while 0 < edge < len(lines):
        gap = abs(lines[edge].baseline - lines[edge - 1].baseline)
        if gap > HEAD_GAP * lines[edge - 1].size:
            break
        edge -= 1
    return edge


def _head_places(pages: Sequence[Sequence[Line]]) -> frozenset[int]:
    """How high the lines stand that are apart from the text on most pages, although they say something else on each."""
    places = Counter(place for page in pages for place in {round(line.baseline) for line in _apart(page)})
    frequent = [place for place, count in places.items() if count >= max(4, 0.3 * len(pages))]
    return frozenset(near for place in frequent for near in (place - 1, place, place + 1))


def _apart(page: Sequence[Line]) -> list[Line]:
    """The highest and the lowest line, if more space than usual parts them from the others."""
    heights = sorted({round(line.baseline, 1) for line in page}, reverse=True)
    if len(heights) < FEWEST_COLUMN_LINES:
        return []
    usual = median(above - below for above, below in pairwise(heights))
    edges = set[float]()
    if heights[0] - heights[1] > MORE_LEADING * usual:
        edges.add(heights[0])
    if heights[-2] - heights[-1] > MORE_LEADING * usual:
        edges.add(heights[-1])
    return [line for line in page if round(line.baseline, 1) in edges]


def _repeated(pages: Sequence[Sequence[Line]]) -> frozenset[tuple[str, int]]:
    """What the outermost lines say at the same height of several pages, but for the number of the page."""
    fewest = max(3, len(pages) // 8) if len(pages) != 2 else 2
    said: dict[tuple[str, int], dict[int, list[int]]] = {}
    for index, page in enumerate(pages):
        for line in _outermost(page):
            said.setdefault(_mark(line), {})[index] = [int(digits) for digits in _DIGITS.findall(line.text)]
    return frozenset(mark for mark, places in said.items() if _is_running(places, fewest, len(pages)))


def _is_running(places: dict[int, list[int]], fewest: int, pages: int) -> bool:
    """Whether the numbers that lines on some pages hold are the same or go with the page; those of footnotes do not."""
    if len(places) < fewest:
        return False
    if pages > 2 and not any(places.values()):
        return True
    kinds = Counter[tuple[int, ...]]()
    for index, numbers in places.items():
        kinds.update((slot, number - index) for slot, number in enumerate(numbers))
        # On two pages the same words may just be said twice.
        if pages > 2:
            kinds[(-1, *numbers)] += 1
    return max(kinds.values(), default=0) >= fewest


def _outermost(page: Sequence[Line]) -> list[Line]:
    by_height = sorted(page, key=lambda line: line.baseline)
    return by_height[:EDGE_LINES] + by_height[-EDGE_LINES:]


def _mark(line: Line) -> tuple[str, int]:
    return _NUMBERS.sub("#", line.text.casefold()).strip(), round(line.baseline / 3)


def body_size(pages: Sequence[Sequence[Line | PageBlock]]) -> float:
    """The size of most letters."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page:
            sizes[round(line.size, 1)] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0
