"""Shows children in place of passages: the best child of each, with the beginning of its passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sourcebook.model.documents import ChunkLevel
from sourcebook.retrieve.concurrency import together
from sourcebook.retrieve.passages.parent_passages import passage_id_of
from sourcebook.text.analysis import analyse, analyse_question
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.model.documents import Chunk
    from sourcebook.model.search import SearchResult
    from sourcebook.ports.storage import VectorStore
    from sourcebook.retrieve.passages.result_texts import ChunkReader

CONTEXT_LENGTH = 200


class ChildView:
    """Turns passages into children. A passage without children stays as it is."""

    def __init__(self, vectors: VectorStore, reader: ChunkReader) -> None:
        self._vectors = vectors
        self._reader = reader

    async def of(self, results: Sequence[SearchResult], question: str) -> list[SearchResult]:
        """The same results in the same order, with the scores of their passages."""
        named = [(r.collection_id, r.matched[0].chunk_id) for r in results if r.matched]
        read = await self._reader.look_up(named)
        return await together([partial(self._child, result, read, question) for result in results])

    async def _child(
        self, result: SearchResult, read: dict[tuple[str, str], SearchResult], question: str
    ) -> SearchResult:
        matched = read.get((result.collection_id, result.matched[0].chunk_id)) if result.matched else None
        child = matched.chunk if matched else await self._by_words(result, question)
        if child is None:
            return result
        context = result.chunk.content[:CONTEXT_LENGTH]
        return replace(result, chunk=child, matched=(), parent_context=context)

    async def _by_words(self, result: SearchResult, question: str) -> Chunk | None:
        """The child with most words of the question: a search by words finds passages, not children."""
        passage = result.chunk
        stored = await self._vectors.get_by_document(result.collection_id, passage.document_id)
        children = [
            embedded.chunk
            for embedded in stored
            if embedded.chunk.level is ChunkLevel.CHILD and passage_id_of(embedded.chunk) == passage.id
        ]
        return child_with_most_words(children, question, detect_language(passage.content))


def child_with_most_words(children: Sequence[Chunk], question: str, language: str | None) -> Chunk | None:
    """The child with most of the question's words; of equals, the first in the text."""
    wanted = set(analyse_question(question, [language or ""]).terms)

    def held(child: Chunk) -> tuple[int, int]:
        return len(wanted.intersection(analyse(child.content, language))), -child.start_index

    return max(children, key=held, default=None)


def with_parent_context(result: SearchResult) -> SearchResult:
    """The child with the beginning of its passage also in `section`, if it has no section of its own."""
    if result.parent_context is None or result.chunk.section:
        return result
    return replace(result, chunk=replace(result.chunk, section=result.parent_context))


def without_parent_context(result: SearchResult) -> SearchResult:
    return result if result.parent_context is None else replace(result, parent_context=None)
