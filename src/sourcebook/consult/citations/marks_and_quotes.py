"""Citations in a model's answer: read from the stream, bound to quotes, and checked.

A model is asked to write the number of a passage in brackets after each sentence taken from it. The text arrives in
pieces of any size; the result is the same however it was split.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TypeAlias

from sourcebook.consult.support.support_check import (
    ENOUGH_WORDS,
    REWORDED,
    Support,
    check_support,
    share_of_terms_in,
)
from sourcebook.model.chat import SupportGrade
from sourcebook.text.analysis import analyse
from sourcebook.text.sentences import sentence_spans

MOST_SENTENCES = 8
"""The most sentences or lines of a source that are quoted together."""
FEWEST_WORDS = 3
"""Fewer words may occur together by chance."""
LONGEST_MARK = 40
"""A bracket that does not close within so many characters is not a citation."""

_MARK = re.compile(r"(?:\[|【)\s*\^?(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\s*(?:\]|】)")
_LAST_MARKS = re.compile(rf"(?:\s+{_MARK.pattern})+(?P<stop>[.!?…]*)\s*\Z")
_UNFINISHED = re.compile(r"(?:\[|【)[\s\d,;^–-]*$")
_CUT_OFF = re.compile(r"(?:\[|【)\s*\^?(?:\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\s*[,;–-]?\s*)?")
_LEADING = re.compile(rf"\s*(?:{_MARK.pattern}\s*)+")
_NUMBERS = re.compile(r"(\d+)(?:\s*[–-]\s*(\d+))?")


@dataclass(frozen=True, slots=True)
class CitationMark:
    """A citation mark: the numbers in one pair of brackets."""

    numbers: tuple[int, ...]


Piece: TypeAlias = str | CitationMark


class CitationMarkReader:
    """Splits a stream into text and marks. What may still become a mark is held back until it is known."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> list[Piece]:
        waiting = self._held + text
        unfinished = _UNFINISHED.search(waiting, max(0, len(waiting) - LONGEST_MARK))
        cut = unfinished.start() if unfinished else len(waiting)
        self._held = waiting[cut:]
        return list(_pieces(waiting[:cut]))

    def close(self) -> list[Piece]:
        """What was still held back. Since the stream has ended, it is text."""
        rest, self._held = self._held, ""
        return [rest] if rest else []


def is_cut_off(ending: str) -> bool:
    """Whether the last words of an answer are a mark that was begun and never closed."""
    return _CUT_OFF.fullmatch(ending) is not None


def _pieces(text: str) -> Iterator[Piece]:
    end = 0
    for match in _MARK.finditer(text):
        if len(match[0]) > LONGEST_MARK:
            continue
        if match.start() > end:
            yield text[end : match.start()]
        yield CitationMark(_numbers(match[1]))
        end = match.end()
    if end < len(text):
        yield text[end:]


def _numbers(written: str) -> tuple[int, ...]:
    found: list[int] = []
    for match in _NUMBERS.finditer(written):
        first = int(match[1])
        last = int(match[2]) if match[2] else first
        # A range that runs backwards or too far is taken for two numbers.
        found.extend(range(first, last + 1) if first <= last <= first + 20 else (first, last))
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """A sentence of the answer without its marks, and the numbers that it cites; none if it cites nothing.

    `start` and `end` are where it stands in the answer, with the marks inside it.
    """

    text: str
    numbers: tuple[int, ...]
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    def citing(self, more: tuple[int, ...]) -> CitedSentence:
        return replace(self, numbers=tuple(dict.fromkeys(self.numbers + more)))


def cited_sentences(answer: str) -> list[CitedSentence]:
    """The sentences of an answer with marks.

    A mark between two sentences belongs to the one before it; if the answer begins with a mark, to the one after it.
    """
    sentences: list[CitedSentence] = []
    are_first = marks_come_first(answer)
    for start, end in sentence_spans(answer):
        begin = start
        if sentences and not are_first and (leading := _LEADING.match(answer, start, end)):
            begin = leading.end()
            sentences[-1] = sentences[-1].citing(_cited(answer[start:begin]))
        text = "".join(piece for piece in _pieces(answer[begin:end]) if isinstance(piece, str))
        numbers = _cited(answer[begin:end])
        if any(letter.isalnum() for letter in text):
            sentences.append(CitedSentence(" ".join(text.split()), numbers, begin, end))
        elif numbers and sentences:
            sentences[-1] = sentences[-1].citing(numbers)
    return sentences


