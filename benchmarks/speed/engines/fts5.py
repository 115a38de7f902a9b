"""SQLite's own FTS5: any of the words, ranked by its BM25."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from benchmarks.speed.engine import DocumentBlock, Question

_PRAGMAS = "pragma journal_mode = wal; pragma mmap_size = 8000000000; pragma cache_size = -200000"


class Fts5Words:
    def __init__(self) -> None:
        self._apsw = import_module("apsw")
        self._connection: Any = None

    async def build(self, folder: Path, blocks: Iterable[DocumentBlock]) -> None:
        await self.open(folder)
        connection = self._connection
        connection.execute("create virtual table passages using fts5 (text, tokenize = 'porter unicode61')")
        with connection:
            for block in blocks:
                rows = [(passage.number, passage.text) for passage in block.passages]
                connection.executemany("insert into passages (rowid, text) values (?, ?)", rows)
        connection.execute("insert into passages (passages) values ('optimize')")
        await self.close()

    async def open(self, folder: Path) -> None:
        self._connection = self._apsw.Connection(str(folder / "passages.db"))
        self._connection.execute(_PRAGMAS)

    async def search(self, question: Question, k: int) -> list[int]:
        wanted = " OR ".join(f'"{word}"' for word in question.text.split())
        sql = "select rowid from passages where passages match ? order by rank limit ?"
        return [row[0] for row in self._connection.execute(sql, (wanted, k))]

    async def close(self) -> None:
        self._connection.close()
