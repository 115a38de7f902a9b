"""What is deleted or changed is so for everybody at once, and leaves nothing behind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.faults import workers
from tests.faults.bases import COLLECTION, Base, digest_of, id_of, opened, rows_of
from tests.faults.processes import talking

from sourcebook.ingest.fingerprint import hash_text
from sourcebook.model.documents import (
    Chunk,
    Collection,
    Document,
    DocumentPath,
    EmbeddedChunk,
    EmbeddingModel,
    PreparedDocument,
)
from sourcebook.testing.crash import embedding_model, prepared_document, vector_of, word_of

pytestmark = pytest.mark.anyio

CANARY = "zyxwquark"


async def test_another_process_sees_each_change_at_once(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    await digest_of(path, {0: 0, 1: 0})
    async with opened(path) as base:
        with talking(workers.answer_questions, path) as (_, line):

            def found(question: str) -> set[str]:
                line.send([question])
                return {chunk_id for chunk_id, _ in line.recv()[f"words: {question}"]}

            def passages(number: int, revision: int) -> set[str]:
                return {
                    c.chunk.id for c in prepared_document(number, revision).chunks if not c.chunk.parent_id
                }

            assert found(word_of(0)) == passages(0, 0)
            for revision in range(1, 15):
                await base.write(prepared_document(0, revision))
                assert found(word_of(0)) == passages(0, revision)
                assert found(word_of(0, revision - 1)) == set()
                await base.remove(0)
                assert found(word_of(0)) == set()
                await base.write(prepared_document(0, revision))
                assert len(found(word_of(0, revision))) == 1
                await base.stores.writer.set_active(COLLECTION, id_of(0), active=False)
                assert found(word_of(0)) == set()
                await base.stores.writer.set_active(COLLECTION, id_of(0), active=True)
                assert found(word_of(0)) == passages(0, revision)


# Nothing left behind


def canary_document(text: str = f"The {CANARY} sings. Песня {CANARY} слышна.") -> PreparedDocument:
    """A document that holds the canary wherever a document can hold text, its id excepted."""
    chunk = Chunk(
        id="chunk-1",
        document_id="document-1",
        content=text,
        end_index=len(text),
        section=f"{CANARY} / песни",
        metadata={CANARY: [CANARY, {"deep": CANARY}]},
    )
    child = replace(chunk, id="chunk-2", parent_id="chunk-1")
    document = Document(
        id="document-1",
        content=text,
        title=f"All about {CANARY}",
        file_path=f"birds/{CANARY}.md",
        file_hash=hash_text(text),
        type=CANARY,
        category=CANARY,
        subcategory=f"{CANARY} общая",
        language="en",
        metadata={"bird": CANARY},
        processing_error=f"a warning about {CANARY}",
    )
    return PreparedDocument(
        document,
        [EmbeddedChunk(c, vector_of(c.id)) for c in (chunk, child)],
        embedding_model(),
        [DocumentPath("source", f"birds/{CANARY}.md", f"{CANARY}"), DocumentPath("source", "other.md")],
    )


def holding_canary(path: Path) -> set[str]:
    """The tables in which the canary can be read, be it as text or inside a blob."""
    tables: set[str] = set()
    for table, rows in rows_of(path).items():
        for value in (value for row in rows for value in row):
            data = value if isinstance(value, bytes) else str(value).encode()
            if CANARY.encode() in data.lower():
                tables.add(table)
    return tables


async def as_a_document(base: Base) -> None:
    await base.write(canary_document())


async def as_bare_chunks(base: Base) -> None:
    chunks = canary_document().chunks
    await base.stores.vectors.add(COLLECTION, chunks)
    await base.stores.fts.index(COLLECTION, [c.chunk for c in chunks])


async def as_words(base: Base) -> None:
    await base.stores.fts.index(COLLECTION, [c.chunk for c in canary_document().chunks])


async def as_tracked(base: Base) -> None:
    await base.stores.tracker.track(canary_document().document, COLLECTION, 0)


async def remove_document(base: Base) -> None:
    assert await base.stores.writer.remove_document(COLLECTION, "document-1")


async def forget_paths(base: Base) -> None:
    for path in canary_document().paths:
        assert await base.stores.writer.forget_path(COLLECTION, path.source_id, path.path)


async def replace_by_another_text(base: Base) -> None:
    plain = canary_document("Nothing of note.")
    chunks = [
        replace(c, chunk=replace(c.chunk, id=f"plain-{n}", section=None, metadata={}))
        for n, c in enumerate(plain.chunks)
    ]
    document = Document("document-1", plain.document.content, file_path="plain.md", language="en")
    await base.write(replace(plain, document=document, chunks=chunks, paths=[]))
    await base.stores.writer.move_document(
        COLLECTION, "document-1", canary_document().paths[0], DocumentPath("source", "plain.md"), "plain.md"
    )


async def delete_chunks(base: Base) -> None:
    await base.stores.vectors.delete(COLLECTION, ["chunk-1", "chunk-2"])


async def delete_chunks_of_the_document(base: Base) -> None:
    await base.stores.vectors.delete_by_document(COLLECTION, "document-1")


async def delete_words(base: Base) -> None:
    await base.stores.fts.delete(COLLECTION, ["chunk-1", "chunk-2"])


async def delete_words_of_the_document(base: Base) -> None:
    await base.stores.fts.delete_by_document(COLLECTION, "document-1")


async def untrack(base: Base) -> None:
    await base.stores.tracker.untrack("document-1", COLLECTION)


async def delete_collection(base: Base) -> None:
    await base.stores.vectors.delete_collection(COLLECTION)


@pytest.mark.parametrize(
    ("put", "remove"),
    [
        (as_a_document, remove_document),
        (as_a_document, forget_paths),
        (as_a_document, replace_by_another_text),
        (as_a_document, delete_collection),
        (as_bare_chunks, delete_chunks),
        (as_bare_chunks, delete_chunks_of_the_document),
        (as_bare_chunks, remove_document),
        (as_bare_chunks, delete_collection),
        (as_words, delete_words),
        (as_words, delete_words_of_the_document),
        (as_words, delete_chunks),
        (as_tracked, untrack),
        (as_tracked, remove_document),
        (as_tracked, delete_collection),
    ],
)
async def test_what_was_removed_can_be_read_in_no_table(
    tmp_path: Path,
    put: Callable[[Base], Awaitable[None]],
    remove: Callable[[Base], Awaitable[None]],
) -> None:
    path = tmp_path / "base.db"
    async with opened(path) as base:
        await base.write(prepared_document(0))
        await put(base)
        assert holding_canary(path)
        await remove(base)
        assert holding_canary(path) == set()
        assert await base.faults() == []


async def test_a_removed_document_shows_in_no_count(tmp_path: Path) -> None:
    async with opened(tmp_path / "base.db") as base:
        await base.write(prepared_document(0))
        before = await base.digest()
        await base.write(canary_document())
        assert await base.digest() != before
        await base.stores.writer.remove_document(COLLECTION, "document-1")
        assert await base.digest() == before


async def test_a_deleted_collection_leaves_its_neighbour_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    async with opened(path) as base:
        await base.write(prepared_document(0))
        before = await base.digest()
        model = EmbeddingModel.of_caller(16)
        await base.stores.vectors.create_collection(Collection("birds", 16, name=CANARY, model=model))
        await base.stores.writer.replace_document("birds", replace(canary_document(), model=model))
        await base.stores.vectors.delete_collection("birds")
        assert holding_canary(path) == set()
        assert await base.digest() == before
        assert await base.faults() == []