def marks_come_first(answer: str) -> bool:
    """Whether the marks of an answer stand before their sentences."""
    return _LEADING.match(answer) is not None


def without_repeated_marks(answer: str) -> str:
    """The answer with one mark after a run of sentences that cite the same.

    All marks stay if they come before their sentences, or if a line ends in between.
    """
    if marks_come_first(answer):
        return answer
    pieces: list[str] = []
    copied = 0
    for this, following in pairwise(cited_sentences(answer)):
        between = answer[this.end : following.start]
        marked = _LAST_MARKS.search(answer, this.start, following.start)
        if marked and this.numbers == following.numbers and "\n" not in between:
            pieces += [answer[copied : marked.start()], marked["stop"], " "]
            copied = following.start
    return "".join([*pieces, answer[copied:]])


def sentences_without_source(answer: str) -> list[str]:
    """The sentences of an answer without a mark."""
    return [sentence.text for sentence in cited_sentences(answer) if not sentence.numbers]


def _cited(text: str) -> tuple[int, ...]:
    marks = (piece for piece in _pieces(text) if isinstance(piece, CitationMark))
    return tuple(dict.fromkeys(number for mark in marks for number in mark.numbers))


@dataclass(frozen=True, slots=True)
class Quote:
    """The words of a passage that support a sentence best, as a span of the passage, and how well they do."""

    start: int
    end: int
    text: str
    grade: SupportGrade
    is_verified: bool
    doubts: tuple[str, ...]

    @classmethod
    def of(cls, span: tuple[int, int], text: str, support: Support) -> Quote:
        return cls(*span, text, support.grade, support.is_verified, support.reservations)

    @property
    def is_enough(self) -> bool:
        return self.grade is not SupportGrade.DOUBTFUL

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


def best_quote(sentence: str, passage: str, language: str | None, context: str = "") -> Quote:
    """The sentence of the passage that supports best, or two in a row if they support more.

    Of those that are enough, a verified one is preferred, then the one with most of the words, then the shorter, then
    the earlier. If none is enough, it is the one with most of the words. A sentence that says nearly the same and
    contradicts outweighs others that share some words.
    """
    spans = sentence_spans(passage) or [(0, len(passage))]
    pairs = [(first[0], second[1]) for first, second in pairwise(spans)]
    share = share_of_terms_in(sentence, language)
    shares = {(start, end): round(share(passage[start:end]), 3) for start, end in (*spans, *pairs)}
    # Comparing words is cheap and checking is not, so those with most words are checked first.
    found: list[tuple[Quote, Support]] = []
    for span in sorted(shares, key=lambda span: (-shares[span], span[1] - span[0])):
        if shares[span] < ENOUGH_WORDS and any(support.is_enough for _, support in found):
            break
        text = passage[slice(*span)]
        support = check_support(sentence, text, language, context)
        found.append((Quote.of(span, text, support), support))
        if support.is_exact:
            return found[-1][0]
    return _best(found, set(spans))


def _best(found: Sequence[tuple[Quote, Support]], alone: set[tuple[int, int]]) -> Quote:
    best, support = max(found, key=lambda it: (it[1].is_enough, it[1].is_verified))
    near = [it for it in found if (it[0].start, it[0].end) in alone and it[1].is_contradicted]
    nearest = max(near, key=lambda it: it[1].likeness, default=None)
    return nearest[0] if nearest and nearest[1].likeness > support.likeness else best


def wide_quote(sentence: str, passage: str, language: str | None, context: str = "") -> Quote | None:
    """The shortest run of sentences that together have every word of the sentence, such as the lines of a list.

    It is never verified, because words from several lines say it in another way, if at all.
    """
    if len({term for term in analyse(sentence, language) if not term.isdigit()}) < FEWEST_WORDS:
        return None
    spans = sentence_spans(passage)
    share = share_of_terms_in(sentence, language)
    runs = [
        (spans[first][0], spans[first + count][1])
        for count in range(2, MOST_SENTENCES)
        for first in range(len(spans) - count)
    ]
    for span in sorted(runs, key=lambda span: span[1] - span[0]):
        text = passage[slice(*span)]
        if share(text) == 1.0 and check_support(sentence, text, language, context).is_enough:
            return Quote(*span, text, SupportGrade.CLOSE, is_verified=False, doubts=(REWORDED,))
    return None


def quote_at(
    sentence: str, passage: str, span: tuple[int, int], language: str | None, context: str = ""
) -> Quote:
    """These words of the passage, and whether they support the sentence."""
    text = passage[slice(*span)]
    return Quote.of(span, text, check_support(sentence, text, language, context))
