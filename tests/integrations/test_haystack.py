"""The adapter to Haystack, by the test classes that Haystack publishes for document stores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("haystack", reason="Haystack is not installed")

from haystack import Document, Pipeline
from haystack.document_stores.errors import DuplicateDocumentError
from haystack.testing.document_store import (
    CountDocumentsByFilterTest,
    DeleteAllTest,
    DeleteByFilterTest,
    DocumentStoreBaseTests,
    UpdateByFilterTest,
)
from tests.integrations.addresses import at

from sourcebook import Sourcebook
from sourcebook.integrations.haystack import (
    SourcebookDocumentStore,
    SourcebookEmbeddingRetriever,
    SourcebookRetriever,
)


class TestDocumentStore(
    DocumentStoreBaseTests, DeleteAllTest, DeleteByFilterTest, UpdateByFilterTest, CountDocumentsByFilterTest
):
    @pytest.fixture
    def document_store(self, db: str) -> Iterator[SourcebookDocumentStore]:  # pyright: ignore[reportIncompatibleMethodOverride]
        store = SourcebookDocumentStore(**at(db))
        yield store
        store.close()

    @staticmethod
    def assert_documents_are_equal(received: list[Document], expected: list[Document]) -> None:
        """The order is the base's own, and of a vector its direction is kept."""
        received, expected = (sorted(each, key=lambda document: document.id) for each in (received, expected))
        assert [replace(each, embedding=None) for each in received] == [
            replace(each, embedding=None) for each in expected
        ]
        for one, other in zip(received, expected, strict=True):
            assert (one.embedding is None) == (other.embedding is None)
            if one.embedding is not None and other.embedding is not None:
                wanted = np.asarray(other.embedding) / np.linalg.norm(other.embedding)
                assert np.allclose(one.embedding, wanted, atol=1e-3)

    def test_write_documents(self, document_store: SourcebookDocumentStore) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Without a policy, a known id is an error."""
        document = Document(content="test doc")
        assert document_store.write_documents([document]) == 1
        with pytest.raises(DuplicateDocumentError):
            document_store.write_documents([document])


def test_a_pipeline_finds_by_vector_within_a_filter(db: str) -> None:
    store = SourcebookDocumentStore(embedding_dimension=2, **at(db))
    store.write_documents(
        [
            Document(
                id=str(year), content=f"report {year}", embedding=[1.0, year - 2020.0], meta={"year": year}
            )
            for year in range(2020, 2024)
        ]
    )
    pipeline = Pipeline()
    pipeline.add_component("retriever", SourcebookEmbeddingRetriever(store, top_k=2))
    wanted = {"field": "meta.year", "operator": ">=", "value": 2021}
    found = pipeline.run({"retriever": {"query_embedding": [1.0, 0.0], "filters": wanted}})
    assert [document.id for document in found["retriever"]["documents"]] == ["2021", "2022"]
    store.close()


def test_a_pipeline_is_written_and_read_with_its_store(tmp_path: Path) -> None:
    pipeline = Pipeline()
    store = SourcebookDocumentStore(str(tmp_path / "base.db"))
    pipeline.add_component("retriever", SourcebookEmbeddingRetriever(store, top_k=3))
    again = Pipeline.loads(
        pipeline.dumps(), allowed_modules=["sourcebook.integrations.haystack"]
    ).get_component("retriever")
    assert isinstance(again, SourcebookEmbeddingRetriever)
    assert again.top_k == 3


def test_a_retriever_says_where_its_passages_stand(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text(
        "# Raspberries\n\nPrune raspberries in late autumn.\n", encoding="utf-8"
    )
    with Sourcebook(tmp_path / "base.db") as book:
        book.add(tmp_path / "note.md")
        (found,) = SourcebookRetriever(book=book, top_k=1).run("When do I prune?")["documents"]
    assert found.meta["file_path"].endswith("note.md")
    assert found.meta["title"] == "Raspberries"
