"""Bases as the fault tests use them: opened, filled, looked at from outside."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

import anyio
import apsw

from sourcebook.assembly import make_stores
from sourcebook.storage.maintenance.base_checksum import base_checksum
from sourcebook.storage.maintenance.doctor import examine
from sourcebook.storage.sqlite.database import SqliteDatabase
from sourcebook.storage.sqlite.engine.vector_engine import SqliteVectorEngine
from sourcebook.storage.sqlite.engine.word_engine import SqliteWordEngine
from sourcebook.testing.crash import embedding_model, prepared_document, vector_of, word_of
from sourcebook.testing.fakes import FixedClock

if TYPE_CHECKING:
    from sourcebook.model.documents import PreparedDocument, WriteReport
    from sourcebook.ports.storage import PassageSearch
    from sourcebook.ports.stores import Stores
    from sourcebook.storage.database import Database
    from sourcebook.storage.sqlite.driver import Connection

COLLECTION = "default"


@dataclass(frozen=True, slots=True)
class Base:
    file: SqliteDatabase
    database: Database
    stores: Stores
    clock: FixedClock

    async def write(self, prepared: PreparedDocument) -> WriteReport:
        """Write the document in the place of whatever the base holds of it."""
        held = await self.stores.library.get_document(COLLECTION, prepared.document.id)
        expected = held.file_hash if held else None
        return await self.stores.writer.replace_document(
            COLLECTION, replace(prepared, expected_hash=expected)
        )

    async def remove(self, number: int) -> bool:
        return await self.stores.writer.remove_document(COLLECTION, id_of(number))

    async def digest(self) -> str:
        return await base_checksum(self.database)

    async def faults(self) -> list[str]:
        """What the examination finds wrong with the base: the application's rules, not only the file's."""
        return [finding.message for finding in (await examine(self.database, {})).findings]

    async def folder(self) -> dict[int, int]:
        """The revision of each document by its number. Each must have exactly the chunks that belong to it."""
        found: dict[int, int] = {}
        for document in await self.stores.library.list_documents(COLLECTION):
            number, revision = (cast("int", document.metadata[key]) for key in ("number", "revision"))
            held = await self.stores.vectors.get_by_document(COLLECTION, document.id)
            expected = prepared_document(number, revision).chunks
            assert [c.chunk.id for c in held] == [c.chunk.id for c in expected]
            assert [c.chunk.content for c in held] == [c.chunk.content for c in expected]
            assert all(c.embedding is not None for c in held)
            found[number] = revision
        return found

    async def findable(self, number: int, question: str | None = None) -> dict[str, set[str]]:
        """The chunks of a document that each way of searching finds now."""
        passages = cast("PassageSearch", self.stores.vectors)
        query = vector_of(question or word_of(number))
        document = id_of(number)
        by_words = await self.stores.fts.search(COLLECTION, question or word_of(number), 1000)
        by_chunks = await self.stores.vectors.search_semantic(COLLECTION, query, 1000)
        by_passages = await passages.search_passages(COLLECTION, query, 1000)
        return {
            "words": {r.chunk_id for r in by_words},
            "vectors": {r.chunk.id for r in by_chunks if r.chunk.document_id == document},
            "passages": {r.chunk.id for r in by_passages if r.chunk.document_id == document},
        }


def wrapped(file: SqliteDatabase, clock: FixedClock | None = None, writes_to: Database | None = None) -> Base:
    """The base of a file. What it writes may go through another door."""
    clock = clock or FixedClock()
    database = writes_to or file
    stores = make_stores(database, SqliteVectorEngine(file), SqliteWordEngine(file), clock)
    return Base(file, database, stores, clock)


@asynccontextmanager
async def opened(
    path: Path, *, busy_timeout: float = 30.0, vfs: str | None = None, clock: FixedClock | None = None
) -> AsyncGenerator[Base]:
    """The base with its collection, made if need be."""
    database = await SqliteDatabase.open(path, busy_timeout=busy_timeout, vfs=vfs)
    try:
        base = wrapped(database, clock)
        await base.stores.library.open_collection(COLLECTION, embedding_model())
        yield base
    finally:
        await database.close()


async def bring_to(base: Base, folder: Mapping[int, int]) -> AsyncGenerator[int]:
    """Make the base hold exactly this folder (number → revision), and name each document when it is done."""
    held = await base.folder()
    for number in sorted(held.keys() | folder.keys()):
        if number not in folder:
            await base.remove(number)
        elif held.get(number) != folder[number]:
            await base.write(prepared_document(number, folder[number]))
        else:
            continue
        yield number


async def digest_of(path: Path, folder: Mapping[int, int]) -> str:
    """The digest of a base into which this folder was written without a disturbance."""
    async with opened(path) as base:
        async for _ in bring_to(base, folder):
            pass
        return await base.digest()


def filled(path: Path, folder: Mapping[int, int]) -> str:
    """Make a base of this folder, and say its digest."""
    return anyio.run(digest_of, path, folder)


def id_of(number: int) -> str:
    return prepared_document(number).document.id


def expected_findable(number: int, revision: int) -> dict[str, set[str]]:
    chunks = [c.chunk for c in prepared_document(number, revision).chunks]
    passages = {c.id for c in chunks if c.parent_id is None}
    return {"words": passages, "vectors": {c.id for c in chunks}, "passages": passages}


def plain_connection(path: Path, flags: int) -> Connection:
    """A connection as another program would open it."""
    return cast("Connection", apsw.Connection(str(path), flags=flags))


def names_in(folder: Path, pattern: str = "*") -> list[str]:
    return sorted(entry.name for entry in folder.glob(pattern))


def rows_of(path: Path, *, skip: frozenset[str] = frozenset()) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table, read by a connection that knows nothing of Sourcebook."""
    connection = plain_connection(path, apsw.SQLITE_OPEN_READONLY)
    try:
        names = connection.execute("select name from sqlite_schema where type = 'table' order by name")
        tables = [str(name) for (name,) in names.fetchall()]
        return {
            table: sorted(connection.execute(f'select * from "{table}"').fetchall(), key=repr)  # noqa: S608
            for table in tables
            if table not in skip
        }
    finally:
        connection.close()
