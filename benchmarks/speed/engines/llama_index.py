"""LlamaIndex's default store: `SimpleVectorStore`, in memory, persisted to a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.speed.engine import Equal, Question, VectorBlock, Where

FILE = "store.json"


class LlamaIndexVectors:
    def __init__(self) -> None:
        self._kind = import_module("llama_index.core.vector_stores").SimpleVectorStore
        self._node = import_module("llama_index.core.schema").TextNode
        self._types = import_module("llama_index.core.vector_stores.types")
        self._store: Any = None

    async def build(self, folder: Path, blocks: Iterable[VectorBlock]) -> None:
        store = self._kind()
        for block in blocks:
            store.add(list(self._nodes(block)))
        store.persist(str(folder / FILE))

    def _nodes(self, block: VectorBlock) -> Iterator[Any]:
        rows = zip(block.numbers, block.tags, block.years, block.langs, block.vectors.tolist(), strict=True)
        for number, tag, year, lang, vector in rows:
            metadata = {"tag": tag, "year": year, "lang": lang}
            yield self._node(text=f"entry {number}", id_=str(number), embedding=vector, metadata=metadata)

    async def open(self, folder: Path) -> None:
        self._store = self._kind.from_persist_path(str(folder / FILE))

    async def search(self, question: Question, k: int) -> list[int]:
        asked = self._types.VectorStoreQuery(
            query_embedding=question.point.tolist(), similarity_top_k=k, filters=self._filters(question.where)
        )
        return [int(number) for number in self._store.query(asked).ids]

    def _filters(self, where: Where) -> Any:
        made = self._types.MetadataFilter
        found: list[Any] = []
        for each in where:
            if isinstance(each, Equal):
                found.append(made(key=each.field, value=each.value))
            else:
                found.append(made(key=each.field, value=each.low, operator=">="))
                found.append(made(key=each.field, value=each.high, operator="<="))
        return self._types.MetadataFilters(filters=found) if found else None

    async def close(self) -> None:
        self._store = None
