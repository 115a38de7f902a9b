"""Passages overlap, and a list or a thought may go on in the next one: found both, they are read as one text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk
    from sourcebook.model.search import SearchResult


@dataclass(frozen=True, slots=True)
class JoinedPassage:
    """A passage with those beside it that were found too: `whole` has the text of all, and the passage's own name.

    The passage itself is from `start` to `end` of that text.
    """

    whole: SearchResult
    start: int
    end: int


def joined(passages: Sequence[SearchResult]) -> list[JoinedPassage]:
    """Each passage with what was found right before and right behind it, in their order."""
    return [_joined(passage, passages) for passage in passages]


def _joined(passage: SearchResult, passages: Sequence[SearchResult]) -> JoinedPassage:
    own = passage.chunk
    whole = passage
    for other in sorted(passages, key=lambda each: each.chunk.start_index):
        is_of_document = (other.collection_id, other.chunk.document_id) == (
            passage.collection_id,
            own.document_id,
        )
        if is_of_document and other is not passage and _overlap(own, other.chunk):
            whole = _with(whole, other)
    start = own.start_index - whole.chunk.start_index
    return JoinedPassage(whole, start, start + len(own.content))


def _overlap(one: Chunk, other: Chunk) -> bool:
    """Whether the end of one is the beginning of the other, letter by letter."""
    first, second = sorted((one, other), key=lambda chunk: chunk.start_index)
    shared = first.content[second.start_index - first.start_index :]
    return bool(shared) and second.content.startswith(shared)


def _with(one: SearchResult, other: SearchResult) -> SearchResult:
    """Two passages that overlap as one."""
    first, second = sorted((one.chunk, other.chunk), key=lambda chunk: chunk.start_index)
    content = first.content + second.content[first.start_index + len(first.content) - second.start_index :]
    chunk = replace(
        one.chunk,
        content=content,
        start_index=first.start_index,
        end_index=first.start_index + len(content),
        section=first.section,
        page=first.page,
    )
    matched = tuple(dict.fromkeys((*one.matched, *other.matched)))
    return replace(one, chunk=chunk, matched=matched)
