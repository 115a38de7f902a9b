"""Ways of cutting a text into passages that have no children."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from sourcebook.ingest.chunking.spans import NamedSpan, TextSpan, sentences_of, trimmed

_PARAGRAPH_END = re.compile(r"\n(?:[^\S\n]*\n)+")
_FENCE = re.compile(r"^[^\S\n]*(?:```|~~~)", re.MULTILINE)


def cut_fixed(text: str, length: int, overlap: int) -> Iterator[TextSpan]:
    """Windows of one length, each beginning with the end of the one before it. White space around them is left out."""
    for start in range(0, max(len(text) - overlap, 1), length - overlap):
        span = trimmed(text, TextSpan(start, min(start + length, len(text))))
        if span is not None:
            yield span


def cut_sentences(text: str, blocks: Iterable[TextSpan], length: int) -> Iterator[TextSpan]:
    """Whole sentences of one block, as many as fit."""
    for block in blocks:
        yield from _packed(sentences_of(text, block, length), length)


def cut_markdown(text: str, parts: Sequence[NamedSpan], length: int) -> Iterator[TextSpan]:
    """Sections; one that is too long is cut between paragraphs, and a paragraph that is too long between sentences.

    A heading without a text of its own goes with what follows it.
    """
    waiting: TextSpan | None = None
    for part in parts:
        span = waiting.to(part.span) if waiting else part.span
        content = trimmed(text, span)
        waiting = None
        if content is None:
            continue
        if "\n" not in text[content.start : content.end] and part is not parts[-1]:
            waiting = span
            continue
        yield from _packed(_paragraphs(text, content, length), length)
    if waiting and (content := trimmed(text, waiting)):
        yield content


def _paragraphs(text: str, span: TextSpan, length: int) -> Iterator[TextSpan]:
    for paragraph in _blocks(text, span):
        if paragraph.length <= length:
            yield paragraph
        else:
            yield from sentences_of(text, paragraph, length)


def _blocks(text: str, span: TextSpan) -> Iterator[TextSpan]:
    """Paragraphs. A listing between fences is one, whatever blank lines it holds."""
    start = looked = span.start
    fences = 0
    for end in [*(match.end() for match in _PARAGRAPH_END.finditer(text, span.start, span.end)), span.end]:
        fences += len(_FENCE.findall(text[looked:end]))
        looked = end
        if fences % 2 and end < span.end:
            continue
        block = trimmed(text, TextSpan(start, end))
        if block is not None:
            yield block
        start = end


def _packed(pieces: Iterable[TextSpan], length: int) -> Iterator[TextSpan]:
    """Neighbours joined as long as they fit."""
    last: TextSpan | None = None
    for piece in pieces:
        if last is not None and last.to(piece).length <= length:
            last = last.to(piece)
            continue
        if last is not None:
            yield last
        last = piece
    if last is not None:
        yield last
