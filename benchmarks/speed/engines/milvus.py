"""Milvus Lite in the process itself: faster than through its own server, and nothing listens on a port."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.speed.engine import Condition, Equal, Question, Range, VectorBlock

COLLECTION = "entries"


class MilvusVectors:
    """`index` is HNSW or BRUTE_FORCE."""

    def __init__(self, index: str) -> None:
        self._milvus = import_module("milvus_lite")
        self._kind = index
        self._database: Any = None
        self._collection: Any = None

    async def build(self, folder: Path, blocks: Iterable[VectorBlock]) -> None:
        self._database = self._milvus.MilvusLite(str(folder))
        collection: Any = None
        for block in blocks:
            if collection is None:
                schema = self._schema(block.vectors.shape[1])
                collection = self._database.create_collection(COLLECTION, schema)
            rows = zip(
                block.numbers, block.tags, block.years, block.langs, block.vectors.tolist(), strict=True
            )
            collection.insert(
                [{"id": i, "tag": t, "year": y, "lang": lang, "vector": v} for i, t, y, lang, v in rows]
            )
        collection.flush()
        params = {"M": 16, "efConstruction": 128} if self._kind == "HNSW" else {}
        collection.create_index(
            "vector", {"index_type": self._kind, "metric_type": "COSINE", "params": params}
        )
        collection.load()
        self._database.close()

    def _schema(self, dimensions: int) -> Any:
        field, kinds = self._milvus.FieldSchema, self._milvus.DataType
        return self._milvus.CollectionSchema(
            fields=[
                field(name="id", dtype=kinds.INT64, is_primary=True),
                field(name="tag", dtype=kinds.VARCHAR, max_length=16),
                field(name="year", dtype=kinds.INT64),
                field(name="lang", dtype=kinds.VARCHAR, max_length=8),
                field(name="vector", dtype=kinds.FLOAT_VECTOR, dim=dimensions),
            ]
        )

    async def open(self, folder: Path) -> None:
        self._database = self._milvus.MilvusLite(str(folder))
        self._collection = self._database.get_collection(COLLECTION)
        self._collection.load()

    async def search(self, question: Question, k: int) -> list[int]:
        found = self._collection.search(
            [question.point.tolist()],
            top_k=k,
            metric_type="COSINE",
            expr=" and ".join(map(_condition, question.where)) or None,
            output_fields=["id", "tag", "year", "lang"],
            search_params={"ef": 100},
        )
        return [hit["id"] for hit in found[0]]

    async def close(self) -> None:
        self._database.close()


def _condition(condition: Condition) -> str:
    match condition:
        case Equal(field, value):
            return f'{field} == "{value}"'
        case Range(field, low, high):
            return f"{field} >= {low} and {field} <= {high}"
