"""Adds curated answers with their vectors and sources, and searches them by text."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING

from sourcebook.consult.citations.marks_and_quotes import best_quote
from sourcebook.consult.support.support_check import share_of_terms
from sourcebook.errors import NoEmbedder, UsageError
from sourcebook.model.curation import CuratedSource, SourceType
from sourcebook.model.documents import ChunkLevel
from sourcebook.ports.moderation import Embedded
from sourcebook.ports.providers import TextRole, known_model
from sourcebook.text.languages import detect_language

if TYPE_CHECKING:
    from sourcebook.model.curation import CuratedAnswer, CuratedMatch, Wording
    from sourcebook.model.documents import Chunk, EmbeddingModel, Vector
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.stores import Stores

_SHOWN = 120  # characters of a quote in an error
_NO_EMBEDDER = "curated answers are found by their vectors, but the model of {!r} is not available here"


class CuratedEntries:
    """Curated answers by text: makes the vectors that the store needs."""

    def __init__(
        self,
        stores: Stores,
        main: Embedder | None,
        embedder_of: Callable[[EmbeddingModel], Awaitable[Embedder | None]],
    ) -> None:
        """`main` is the embedder of collections that do not exist yet."""
        self._stores = stores
        self._main = main
        self._embedder_of = embedder_of

    async def insert(
        self,
        *,
        collection_id: str,
        category: str,
        answer: str,
        question: str | None = None,
        subcategory: str | None = None,
        source_type: SourceType = SourceType.MANUAL,
        language: str | None = None,
        approved_by: int | None = None,
        approved_at: int | None = None,
        sources: Sequence[CuratedSource] = (),
    ) -> CuratedAnswer:
        asked = question.strip() or None if question is not None else None
        role = TextRole.PASSAGE if asked is None else TextRole.QUESTION
        embedder = await self._embedder(collection_id)
        return await self._stores.curated.kb_insert(
            collection_id=collection_id,
            category=category,
            answer=answer,
            embedding=await _vector(embedder, asked or answer, role),
            question=asked,
            subcategory=subcategory,
            source_type=source_type,
            language=language or detect_language(asked or answer),
            approved_by=approved_by,
            approved_at=approved_at,
            sources=sources,
        )

    async def add_wording(self, entry: CuratedAnswer, question: str, admin_id: int) -> Wording | None:
        """Another wording of the entry's question, matched from now on. None if it is the question itself."""
        embedder = await self._embedder(entry.collection_id)
        embedded = Embedded(await _vector(embedder, question, TextRole.QUESTION), embedder.model)
        return await self._stores.curated.kb_add_wording(entry.id, question, admin_id, embedded)

    async def search(
        self,
        query: str,
        *,
        collection_id: str,
        category: str | None = None,
        subcategory: str | None = None,
        limit: int = 3,
        distance_threshold: float = 0.35,
    ) -> list[CuratedMatch]:
        embedder = await self._embedder(collection_id)
        return await self._stores.curated.kb_search(
            category,
            await _vector(embedder, query, TextRole.QUESTION),
            subcategory,
            limit,
            distance_threshold,
            collection_id=collection_id,
        )

    async def source(
        self, collection_id: str, document: str, quote: str | None, supports: str
    ) -> CuratedSource:
        """The place of the quote in a document or, without one, of the words that best support the answer."""
        found = (await self._stores.library.find_document(collection_id, document)).document
        span = _supporting(supports, found.content) if quote is None else _standing(quote, found.content)
        if span is None:
            wanted = (
                "nothing supports the answer"
                if quote is None
                else f"“{shorten(quote, _SHOWN, placeholder='…')}” is not"
            )
            raise UsageError(
                f"{wanted} in {found.file_path}", hint="Quote a sentence exactly as it is in the document."
            )
        start, end = span
        stored = await self._stores.vectors.get_by_document(collection_id, found.id)
        passage = _passage_around([embedded.chunk for embedded in stored], start, end)
        return CuratedSource(
            collection_id=collection_id,
            document_id=found.id,
            document_path=found.file_path,
            quote=found.content[start:end],
            document_title=found.title,
            chunk_id=passage.id if passage else None,
            page=found.page_at(start) or (passage.page if passage else None),
            start=start,
            end=end,
            file_hash=found.file_hash,
            section=found.section_at(start) or (passage.section if passage else None),
        )

    async def _embedder(self, collection_id: str) -> Embedder:
        collection = await self._stores.vectors.get_collection(collection_id)
        if collection is None and self._main is not None:
            collection = await self._stores.library.open_collection(
                collection_id, await known_model(self._main)
            )
        model = None if collection is None else collection.model
        embedder = None if model is None else await self._embedder_of(model)
        if embedder is None:
            raise NoEmbedder(_NO_EMBEDDER.format(collection_id))
        return embedder


async def _vector(embedder: Embedder, text: str, role: TextRole) -> Vector:
    return (await embedder.embed([text], role))[0]


def _standing(quote: str, text: str) -> tuple[int, int] | None:
    """The span of the quote; only white space may differ."""
    words = quote.split()
    found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    return None if found is None else found.span()


def _supporting(answer: str, text: str) -> tuple[int, int] | None:
    language = detect_language(answer)
    quote = best_quote(answer, text, language)
    return (quote.start, quote.end) if share_of_terms(answer, quote.text, language) > 0 else None


def _passage_around(chunks: Sequence[Chunk], start: int, end: int) -> Chunk | None:
    passages = [chunk for chunk in chunks if chunk.level is ChunkLevel.PARENT]
    return next(
        (chunk for chunk in passages if chunk.start_index <= start and end <= chunk.end_index),
        next((chunk for chunk in passages if chunk.start_index <= start < chunk.end_index), None),
    )
