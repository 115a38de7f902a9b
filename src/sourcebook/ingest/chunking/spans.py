"""Spans of a text in code points, and the pieces that every way of cutting needs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.text.sentences import sentence_spans

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.parsed_text import Section


class TextSpan(NamedTuple):
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start

    def to(self, other: TextSpan) -> TextSpan:
        """From the beginning of this span to the end of the other."""
        return TextSpan(self.start, other.end)


class NamedSpan(NamedTuple):
    """A section with its borders; the text before the first heading has no path."""

    span: TextSpan
    path: str | None


def section_spans(length: int, sections: Sequence[Section]) -> Iterator[NamedSpan]:
    """The whole text, section by section."""
    start, path = 0, None
    for section in sections:
        if section.start > start:
            yield NamedSpan(TextSpan(start, section.start), path)
        start, path = section.start, section.path or None
    if length > start:
        yield NamedSpan(TextSpan(start, length), path)


def section_of(span: TextSpan, sections: Sequence[NamedSpan]) -> str | None:
    """The path of the section that most of the span lies in, the first of equals."""
    if len(sections) == 1:
        return sections[0].path
    return max(sections, key=lambda section: _shared(section.span, span)).path


def _shared(one: TextSpan, other: TextSpan) -> int:
    return min(one.end, other.end) - max(one.start, other.start)


def sentences_of(text: str, span: TextSpan, longest: int) -> Iterator[TextSpan]:
    """The sentences of a part of the text; those that are too long are cut between words."""
    for start, end in sentence_spans(text[span.start : span.end]):
        yield from cut_at_words(text, TextSpan(span.start + start, span.start + end), longest)


def trimmed(text: str, span: TextSpan) -> TextSpan | None:
    """The span without white space around it, or None if there is nothing else in it."""
    piece = text[span.start : span.end]
    start = span.start + len(piece) - len(piece.lstrip())
    end = span.start + len(piece.rstrip())
    return TextSpan(start, end) if start < end else None


def cut_at_words(text: str, span: TextSpan, limit: int) -> Iterator[TextSpan]:
    """The span in parts of about equal length, none above the limit, cut between words where there are any."""
    if span.length <= limit:
        yield span
        return
    parts = -(-span.length // limit)
    wanted = -(-span.length // parts)
    start = span.start
    while span.end - start > limit:
        cut = _word_border(text, start, wanted, limit)
        yield TextSpan(start, _without_space(text, start, cut))
        start = cut
        while text[start].isspace():
            start += 1
    yield TextSpan(start, span.end)


def _word_border(text: str, start: int, wanted: int, limit: int) -> int:
    """The last white space before the limit that leaves a part near the wanted length, or that length itself."""
    for cut in range(min(start + wanted + wanted // 8, start + limit), start + wanted // 2, -1):
        if text[cut].isspace():
            return cut
    return start + wanted


def _without_space(text: str, start: int, end: int) -> int:
    while end - 1 > start and text[end - 1].isspace():
        end -= 1
    return end
