"""sqlite-vec: a vec0 table whose tag is a metadata column or the key of its partitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.speed.engine import Equal, Question, Range, VectorBlock

_PRAGMAS = "pragma journal_mode = wal; pragma mmap_size = 8000000000; pragma cache_size = -200000"


class SqliteVecVectors:
    """`tag` is how vec0 keeps that column: metadata or partition."""

    def __init__(self, tag: str) -> None:
        self._extension: str = import_module("sqlite_vec").loadable_path()
        self._tag = {"metadata": "tag text", "partition": "tag text partition key"}[tag]
        self._apsw = import_module("apsw")
        self._connection: Any = None

    async def build(self, folder: Path, blocks: Iterable[VectorBlock]) -> None:
        await self.open(folder)
        connection = self._connection
        with connection:
            for block in blocks:
                if block.first == 0:
                    connection.execute(self._table(block.vectors.shape[1]))
                connection.executemany(
                    "insert into entries (id, tag, year, lang, vector) values (?, ?, ?, ?, ?)", _rows(block)
                )
        await self.close()

    def _table(self, dimensions: int) -> str:
        columns = f"id integer primary key, {self._tag}, year integer, lang text"
        return (
            f"create virtual table entries using vec0({columns}, "
            f"vector float[{dimensions}] distance_metric=cosine)"
        )

    async def open(self, folder: Path) -> None:
        self._connection = self._apsw.Connection(str(folder / "entries.db"))
        self._connection.enable_load_extension(True)
        self._connection.load_extension(self._extension)
        self._connection.execute(_PRAGMAS)

    async def search(self, question: Question, k: int) -> list[int]:
        sql = "select id, tag, year, lang, distance from entries where vector match ? and k = ?"
        values: list[Any] = [question.point.tobytes(), k]
        for condition in question.where:
            match condition:
                case Equal(field, value):
                    sql += f" and {field} = ?"
                    values.append(value)
                case Range(field, low, high):
                    sql += f" and {field} >= ? and {field} <= ?"
                    values += [low, high]
        return [row[0] for row in self._connection.execute(sql, values)]

    async def close(self) -> None:
        self._connection.close()


def _rows(block: VectorBlock) -> Iterator[tuple[int, str, int, str, bytes]]:
    for place, number in enumerate(block.numbers):
        yield (
            number,
            block.tags[place],
            block.years[place],
            block.langs[place],
            block.vectors[place].tobytes(),
        )
