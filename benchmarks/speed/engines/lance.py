"""LanceDB, through its async client: vectors, words, and both fused by reciprocal rank."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.engine import Condition, DocumentBlock, Equal, Question, Range, VectorBlock, Where

TABLE = "entries"
_ROWS_AT_ONCE = 10_000


class _Table:
    def __init__(self) -> None:
        self._lance = import_module("lancedb")
        self._index = import_module("lancedb.index")
        self._arrow = import_module("pyarrow")
        self._table: Any = None

    async def _create(self, folder: Path, batches: Iterator[Any]) -> Any:
        first = next(batches)

        def all_batches() -> Iterator[Any]:
            yield first
            yield from batches

        connection = await self._lance.connect_async(str(folder))
        return await connection.create_table(TABLE, data=all_batches(), schema=first.schema)

    async def open(self, folder: Path) -> None:
        self._table = await (await self._lance.connect_async(str(folder))).open_table(TABLE)

    async def close(self) -> None:
        self._table = None

    def _vectors(self, rows: Any) -> Any:
        flat = self._arrow.array(np.ascontiguousarray(rows).reshape(-1))
        return self._arrow.FixedSizeListArray.from_arrays(flat, rows.shape[1])

    async def _index_vectors(self, table: Any, index: str) -> None:
        configs = {"ivf-pq": self._index.IvfPq, "ivf-hnsw-sq": self._index.HnswSq}
        if index in configs:
            await table.create_index("vector", config=configs[index](distance_type="cosine"))

    async def _index_words(self, table: Any) -> None:
        await table.create_index("text", config=self._index.FTS(language="English", with_position=False))


class LanceVectors(_Table):
    """`index` is flat, ivf-pq or ivf-hnsw-sq; `refine` re-reads so many times k exact vectors, as its guide advises.

    `ef` is how widely a graph is searched; None leaves that to the library.
    """

    def __init__(self, index: str, refine: int | None = None, ef: int | None = None) -> None:
        super().__init__()
        self._kind = index
        self._refine = refine
        self._ef = ef

    async def build(self, folder: Path, blocks: Iterable[VectorBlock]) -> None:
        table = await self._create(folder, (self._batch(block) for block in blocks))
        await self._index_vectors(table, self._kind)
        for column, config in (("tag", "Bitmap"), ("lang", "Bitmap"), ("year", "BTree")):
            await table.create_index(column, config=getattr(self._index, config)())

    def _batch(self, block: VectorBlock) -> Any:
        columns = {
            "id": self._arrow.array(list(block.numbers)),
            "tag": self._arrow.array(list(block.tags)),
            "year": self._arrow.array(list(block.years)),
            "lang": self._arrow.array(list(block.langs)),
            "vector": self._vectors(block.vectors),
        }
        return self._arrow.RecordBatch.from_pydict(columns)

    async def search(self, question: Question, k: int) -> list[int]:
        query = self._table.query().nearest_to(question.point).distance_type("cosine").limit(k)
        if self._refine is not None:
            query = query.refine_factor(self._refine)
        if self._ef is not None:
            query = query.ef(self._ef)
        if question.where:
            query = query.where(_sql(question.where))
        return (await query.select(["id", "tag", "year", "lang", "_distance"]).to_arrow())["id"].to_pylist()


class LanceWords(_Table):
    async def build(self, folder: Path, blocks: Iterable[DocumentBlock]) -> None:
        await self._index_words(await self._create(folder, self._batches(blocks)))

    def _batches(self, blocks: Iterable[DocumentBlock]) -> Iterator[Any]:
        for rows in _in_pieces((p.number, p.text) for block in blocks for p in block.passages):
            numbers, texts = zip(*rows, strict=True)
            columns = {"id": self._arrow.array(numbers), "text": self._arrow.array(texts)}
            yield self._arrow.RecordBatch.from_pydict(columns)

    async def search(self, question: Question, k: int) -> list[int]:
        query = self._table.query().nearest_to_text(question.text, columns=["text"]).limit(k)
        return (await query.select(["id", "_score"]).to_arrow())["id"].to_pylist()


class LanceHybrid(_Table):
    """A row for every vector; the rows of passages have a text, those of children have none.

    `rows` is how many are asked for each wanted passage, since several may belong to one.
    """

    def __init__(self, index: str, rows: int = 1) -> None:
        super().__init__()
        self._kind = index
        self._rows = rows
        self._ranker = import_module("lancedb.rerankers").RRFReranker()

    async def build(self, folder: Path, blocks: Iterable[DocumentBlock]) -> None:
        table = await self._create(folder, self._batches(blocks))
        await self._index_words(table)
        await self._index_vectors(table, self._kind)

    def _batches(self, blocks: Iterable[DocumentBlock]) -> Iterator[Any]:
        for rows in _in_pieces(row for block in blocks for row in _rows(block)):
            numbers, texts, vectors = zip(*rows, strict=True)
            columns = {
                "id": self._arrow.array(numbers),
                "text": self._arrow.array(texts, self._arrow.string()),
                "vector": self._vectors(np.stack(vectors)),
            }
            yield self._arrow.RecordBatch.from_pydict(columns)

    async def search(self, question: Question, k: int) -> list[int]:
        query = (
            self._table.query()
            .nearest_to(question.point)
            .distance_type("cosine")
            .nearest_to_text(question.text, columns=["text"])
            .rerank(self._ranker)
            .limit(k * self._rows)
        )
        found = await query.select(["id", "text"]).to_arrow()
        return list(dict.fromkeys(found["id"].to_pylist()))[:k]


def _rows(block: DocumentBlock) -> Iterator[tuple[int, str | None, Any]]:
    for passage in block.passages:
        yield passage.number, passage.text, passage.vector
        for child in passage.children if passage.children is not None else ():
            yield passage.number, None, child


def _in_pieces(rows: Iterator[Any]) -> Iterator[Sequence[Any]]:
    piece: list[Any] = []
    for row in rows:
        piece.append(row)
        if len(piece) == _ROWS_AT_ONCE:
            yield piece
            piece = []
    if piece:
        yield piece


def _sql(where: Where) -> str:
    return " and ".join(map(_condition, where))


def _condition(condition: Condition) -> str:
    match condition:
        case Equal(field, value):
            return f"{field} = '{value}'"
        case Range(field, low, high):
            return f"{field} >= {low} and {field} <= {high}"
