"""Joins overlapping passages into one text, because a list or a thought may continue in the next passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sourcebook.consult.evidence.passage_surroundings import document_of

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk
    from sourcebook.model.search import SearchResult


@dataclass(frozen=True, slots=True)
class JoinedPassages:
    """Overlapping passages as one text. `whole` is the one found first, with the text of all.

    `places` are the indices of the passages among those found.
    """

    whole: SearchResult
    places: Sequence[int]

    def place_at(self, start: int, end: int, passages: Sequence[SearchResult]) -> int:
        """The index of the first passage that a span of the text lies in, at least partly."""
        first = self.whole.chunk.start_index
        for place in self.places:
            chunk = passages[place].chunk
            if chunk.start_index - first < end and start < chunk.start_index - first + len(chunk.content):
                return place
        return self.places[0]


def joined(passages: Sequence[SearchResult]) -> list[JoinedPassages]:
    """The passages as texts, each joined with those that overlap it."""
    texts: list[JoinedPassages] = []
    waiting = list(range(len(passages)))
    while waiting:
        first = waiting.pop(0)
        whole, places = passages[first], [first]
        while (more := _overlapping(whole, passages, waiting)) is not None:
            waiting.remove(more)
            places.append(more)
            whole = _with(whole, passages[more])
        texts.append(JoinedPassages(whole, sorted(places)))
    return texts


def _overlapping(whole: SearchResult, passages: Sequence[SearchResult], waiting: Sequence[int]) -> int | None:
    """The first waiting passage that overlaps a text."""
    return next(
        (
            place
            for place in waiting
            if document_of(passages[place]) == document_of(whole)
            and _overlap(whole.chunk, passages[place].chunk)
        ),
        None,
    )


def _overlap(one: Chunk, other: Chunk) -> bool:
    """Whether the end of one is the beginning of the other."""
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
