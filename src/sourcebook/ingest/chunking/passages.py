"""A text is cut into passages, and each passage into children.

A passage is shown and cited: about 800 characters of whole sentences from one section, with up to 200 characters of
the passage before it. A child is matched: one or two sentences. It belongs to the first passage that holds it, and
points to it. Everything is a span of code points, so that `text[start:end]` is exactly what was cut. Other strategies
cut other passages, without children.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.ingest.chunking.fixed_sentence_markdown import cut_fixed, cut_markdown, cut_sentences
from sourcebook.ingest.chunking.spans import (
    NamedSpan,
    TextSpan,
    cut_at_words,
    section_of,
    section_spans,
    sentences_of,
)
from sourcebook.ingest.fingerprint import chunk_id
from sourcebook.model.documents import Chunk, ChunkLevel, ChunkStrategy

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.parsed_text import PageSpan, Section

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


@dataclass(frozen=True, slots=True)
class Passage:
    """A span and its section. A child may lie in a section of its own, where small ones were cut together."""

    span: TextSpan
    section: str | None
    children: tuple[tuple[TextSpan, str | None], ...] = ()


def chunk_document(
    document_id: str,
    text: str,
    sections: Sequence[Section] = (),
    pages: Sequence[PageSpan] = (),
    strategy: ChunkStrategy = ChunkStrategy.PARENT_CHILD,
) -> list[Chunk]:
    """The passages of a text in their order, each followed by its children. The same text gives the same chunks.

    A chunk is on the page on which it begins.
    """
    chunks: list[Chunk] = []
    cutter = _Cutter(document_id, text, [page.start for page in pages], [page.number for page in pages])
    for passage in cut_passages(text, sections, strategy):
        parent = cutter.chunk(passage.span, len(chunks), passage.section)
        chunks.append(parent)
        for span, section in passage.children:
            chunks.append(cutter.chunk(span, len(chunks), section, parent.id))
    return chunks


@dataclass(frozen=True, slots=True)
class _Cutter:
    """Makes chunks of one document out of spans."""

    document_id: str
    text: str
    page_starts: Sequence[int]
    page_numbers: Sequence[int]

    def chunk(self, span: TextSpan, index: int, section: str | None, parent_id: str | None = None) -> Chunk:
        """The chunk of a span: a child if it has a parent, else a passage."""
        level = ChunkLevel.PARENT if parent_id is None else ChunkLevel.CHILD
        content = self.text[span.start : span.end]
        return Chunk(
            id=chunk_id(self.document_id, level, span.start, content),
            document_id=self.document_id,
            content=content,
            chunk_index=index,
            start_index=span.start,
            end_index=span.end,
            level=level,
            parent_id=parent_id,
            section=section,
            page=self._page(span.start),
            token_count=len(content.split()),
        )

    def _page(self, start: int) -> int | None:
        before = bisect_right(self.page_starts, start)
        return self.page_numbers[before - 1] if before else None


def cut_passages(
    text: str, sections: Sequence[Section] = (), strategy: ChunkStrategy = ChunkStrategy.PARENT_CHILD
) -> Iterator[Passage]:
    """The passages of a text. Every character that is not white space is in at least one of them."""
    if strategy is ChunkStrategy.PARENT_CHILD:
        yield from _cut_with_children(text, sections)
        return
    parts = list(section_spans(len(text), sections))
    match strategy:
        case ChunkStrategy.FIXED:
            spans = cut_fixed(text, PASSAGE_LENGTH, PASSAGE_OVERLAP)
        case ChunkStrategy.SENTENCE:
            blocks = (block[0].span.to(block[-1].span) for block in _blocks(parts))
            spans = cut_sentences(text, blocks, PASSAGE_LENGTH)
        case ChunkStrategy.MARKDOWN:
            spans = cut_markdown(text, parts, PASSAGE_LENGTH)
    for span in spans:
        yield Passage(span, _section_at(span, parts))


class BeginningCutter:
    """Cuts a text of which only the beginning is known, and each time more of it."""

    def __init__(self) -> None:
        self._start = 0

    def cut(self, text: str, sections: Sequence[Section]) -> list[str]:
        """The passages and children that stay as they are whatever comes later, from the last open block on."""
        spans = [part for part in section_spans(len(text), sections) if part.span.start >= self._start]
        blocks = list(_blocks(spans))
        if not blocks:
            return []
        self._start = blocks[-1][0].span.start
        found: list[str] = []
        for block in blocks:
            for passage in _cut_block(text, block):
                if passage.span.end + PASSAGE_LENGTH > len(text):
                    break
                spans_of_it = (passage.span, *(span for span, _ in passage.children))
                found += [text[span.start : span.end] for span in spans_of_it]
        return found


def _cut_with_children(text: str, sections: Sequence[Section]) -> Iterator[Passage]:
    for block in _blocks(section_spans(len(text), sections)):
        yield from _cut_block(text, block)


def _cut_block(text: str, block: Sequence[NamedSpan]) -> Iterator[Passage]:
    sentences = list(sentences_of(text, block[0].span.to(block[-1].span), PASSAGE_LENGTH))
    for span, new in _packed(sentences):
        children = tuple((child, section_of(child, block)) for child in _children(text, new))
        yield Passage(span, section_of(span, block), children)


def _section_at(span: TextSpan, parts: Sequence[NamedSpan]) -> str | None:
    """The section of a span; only those that it touches are looked at, so that long texts stay cheap."""
    first = bisect_right(parts, span.start, key=lambda part: part.span.start) - 1
    last = bisect_right(parts, span.end - 1, key=lambda part: part.span.start)
    return section_of(span, parts[first:last])


def _blocks(sections: Iterable[NamedSpan]) -> Iterator[list[NamedSpan]]:
    """Runs of sections that are cut together: one of some size with the small ones before it."""
    block: list[NamedSpan] = []
    for section in sections:
        block.append(section)
        if block[0].span.to(section.span).length >= SMALL_SECTION:
            yield block
            block = []
    if block:
        yield block


def _packed(sentences: Sequence[TextSpan]) -> Iterator[tuple[TextSpan, Sequence[TextSpan]]]:
    """Passages of whole sentences, each with those of its sentences that no passage before it holds."""
    first = new = 0
    while new < len(sentences):
        end = _filled(sentences, first, new)
        yield sentences[first].to(sentences[end - 1]), sentences[new:end]
        first, new = _overlapping(sentences, first, end), end


def _filled(sentences: Sequence[TextSpan], first: int, new: int) -> int:
    """Behind the last sentence of a passage that begins at `first` and holds at least the sentence `new`."""
    end = new + 1
    while end < len(sentences) and sentences[first].to(sentences[end]).length <= PASSAGE_LENGTH:
        end += 1
    if end < len(sentences) and sentences[end - 1].to(sentences[-1]).length <= PASSAGE_TAIL:
        return len(sentences)
    return end


def _overlapping(sentences: Sequence[TextSpan], previous: int, end: int) -> int:
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


def _children(text: str, sentences: Sequence[TextSpan]) -> list[TextSpan]:
    children: list[TextSpan] = []
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


def _child_pieces(text: str, sentences: Sequence[TextSpan]) -> Iterator[TextSpan]:
    for sentence in sentences:
        if sentence.length <= CHILD_SENTENCE:
            yield sentence
        else:
            yield from cut_at_words(text, sentence, CHILD_LENGTH)
