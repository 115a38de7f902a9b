"""The adapter to LlamaIndex: its vector store, in an index and alone, and its retriever."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("llama_index.core", reason="LlamaIndex is not installed")

from llama_index.core import Document, MockEmbedding, StorageContext, VectorStoreIndex
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores.types import (
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
)
from tests.integrations.addresses import at

from sourcebook import Sourcebook
from sourcebook.errors import UsageError
from sourcebook.integrations.llama_index import SourcebookRetriever, SourcebookVectorStore


@pytest.fixture
def store(db: str) -> Iterator[SourcebookVectorStore]:
    opened = SourcebookVectorStore(**at(db))
    yield opened
    opened.close()


def node(name: str, vector: list[float], document: str = "book", **metadata: object) -> TextNode:
    return TextNode(
        id_=name,
        text=f"text of {name}",
        embedding=vector,
        metadata=metadata,
        relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=document)},
    )


def nearest(store: SourcebookVectorStore, *filters: MetadataFilter) -> list[str]:
    query = VectorStoreQuery([1.0, 0.0], similarity_top_k=3, filters=MetadataFilters(filters=list(filters)))
    return list(store.query(query).ids or [])


def test_nodes_come_back_as_they_were_nearest_first(store: SourcebookVectorStore) -> None:
    store.add([node("far", [0.0, 1.0], year=2020), node("near", [1.0, 0.1], year=2021, tags=["a", "b"])])
    found = store.query(VectorStoreQuery([1.0, 0.0], similarity_top_k=2))
    assert found.ids == ["near", "far"]
    assert found.nodes is not None
    assert found.nodes[0].metadata == {"year": 2021, "tags": ["a", "b"]}
    assert found.nodes[0].get_content() == "text of near"
    assert found.nodes[0].ref_doc_id == "book"
    assert found.similarities is not None
    assert found.similarities[0] > found.similarities[1]


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        (FilterOperator.EQ, 2021, ["b"]),
        (FilterOperator.NE, 2021, ["a", "c"]),
        (FilterOperator.GT, 2020, ["b", "c"]),
        (FilterOperator.GTE, 2021, ["b", "c"]),
        (FilterOperator.LT, 2022, ["a", "b"]),
        (FilterOperator.LTE, 2021, ["a", "b"]),
        (FilterOperator.IN, [2020, 2022], ["a", "c"]),
        (FilterOperator.NIN, [2020, 2022], ["b"]),
    ],
)
def test_a_filter_keeps_what_it_says(
    store: SourcebookVectorStore, operator: FilterOperator, value: object, expected: list[str]
) -> None:
    store.add([node(name, [1.0, place / 10], year=2020 + place) for place, name in enumerate("abc")])
    assert nearest(store, MetadataFilter(key="year", value=value, operator=operator)) == expected  # pyright: ignore[reportArgumentType]


def test_a_filter_without_a_counterpart_is_an_error(store: SourcebookVectorStore) -> None:
    store.add([node("a", [1.0, 0.0])])
    with pytest.raises(UsageError):
        nearest(store, MetadataFilter(key="title", value="x", operator=FilterOperator.TEXT_MATCH))


def test_nodes_are_removed_by_their_document_and_by_their_ids(store: SourcebookVectorStore) -> None:
    store.add([node("a", [1.0, 0.0], "one"), node("b", [1.0, 0.0], "two"), node("c", [1.0, 0.0], "two")])
    store.delete("two")
    assert nearest(store) == ["a"]
    store.delete_nodes(["a"])
    assert nearest(store) == []
    store.clear()
    assert store.get_nodes(["a"]) == []


def test_an_index_of_llama_index_stands_on_it(store: SourcebookVectorStore) -> None:
    embedding = MockEmbedding(embed_dim=8)
    documents = [Document(text="Prune raspberries in late autumn.", doc_id="note")]
    index = VectorStoreIndex.from_documents(
        documents, StorageContext.from_defaults(vector_store=store), embed_model=embedding
    )
    (found,) = index.as_retriever(similarity_top_k=1).retrieve("When?")
    assert found.get_content() == "Prune raspberries in late autumn."
    index.delete_ref_doc("note")
    assert index.as_retriever().retrieve("When?") == []


def test_a_retriever_says_where_its_passages_stand(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text(
        "# Raspberries\n\nPrune raspberries in late autumn.\n", encoding="utf-8"
    )
    with Sourcebook(tmp_path / "base.db") as book:
        book.add(tmp_path / "note.md")
        (found,) = SourcebookRetriever(book=book, top_k=1).retrieve("When do I prune?")
    assert found.node.metadata["file_path"].endswith("note.md")
    assert found.node.metadata["title"] == "Raspberries"
