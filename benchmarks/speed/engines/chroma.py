"""Chroma, embedded: a persistent client on a folder, with its default HNSW index."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.speed.engine import Condition, Equal, Question, Range, VectorBlock, Where


class ChromaVectors:
    """`ef` is how widely its graph is searched; None leaves that to the library."""

    def __init__(self, ef: int | None = None) -> None:
        self._ef = ef
        self._chroma = import_module("chromadb")
        self._settings = import_module("chromadb.config").Settings(anonymized_telemetry=False)
        self._collection: Any = None

    def _client(self, folder: Path) -> Any:
        return self._chroma.PersistentClient(str(folder), settings=self._settings)

    async def build(self, folder: Path, blocks: Iterable[VectorBlock]) -> None:
        # Without an embedding function it has no model to fetch.
        collection = self._client(folder).create_collection(
            "entries", embedding_function=None, configuration={"hnsw": {"space": "cosine"}}
        )
        for block in blocks:
            rows = zip(block.tags, block.years, block.langs, strict=True)
            collection.add(
                ids=[str(number) for number in block.numbers],
                embeddings=block.vectors,
                metadatas=[{"tag": tag, "year": year, "lang": lang} for tag, year, lang in rows],
            )

    async def open(self, folder: Path) -> None:
        self._collection = self._client(folder).get_collection("entries", embedding_function=None)
        if self._ef is not None:
            self._collection.modify(configuration={"hnsw": {"ef_search": self._ef}})

    async def search(self, question: Question, k: int) -> list[int]:
        found = self._collection.query(
            query_embeddings=[question.point],
            n_results=k,
            where=_where(question.where),
            include=["metadatas", "distances"],
        )
        return [int(number) for number in found["ids"][0]]

    async def close(self) -> None:
        self._collection = None


def _where(where: Where) -> dict[str, Any] | None:
    parts = [part for condition in where for part in _parts(condition)]
    return {"$and": parts} if len(parts) > 1 else parts[0] if parts else None


def _parts(condition: Condition) -> list[dict[str, Any]]:
    match condition:
        case Equal(field, value):
            return [{field: value}]
        case Range(field, low, high):
            return [{field: {"$gte": low}}, {field: {"$lte": high}}]
