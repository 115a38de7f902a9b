"""A text is cut into passages, and each passage into children.

A passage is shown and cited: about 800 characters of whole sentences from one section, with up to 200 characters of
the passage before it. A child is matched: one or two sentences. It belongs to the first passage that holds it, and
points to it. Everything is a span of code points, so that `text[start:end]` is exactly what was cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from sourcebook.ingest.fingerprint import chunk_id
from sourcebook.model.documents import Chunk, ChunkLevel
from sourcebook.text.sentences import sentence_spans

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.parsed import Section

PASSAGE_LENGTH = 800
PASSAGE_OVERLAP = 200
PASSAGE_TAIL = 120
"""What remains of a section stays with its last passage if it is no longer than this."""
SMALL_SECTION = 200
"""Sections shorter than this, a heading alone above all, are cut together with the next."""

CHILD_ENOUGH = 110
"""A child this long takes no further sentence."""
CHILD_LENGTH = 230
CHILD_SENTENCE = 300
"""A sentence up to this length is left whole."""
CHILD_CRUMB = 40
"""A shorter rest joins the child before it."""


class Span(NamedTuple):
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start

    def to(self, other: Span) -> Span:
        """From the beginning of this span to the end of the other."""
        return Span(self.start, other.end)


class NamedSpan(NamedTuple):
    """A section with its borders; the text before the first heading has no path."""

    span: Span
    path: str | None


@dataclass(frozen=True, slots=True)
class Passage:
    span: Span
    section: str | None
    children: tuple[Span, ...]


def chunk_document(document_id: str, text: str, sections: Sequence[Section] = ()) -> list[Chunk]:
    """The passages of a text in their order, each followed by its children. The same text gives the same chunks."""
    chunks: list[Chunk] = []
    for passage in cut_passages(text, sections):
        parent = _chunk(document_id, text, passage.span, len(chunks), ChunkLevel.PARENT, passage.section)
        chunks.append(parent)
        for span in passage.children:
            child = _chunk(document_id, text, span, len(chunks), ChunkLevel.CHILD, passage.section, parent.id)
            chunks.append(child)
    return chunks


def _chunk(
    document_id: str,
    text: str,
    span: Span,
    index: int,
    level: ChunkLevel,
    section: str | None,
    parent_id: str | None = None,
) -> Chunk:
    content = text[span.start : span.end]
    return Chunk(
        id=chunk_id(document_id, level, span.start, content),
        document_id=document_id,
        content=content,
        chunk_index=index,
        start_index=span.start,
        end_index=span.end,
        level=level,
        parent_id=parent_id,
        section=section,
        token_count=len(content.split()),
    )


def cut_passages(text: str, sections: Sequence[Section] = ()) -> Iterator[Passage]:
    """The passages of a text. Every character that is not white space is in at least one of them."""
    for block in _blocks(len(text), sections):
        sentences = list(_sentences(text, block[0].span.to(block[-1].span)))
        for span, new in _packed(sentences):
            yield Passage(span, _section_of(span, block), tuple(_children(text, new)))


def _blocks(length: int, sections: Sequence[Section]) -> Iterator[list[NamedSpan]]:
    """Runs of sections that are cut together: one of some size with the small ones before it."""
    block: list[NamedSpan] = []
    for section in _section_spans(length, sections):
        block.append(section)
        if block[0].span.to(section.span).length >= SMALL_SECTION:
            yield block
            block = []
    if block:
        yield block


def _section_spans(length: int, sections: Sequence[Section]) -> Iterator[NamedSpan]:
    start, path = 0, None
    for section in sections:
        if section.start > start:
            yield NamedSpan(Span(start, section.start), path)
        start, path = section.start, section.path or None
    if length > start:
        yield NamedSpan(Span(start, length), path)


def _section_of(span: Span, block: Sequence[NamedSpan]) -> str | None:
    """The path of the section that most of the span lies in, the first of equals."""
    return max(block, key=lambda section: _shared(section.span, span)).path


def _shared(one: Span, other: Span) -> int:
    return min(one.end, other.end) - max(one.start, other.start)


def _sentences(text: str, span: Span) -> Iterator[Span]:
    for start, end in sentence_spans(text[span.start : span.end]):
        yield from _cut_at_words(text, Span(span.start + start, span.start + end), PASSAGE_LENGTH)


def _packed(sentences: Sequence[Span]) -> Iterator[tuple[Span, Sequence[Span]]]:
    """Passages of whole sentences, each with those of its sentences that no passage before it holds."""
    first = new = 0
    while new < len(sentences):
        end = _filled(sentences, first, new)
        yield sentences[first].to(sentences[end - 1]), sentences[new:end]
        first, new = _overlapping(sentences, first, end), end


def _filled(sentences: Sequence[Span], first: int, new: int) -> int:
    """Behind the last sentence of a passage that begins at `first` and holds at least the sentence `new`."""
    end = new + 1
    while end < len(sentences) and sentences[first].to(sentences[end]).length <= PASSAGE_LENGTH:
        end += 1
    if end < len(sentences) and sentences[end - 1].to(sentences[-1]).length <= PASSAGE_TAIL:
        return len(sentences)
    return end


def _overlapping(sentences: Sequence[Span], previous: int, end: int) -> int:
    """The first sentence of the passage that goes on at `end`: as many old ones as fit the overlap."""
    first = end
    while (
        end < len(sentences)
        and first - 1 > previous
        and sentences[first - 1].to(sentences[end - 1]).length <= PASSAGE_OVERLAP
        and sentences[first - 1].to(sentences[end]).length <= PASSAGE_LENGTH
    ):
        first -= 1
    return first


def _children(text: str, sentences: Sequence[Span]) -> list[Span]:
    children: list[Span] = []
    for piece in _child_pieces(text, sentences):
        last = children[-1] if children else None
        if last and last.length < CHILD_ENOUGH and last.to(piece).length <= CHILD_LENGTH:
            children[-1] = last.to(piece)
        else:
            children.append(piece)
    if len(children) > 1 and children[-1].length < CHILD_CRUMB:
        joined = children[-2].to(children[-1])
        if joined.length <= CHILD_SENTENCE:
            children[-2:] = [joined]
    return children


def _child_pieces(text: str, sentences: Sequence[Span]) -> Iterator[Span]:
    for sentence in sentences:
        if sentence.length <= CHILD_SENTENCE:
            yield sentence
        else:
            yield from _cut_at_words(text, sentence, CHILD_LENGTH)


def _cut_at_words(text: str, span: Span, limit: int) -> Iterator[Span]:
    """The span in parts of about equal length, none above the limit, cut between words where there are any."""
    parts = -(-span.length // limit)
    wanted = -(-span.length // parts)
    start = span.start
    while span.end - start > limit:
        cut = _word_border(text, start, wanted, limit)
        yield Span(start, _without_space(text, start, cut))
        start = cut
        while text[start].isspace():
            start += 1
    yield Span(start, span.end)


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
