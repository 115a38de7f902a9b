"""Indexes that something else wrote, read into a base."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.acceptance.bundles import digest_of, faults, opened

from sourcebook import (
    Collection,
    EmbeddingModel,
    RetrievalConfig,
    RetrievalMode,
)
from sourcebook.errors import (
    CollectionConflict,
)

pytestmark = pytest.mark.anyio


FOREIGN: list[object] = [
    {
        "id": "row-1",
        "embedding": [3, 4],
        "text": "Новости о малине",
        "collection": "news",
        "doc_id": "d1",
        "chunk_id": "c1",
    },
    {
        "id": 2,
        "embedding": [0, 1],
        "body": "pruned in autumn",
        "collection": "news",
        "doc_id": "d2",
        "chunk_id": "c1",
        "tags": ["a"],
    },
    {"embedding": [1, 0], "snippet": "water in spring", "collection": "news"},
    {"embedding": [1, 0, 0], "content": "of another size", "collection": "news"},
    {"embedding": [1, 0, 0], "text": "", "content": "of no collection", "entity": "e"},
    {"embedding": [], "text": "no vector"},
    {"embedding": [1, 2], "text": "a NUL \x00", "collection": "news"},
    "broken",
]


def foreign(folder: Path, *rows: object) -> Path:
    folder.mkdir(exist_ok=True)
    text = "".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows)
    (folder / "embeddings.jsonl").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("named", ["", "embeddings.jsonl"])
async def test_the_rows_of_a_foreign_index_become_chunks(tmp_path: Path, named: str) -> None:
    index = foreign(tmp_path / "index", *FOREIGN)
    async with opened(tmp_path / "a.db") as book:
        report = await book.import_bundle(index / named)
        assert report.as_dict() == {
            "collections": ["default", "news"],
            "documents": 4,
            "chunks": 4,
            "vectors": 4,
            "unchanged": 0,
            "duplicates": 0,
            "skipped": 4,
            "rows": {},
            "left_out": {},
            "renewed": {},
            "curated": 0,
            "curated_unchanged": 0,
        }
        assert {c.id: c.model for c in await book.collections()} == {
            "default": EmbeddingModel.of_caller(3),
            "news": EmbeddingModel.of_caller(2),
        }
        (best,) = await book.stores.vectors.search_semantic("news", [3, 4], 1)
        assert (best.chunk.id, best.chunk.document_id, best.chunk.content) == ("c1", "d1", "Новости о малине")
        assert best.chunk.metadata == {"id": "row-1"}
        second = await book.stores.vectors.get("news", "d2/c1")
        assert second is not None
        assert (second.chunk.content, second.chunk.metadata) == ("pruned in autumn", {"id": 2, "tags": ["a"]})
        third = await book.stores.vectors.get("news", "line-3")
        assert third is not None
        assert third.chunk.document_id == "line-3"
        keyword = RetrievalConfig(mode=RetrievalMode.KEYWORD)
        (found,) = await book.search("малина", keyword, collection="news")
        assert found.chunk.id == "c1"
        assert await faults(book) == []


async def test_a_foreign_index_that_is_imported_again_changes_nothing(tmp_path: Path) -> None:
    many = [{"id": n, "embedding": [n, 1], "doc_id": "many"} for n in range(1200)]
    index = foreign(tmp_path / "index", *FOREIGN, *many)
    async with opened(tmp_path / "a.db") as book:
        first = await book.import_bundle(index, collection="all", model="mine")
        before = await digest_of(tmp_path / "a.db")
        assert first.chunks == 1203
        assert await book.import_bundle(index, collection="all", model="mine") == first
        assert await digest_of(tmp_path / "a.db") == before
        (collection,) = await book.collections()
        assert collection.model == EmbeddingModel("mine", 2)


async def test_a_foreign_index_does_not_go_into_a_collection_of_another_size(tmp_path: Path) -> None:
    index = foreign(tmp_path / "index", *FOREIGN)
    async with opened(tmp_path / "a.db") as book:
        await book.create_collection(Collection("news", 5))
        with pytest.raises(CollectionConflict, match="caller:5"):
            await book.import_bundle(index)
        assert [c.chunk_count for c in await book.collections()] == [0]


async def test_an_imported_index_goes_through_a_bundle_too(tmp_path: Path) -> None:
    index = foreign(tmp_path / "index", *FOREIGN)
    async with opened(tmp_path / "a.db") as book:
        await book.import_bundle(index)
        await book.export(tmp_path / "bundle")
    async with opened(tmp_path / "b.db") as book:
        await book.import_bundle(tmp_path / "bundle")
    assert await digest_of(tmp_path / "a.db") == await digest_of(tmp_path / "b.db")
