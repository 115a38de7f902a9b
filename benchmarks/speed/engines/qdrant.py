"""Qdrant without a server: the client's local mode, and the edge library."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.speed.engine import Equal, Question, Range, VectorBlock, Where

COLLECTION = "entries"


class QdrantLocalVectors:
    def __init__(self) -> None:
        self._qdrant = import_module("qdrant_client")
        self._models = import_module("qdrant_client.models")
        self._client: Any = None

    async def build(self, folder: Path, blocks: Iterable[VectorBlock]) -> None:
        await self.open(folder)
        models = self._models
        for block in blocks:
            if block.first == 0:
                shape = models.VectorParams(size=block.vectors.shape[1], distance=models.Distance.COSINE)
                self._client.create_collection(COLLECTION, vectors_config=shape)
            batch = models.Batch(
                ids=list(block.numbers), vectors=block.vectors.tolist(), payloads=_payloads(block)
            )
            self._client.upsert(COLLECTION, batch)
        await self.close()

    async def open(self, folder: Path) -> None:
        self._client = self._qdrant.QdrantClient(path=str(folder))

    async def search(self, question: Question, k: int) -> list[int]:
        found = self._client.query_points(
            COLLECTION,
            query=question.point,
            limit=k,
            query_filter=self._filter(question.where),
            with_payload=True,
        )
        return [point.id for point in found.points]

    async def close(self) -> None:
        self._client.close()

    def _filter(self, where: Where) -> Any:
        models = self._models
        conditions: list[Any] = []
        for condition in where:
            match condition:
                case Equal(field, value):
                    conditions.append(models.FieldCondition(key=field, match=models.MatchValue(value=value)))
                case Range(field, low, high):
                    conditions.append(models.FieldCondition(key=field, range=models.Range(gte=low, lte=high)))
        return models.Filter(must=conditions) if conditions else None


class QdrantEdgeVectors:
    """`ef` is how widely its graph is searched; None leaves that to the library."""

    def __init__(self, ef: int | None = None) -> None:
        self._edge = import_module("qdrant_edge")
        self._params = None if ef is None else self._edge.SearchParams(hnsw_ef=ef)
        self._shard: Any = None

    async def build(self, folder: Path, blocks: Iterable[VectorBlock]) -> None:
        edge = self._edge
        shard: Any = None
        for block in blocks:
            if shard is None:
                shard = self._create(folder, block.vectors.shape[1])
            rows = zip(block.numbers, block.vectors.tolist(), _payloads(block), strict=True)
            shard.update(edge.UpdateOperation.upsert_points([edge.Point(*row) for row in rows]))
        shard.optimize()
        shard.flush()
        shard.close()

    def _create(self, folder: Path, dimensions: int) -> Any:
        edge = self._edge
        vectors = edge.EdgeVectorParams(size=dimensions, distance=edge.Distance.Cosine)
        shard = edge.EdgeShard.create(str(folder), edge.EdgeConfig(vectors=vectors))
        kinds = edge.PayloadSchemaType
        for field, kind in (("tag", kinds.Keyword), ("lang", kinds.Keyword), ("year", kinds.Integer)):
            shard.update(edge.UpdateOperation.create_field_index(field, kind))
        return shard

    async def open(self, folder: Path) -> None:
        self._shard = self._edge.EdgeShard.load(str(folder))

    async def search(self, question: Question, k: int) -> list[int]:
        edge = self._edge
        request = edge.QueryRequest(
            limit=k,
            query=edge.Query.Nearest(question.point.tolist()),
            filter=self._filter(question.where),
            with_payload=True,
            params=self._params,
        )
        return [point.id for point in self._shard.query(request)]

    async def close(self) -> None:
        self._shard.close()

    def _filter(self, where: Where) -> Any:
        edge = self._edge
        conditions: list[Any] = []
        for condition in where:
            match condition:
                case Equal(field, value):
                    conditions.append(edge.FieldCondition(key=field, match=edge.MatchValue(value)))
                case Range(field, low, high):
                    conditions.append(
                        edge.FieldCondition(key=field, range=edge.RangeFloat(gte=low, lte=high))
                    )
        return edge.Filter(must=conditions) if conditions else None


def _payloads(block: VectorBlock) -> list[dict[str, Any]]:
    rows = zip(block.tags, block.years, block.langs, strict=True)
    return [{"tag": tag, "year": year, "lang": lang} for tag, year, lang in rows]
