"""Vectors that were paid for, remembered in a file of their own: it may be deleted at any time, and costs only what it
saved. The file is no part of a base, so that it works beside a base of any kind and never enters a backup."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, TypeVar

import anyio.to_thread
import numpy as np

from sourcebook.errors import NotASourcebook, SourcebookError
from sourcebook.storage.queries import Queries, parse
from sourcebook.storage.sqlite import base_files, driver
from sourcebook.storage.temporary_folders import make_private_folder

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from sourcebook.storage.sqlite.driver import Connection

T = TypeVar("T")

_BUSY_TIMEOUT = 2.0
_STORED = np.dtype("<f2")
_SHARE_FORGOTTEN = 0.1


@cache
def read_queries() -> Queries:
    return Queries(
        parse((files("sourcebook.storage.sqlite") / "embedding_cache.sql").read_text(encoding="utf-8"))
    )


class SqliteEmbeddingCache:
    """A cache in a file that several processes may use at once.

    When it holds more than it may, the oldest go. Whatever is wrong with the file, the work goes on without it.
    """

    def __init__(self, path: Path, *, most_bytes: int) -> None:
        self._path = path
        self._most_bytes = most_bytes
        self._complained = False

    async def get(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        found = await self._attempt(partial(_read, keys))
        return found or {}

    async def put(self, vectors: Mapping[bytes, NDArray[np.float32]]) -> None:
        rows = [
            {"key": key.hex(), "vector": vector.astype(_STORED).tobytes()} for key, vector in vectors.items()
        ]
        await self._attempt(partial(_write, rows, self._most_bytes))

    async def close(self) -> None:
        """Nothing is held open between two calls."""

    async def _attempt(self, work: Callable[[Connection], T]) -> T | None:
        try:
            return await anyio.to_thread.run_sync(self._on_connection, work)
        except (SourcebookError, OSError) as error:
            if not self._complained:
                logging.getLogger(__name__).warning(
                    "The cache of embeddings %s cannot be used: %s Continuing without it.",
                    self._path,
                    error,
                )
            self._complained = True
            return None

    def _on_connection(self, work: Callable[[Connection], T]) -> T:
        make_private_folder(self._path.parent)
        base_files.make_base_file(self._path)
        with driver.translated():
            connection = driver.connect(self._path, busy_timeout=_BUSY_TIMEOUT)
            try:
                if driver.run(connection, read_queries()["tables_of_others"].sql, {}):
                    raise NotASourcebook("It is a database of something else.")
                # Larger pages waste less on vectors; losing the last of them with the power does no harm.
                connection.execute("pragma page_size = 32768")
                connection.execute("pragma synchronous = normal")
                driver.use_write_ahead_log(connection)
                connection.execute(read_queries()["make_embeddings"].sql)
                return work(connection)
            finally:
                connection.close()


def _read(keys: Sequence[bytes], connection: Connection) -> dict[bytes, NDArray[np.float32]]:
    sql = read_queries()["remembered_embeddings"].sql
    rows = driver.run(connection, sql, {"keys": [key.hex() for key in keys]})
    return {
        bytes.fromhex(row["key"]): np.frombuffer(row["vector"], dtype=_STORED).astype(np.float32)
        for row in rows
    }


def _write(rows: Sequence[Mapping[str, object]], most_bytes: int, connection: Connection) -> None:
    queries = read_queries()
    connection.execute("begin immediate")
    driver.change_many(connection, queries["remember_embedding"].sql, rows)
    [held] = driver.run(connection, queries["embeddings_held"].sql, {})
    if held["pages"] * held["page_size"] > most_bytes:
        oldest = max(len(rows), int(held["rows"] * _SHARE_FORGOTTEN))
        driver.change(connection, queries["forget_oldest_embeddings"].sql, {"count": oldest})
    connection.execute("commit")
