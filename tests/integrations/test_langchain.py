"""The adapter to LangChain, by the suites that LangChain publishes for its vector stores and retrievers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("langchain_tests", reason="the suites of LangChain are not installed")

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.retrievers import BaseRetriever
from langchain_core.vectorstores import VectorStore
from langchain_tests.integration_tests import RetrieversIntegrationTests, VectorStoreIntegrationTests
from tests.integrations.addresses import at

from sourcebook import GreaterThan, Sourcebook
from sourcebook.errors import UsageError
from sourcebook.integrations.langchain import SourcebookRetriever, SourcebookVectorStore

pytestmark = pytest.mark.anyio

NOTE = "# Raspberries\n\nPrune everbearing raspberries in late autumn, after the last berries.\n"


def opened(db: str) -> SourcebookVectorStore:
    return SourcebookVectorStore(DeterministicFakeEmbedding(size=6), **at(db))


class TestVectorStore(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self, db: str) -> Iterator[VectorStore]:  # pyright: ignore[reportIncompatibleMethodOverride]
        with opened(db) as store:
            yield store


class TestRetriever(RetrieversIntegrationTests):
    @pytest.fixture(autouse=True)
    def _library(self, tmp_path: Path) -> Iterator[None]:
        with Sourcebook(tmp_path / "base.db") as book:
            for name in ("a", "b", "c", "d"):
                book.add_text(f"{NOTE} Bed {name}.", id=name)
            self.__class__.book = book
            yield

    book: Sourcebook

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return SourcebookRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, object]:
        return {"book": self.book}

    @property
    def retriever_query_example(self) -> str:
        return "When do I prune raspberries?"


def test_filters_are_ours_or_a_mapping(db: str) -> None:
    with opened(db) as store:
        store.add_documents(
            [
                Document(id=str(year), page_content=f"report {year}", metadata={"year": year})
                for year in range(2020, 2024)
            ]
        )
        assert {d.id for d in store.similarity_search("report", filter=GreaterThan("year", 2021))} == {
            "2022",
            "2023",
        }
        assert {d.id for d in store.similarity_search("report", filter={"year": [2020, 2023]})} == {
            "2020",
            "2023",
        }
        with pytest.raises(UsageError):
            store.similarity_search("report", filter={"year": {"$gt": 2021}})


def test_texts_that_repeat_each_other_are_passed_over(db: str) -> None:
    with opened(db) as store:
        store.add_texts(["same", "same", "other"], ids=["1", "2", "3"])
        found = store.max_marginal_relevance_search("same", k=2, lambda_mult=0.1)
        assert {document.page_content for document in found} == {"same", "other"}


def test_scores_of_relevance_lie_between_nothing_and_one(db: str) -> None:
    with opened(db) as store:
        store.add_texts(["one", "two"])
        ((best, score), *_) = store.similarity_search_with_relevance_scores("one")
        assert best.page_content == "one"
        assert score == pytest.approx(1.0, abs=1e-3)


def test_a_retriever_says_where_its_passages_stand(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text(NOTE, encoding="utf-8")
    with Sourcebook(tmp_path / "base.db") as book:
        book.add(tmp_path / "note.md")
    retriever = SourcebookRetriever(path=str(tmp_path / "base.db"), k=1)
    (found,) = retriever.invoke("When do I prune raspberries?")
    retriever.close()
    assert found.metadata["source"].endswith("note.md")
    assert found.metadata["title"] == "Raspberries"
