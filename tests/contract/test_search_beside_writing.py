"""A document that is replaced between being found and being read is found as it is then, on every kind of base."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

import pytest
from tests.faults.server_workers import COLLECTION, write

from sourcebook.model.search import RetrievalConfig, RetrievalMode
from sourcebook.retrieve.search import DefaultRetriever
from sourcebook.testing.crash import embedding_model, prepared_document, word_of

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.model.search import SearchResult

pytestmark = pytest.mark.anyio


def passages_of(revision: int) -> set[str]:
    return {c.chunk.id for c in prepared_document(0, revision).chunks if not c.chunk.parent_id}


async def found(base: OpenBase) -> set[str]:
    retriever = DefaultRetriever(vector_store=base.stores.vectors, fts_store=base.stores.fts)
    config = RetrievalConfig(mode=RetrievalMode.KEYWORD, top_k=10)
    return {result.chunk.id for result in await retriever.retrieve(COLLECTION, word_of(0), config)}


@pytest.fixture
async def filled(base: OpenBase) -> OpenBase:
    await base.stores.library.open_collection(COLLECTION, embedding_model())
    await write(base, 0)
    return base


def before_the_next_reading(
    base: OpenBase, monkeypatch: pytest.MonkeyPatch, change: Callable[[], Awaitable[object]]
) -> None:
    """Let something happen when the passages are known, and their texts are not."""
    store = base.stores.vectors
    read = getattr(store, "look_up")  # noqa: B009 - a port that a store may have beside its own

    async def look_up(collection_id: str, chunk_ids: Sequence[str]) -> list[SearchResult]:
        monkeypatch.setattr(store, "look_up", read)
        await change()
        return await read(collection_id, chunk_ids)

    monkeypatch.setattr(store, "look_up", look_up)


async def test_what_replaced_a_document_is_found(filled: OpenBase, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await found(filled) == passages_of(0)
    before_the_next_reading(filled, monkeypatch, lambda: write(filled, 0, 1))
    assert await found(filled) == passages_of(1) != passages_of(0)


async def test_what_was_removed_is_left_out(filled: OpenBase, monkeypatch: pytest.MonkeyPatch) -> None:
    document = prepared_document(0).document.id
    before_the_next_reading(
        filled, monkeypatch, lambda: filled.stores.writer.remove_document(COLLECTION, document)
    )
    assert await found(filled) == set()
