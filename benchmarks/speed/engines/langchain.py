"""LangChain's default store: `InMemoryVectorStore`, dumped to a file and loaded from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.speed.engine import Equal, Question, VectorBlock, Where

FILE = "store.json"


class _Prepared:
    """The embeddings that a store asks for: the vectors of the next block."""

    def __init__(self) -> None:
        self.vectors: list[list[float]] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self.vectors

    def embed_query(self, text: str) -> list[float]:
        raise NotImplementedError("questions come as vectors")


class LangChainVectors:
    def __init__(self) -> None:
        self._kind = import_module("langchain_core.vectorstores").InMemoryVectorStore
        self._document = import_module("langchain_core.documents").Document
        self._store: Any = None

    async def build(self, folder: Path, blocks: Iterable[VectorBlock]) -> None:
        embeddings = _Prepared()
        store = self._kind(embeddings)
        for block in blocks:
            rows = zip(block.numbers, block.tags, block.years, block.langs, strict=True)
            embeddings.vectors = block.vectors.tolist()
            store.add_documents(
                [
                    self._document(
                        f"entry {number}", id=str(number), metadata={"tag": tag, "year": year, "lang": lang}
                    )
                    for number, tag, year, lang in rows
                ]
            )
        store.dump(str(folder / FILE))

    async def open(self, folder: Path) -> None:
        self._store = self._kind.load(str(folder / FILE), _Prepared())

    async def search(self, question: Question, k: int) -> list[int]:
        found = self._store.similarity_search_with_score_by_vector(
            question.point.tolist(), k=k, filter=_filter(question.where)
        )
        return [int(document.id) for document, _ in found]

    async def close(self) -> None:
        self._store = None


def _filter(where: Where) -> Callable[[Any], bool] | None:
    """Its filters are functions of a document."""
    if not where:
        return None

    def holds(document: Any) -> bool:
        return all(
            document.metadata[each.field] == each.value
            if isinstance(each, Equal)
            else each.low <= document.metadata[each.field] <= each.high
            for each in where
        )

    return holds
