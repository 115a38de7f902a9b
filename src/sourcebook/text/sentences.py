"""Where sentences begin and end."""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Iterator
from functools import lru_cache

from sourcebook.text.vocabulary.word_lists import words_by_name

# Blank lines, a page break, or a line that opens a heading, a list item, a table row or a listing.
_BLOCK_END = re.compile(r"\n(?:[^\S\n]*+\n)++|\n(?=[^\S\n]*+(?:[-#*|•]|\+\s|```|\d{1,3}[.)]\s))|[\f\u2029]")
_HEADING = re.compile(r"\s*#{1,6}[^\S\n]")

# Matches whatever follows, so that a hundred thousand dots are scanned once, and not once from each of them.
_SENTENCE_END = re.compile(
    r"""
    (?P<mark>[.!?…؟۔।॥]+) ["'»”’)\]}*_`]* (?:\[\d{1,3}\])* (?=(?P<gap>(?:\s+(?:[-–—]\s+)?)?)(?P<next>\S?))
    | [。！？｡]+ [」』）】”’]*
    """,
    re.VERBOSE,
)

_MARKS = frozenset(".!?…")
_LOOK_BACK = 40
_OPENERS = "«„“\"'‘([{*_`-–—/"

# "Zum 1. September"": in German a dot follows upon the day of a month.
_DAY = re.compile(r"[12]?\d|3[01]")
_MONTH = re.compile(
    r"\s+(?:januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)\b",
    re.IGNORECASE,
)
_WORDS_OF_ONE_LETTER = frozenset("яéà")
_LAST_AFTER_T = frozenset("дп")

_CLOSED_BY = {"(": ")", "[": "]", "{": "}", "«": "»", "“": "”", "„": "“", '"': '"'}
_CLOSERS = frozenset(_CLOSED_BY.values())
_BRACKET = re.compile(r"[()\[\]{}«»“”„]|(?<![^\s(\[{])\"(?=\S)|(?<=\S)\"")
_NOWHERE = (sys.maxsize, sys.maxsize)
_DEEPEST = 8
_A_PASSAGE = 2_000
_LONGEST_BRACKET = 300
"""Longer brackets contain sentences of their own, and one that closes pages later is not the same bracket."""


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The sentences as spans of code points: in order, without overlap, without white space around them.

    Every character that is not white space is in exactly one of them. Blank lines, headings, list items and table rows
    always end a sentence. Takes time in proportion to the length of the text, whatever it holds.
    """
    return list(_spans_of_passage(text)) if len(text) <= _A_PASSAGE else _spans(text)


@lru_cache(256)
def _spans_of_passage(text: str) -> tuple[tuple[int, int], ...]:
    """Cached, because answering a question splits the same few passages several times."""
    return tuple(_spans(text))


def _spans(text: str) -> list[tuple[int, int]]:
    spans = (
        _trimmed(text, start, end)
        for first, last in _blocks(text)
        for start, end in _cut(first, last, _ends(text, first, last))
    )
    return [(start, end) for start, end in spans if start < end]


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans that no sentence crosses."""
    for start, end in _cut(0, len(text), (match.end() for match in _BLOCK_END.finditer(text))):
        line_end = text.find("\n", start, end - 1) if _HEADING.match(text, start, end) else -1
        yield from _cut(start, end, (cut for cut in (line_end,) if cut > start))


def _cut(start: int, end: int, cuts: Iterator[int]) -> Iterator[tuple[int, int]]:
    for cut in cuts:
        yield start, cut
        start = cut
    yield start, end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def _ends(text: str, first: int, last: int) -> Iterator[int]:
    """Where sentences end inside a block, apart from its own end."""
    if _HEADING.match(text, first, last):
        return
    start, brackets, capitals = first, None, True
    opened, closed = _NOWHERE
    for match in _SENTENCE_END.finditer(text, first, last):
        if match["next"] == "" and not match["gap"].strip():
            # Most blocks are one sentence, so nothing is left to cut.
            return
        if brackets is None:
            brackets = iter(_brackets(text, first, last))
            opened, closed = next(brackets, _NOWHERE)
            # In a text without capitals, a small letter after a dot tells nothing.
            capitals = not text[first:last].islower()
        while closed < match.start():
            opened, closed = next(brackets, _NOWHERE)
        # A mark right before a closing bracket includes it, and may end the sentence.
        if opened < match.start() and match.end() <= closed < last:
            continue
        if match["mark"] and (not match["gap"] or _goes_on(text, start, match, capitals)):
            continue
        start = match.end()
        yield start


def _brackets(text: str, first: int, last: int) -> list[tuple[int, int]]:
    """Where the outermost short brackets and quotations of a block open and close, in their order."""
    waiting: deque[tuple[str, int]] = deque(maxlen=_DEEPEST)
    found: list[tuple[int, int]] = []
    for match in _BRACKET.finditer(text, first, last):
        sign, place = match[0], match.start()
        if sign in _CLOSERS and (start := _opened(sign, place, waiting)) is not None:
            while found and found[-1][0] > start:
                found.pop()
            found.append((start, place))
        elif sign in _CLOSED_BY:
            waiting.append((_CLOSED_BY[sign], place))
    return found


def _opened(closer: str, place: int, waiting: deque[tuple[str, int]]) -> int | None:
    """Where the bracket that closes here was opened. What opened since then is dropped: it never closed."""
    start = next((opened for sign, opened in reversed(waiting) if sign == closer), None)
    if start is None or place - start > _LONGEST_BRACKET:
        return None
    while waiting.pop()[1] != start:
        pass
    return start


def _goes_on(text: str, start: int, match: re.Match[str], capitals: bool) -> bool:
    """Whether the sentence that began at `start` goes on after its mark and a space."""
    gap, following = match["gap"], match["next"]
    if following in _MARKS:
        return True
    if following != following.title() and (capitals or not gap.isspace()):
        return True
    return match["mark"] == "." and _is_abbreviated(text, start, match.start(), following)


def _is_abbreviated(text: str, start: int, dot: int, following: str) -> bool:
    """Whether the dot belongs to the word before it: an abbreviation, an initial or the number of an item."""
    nearest = max(start, dot - _LOOK_BACK)
    before = text[nearest:dot]
    if not before or before[-1].isspace():
        return False
    *earlier, token = before.split()
    word = token.lstrip(_OPENERS).casefold()
    if word.replace(".", "").isdigit():
        if _DAY.fullmatch(word) and _MONTH.match(text, dot + 1):
            return True
        return nearest == start and not any(character.isalnum() for part in earlier for character in part)
    if len(word) == 1 and word.isalpha():
        return token[-1].isupper() or not _may_be_last(word, earlier[-1] if earlier else "")
    if token[-2:-1] == "." and token[-1].isupper():
        return True
    listed = words_by_name("abbreviations.txt")
    return word in listed["never_last"] or (following.isdigit() and word in listed["before_number"])


def _may_be_last(letter: str, before: str) -> bool:
    """`2015 г.`, `и т. д.` and `я` may end a sentence; `г. Москва` and `e. g.` do not."""
    if letter in _WORDS_OF_ONE_LETTER or before[-1:].isdigit():
        return True
    return letter in _LAST_AFTER_T and before.endswith("т.")
