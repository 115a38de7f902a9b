"""A base on a server as the source or the target of a copy. Rows go in by COPY, a page at a time."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sourcebook.errors import Conflict
from sourcebook.storage.index import bm25, vector_encoding
from sourcebook.storage.maintenance.base_copy import MARK, CopySource, Shape, Values
from sourcebook.storage.postgres import bulk_copy, driver
from sourcebook.storage.postgres.database import UNLIMITED, PostgresExecutor
from sourcebook.storage.postgres.filter_facts import facts_of_document
from sourcebook.storage.queries import Statement

if TYPE_CHECKING:
    from sourcebook.storage.postgres.database import PostgresDatabase
    from sourcebook.storage.postgres.driver import Connection

# What only this database has: made here of the rest, and not part of what travels.
_MADE = {
    "documents": ("facts",),
    "document_chunks": ("own_facts", "facts"),
    "vectors": ("wide_vector",),
    "words": ("place",),
}
_TURNED_AROUND = "postings"
_DOCUMENTS_AT_ONCE = 200


class PostgresCopyEnd:
    """Both `CopySource` and `CopyTarget`. Statements are made of the names that the schema declares."""

    def __init__(self, database: PostgresDatabase, connection: Connection) -> None:
        self._database = database
        self._connection = connection
        self._base = PostgresExecutor(connection, database.queries)
        self._metrics: dict[str, str] = {}
        self._last_place: tuple[tuple[str, str], int] = (("", ""), 0)

    async def hold(self) -> None:
        with driver.translated():
            await self._connection.transaction(isolation="repeatable_read", readonly=True).start()

    async def facts(self) -> dict[str, str]:
        return {row["key"]: row["value"] for row in await self._base.fetch("base_info")}

    async def last_change(self) -> int:
        [row] = await self._base.fetch("last_change")
        return int(row["seq"])

    async def shapes(self) -> list[Shape]:
        rows = await self._base.fetch("copy_shapes")
        return [
            Shape(row["name"], _shared(row["name"], row["columns"]), tuple(row["key"]))
            for row in rows
            if row["name"] != _TURNED_AROUND
        ]

    async def count(self, shape: Shape) -> int:
        statement = _statement(f'select count(*) from "{shape.name}"')  # noqa: S608 - a name of our own
        return int(await self._connection.fetchval(statement.sql))

    async def page(self, shape: Shape, after: Sequence[object] | None, limit: int) -> list[Values]:
        statement = _page_statement(shape, is_first=after is None)
        with driver.translated():
            found = await self._connection.fetch(statement.sql, *(after or ()), limit)
        return [dict(row) for row in driver.rows(found)]

    async def mark(self) -> str | None:
        row = await self._base.fetch_one("info", key=MARK)
        return None if row is None else str(row["value"])

    async def begin(self, mark: str) -> None:
        row = await self._base.fetch_one("base_is_empty")
        if row is None or not row["is_empty"]:
            raise Conflict("The target base is not empty", hint="Choose a database without a base in it.")
        async with self._written(mark):
            await self._base.execute("delete_all_users")

    async def put(self, shape: Shape, rows: Sequence[Values], mark: str) -> None:
        completed = await self._completed(shape, rows)
        columns = (*shape.columns, *_MADE.get(shape.name, ()))
        records = [[row[column] for column in columns] for row in completed]
        async with self._written(mark):
            sent = bulk_copy.while_open(self._connection, records)
            await self._connection.copy_records_to_table(shape.name, records=sent, columns=columns)

    async def finish(self, facts: Mapping[str, str]) -> None:
        """Turn the words around, let the numbers go on behind the last ones, and count for the planner."""
        await self._base.execute("drop_all_postings")
        after = {"after_collection": "", "after_document": ""}
        while rows := await self._base.fetch("copied_documents", **after, limit=_DOCUMENTS_AT_ONCE):
            last = rows[-1]
            after = {"after_collection": last["collection_id"], "after_document": last["document_id"]}
            for collection_id in sorted({row["collection_id"] for row in rows}):
                ids = [row["document_id"] for row in rows if row["collection_id"] == collection_id]
                await self._base.execute("write_postings", collection_id=collection_id, document_ids=ids)
        for row in await self._base.fetch("numbers_to_continue"):
            with driver.translated():
                await self._connection.execute(str(row["statement"]))
        for key, value in facts.items():
            await self._base.execute("put_info", key=key, value=value)
        await self._base.execute("forget_info", key=MARK)
        await self._base.execute("count_for_the_planner")

    @asynccontextmanager
    async def reading(self) -> AsyncGenerator[CopySource, None]:
        async with postgres_copy_end(self._database) as end:
            yield end

    @asynccontextmanager
    async def _written(self, mark: str) -> AsyncGenerator[None, None]:
        """All of it and the mark, or nothing."""
        transaction = self._connection.transaction(isolation="read_committed")
        with driver.translated():
            await transaction.start()
            try:
                yield
                await self._base.execute("put_info", key=MARK, value=mark)
            except BaseException:
                await transaction.rollback()
                raise
            await transaction.commit()

    async def _completed(self, shape: Shape, rows: Sequence[Values]) -> list[Values]:
        """The rows with what only this database has."""
        match shape.name:
            case "documents":
                return [{**row, "facts": facts_of_document(row["metadata"])} for row in rows]
            case "document_chunks":
                return [dict(row) for row in await bulk_copy.with_facts(self._base, rows)]
            case "vectors":
                return [await self._with_vector(row) for row in rows]
            case "words":
                return [await self._with_place(row) for row in rows]
            case "document_words":
                return [_with_arrays(row) for row in rows]
            case _:
                return list(rows)

    async def _with_vector(self, row: Values) -> Values:
        if not self._metrics:
            found = await self._base.fetch("collection_metrics")
            self._metrics = {r["id"]: r["distance_metric"] for r in found}
        stored = bytes(row["vector"])
        if self._metrics[row["collection_id"]] == "cosine":
            return {**row, "vector": vector_encoding.Halves(stored), "wide_vector": None}
        return {**row, "vector": None, "wide_vector": vector_encoding.Singles(stored)}

    async def _with_place(self, row: Values) -> Values:
        """Rows come document by document, so their number is known from the one before; but for the first of a page."""
        document = (row["collection_id"], row["document_id"])
        before, place = self._last_place
        if before != document:
            row_before = await self._base.fetch_one(
                "last_place", collection_id=document[0], document_id=document[1]
            )
            place = row_before["place"] if row_before else 0
        self._last_place = (document, place + 1)
        return {**_with_arrays(row), "place": place + 1}


@asynccontextmanager
async def postgres_copy_end(database: PostgresDatabase) -> AsyncGenerator[PostgresCopyEnd, None]:
    async with database.apart(UNLIMITED) as connection:
        with driver.translated():
            await driver.know_vectors(connection)
        yield PostgresCopyEnd(database, connection)


def _shared(table: str, columns: Sequence[str]) -> tuple[str, ...]:
    return tuple(column for column in columns if column not in _MADE.get(table, ()))


def _page_statement(shape: Shape, *, is_first: bool) -> Statement:
    key = ", ".join(f'"{column}"' for column in shape.key)
    numbers = [f"${number}" for number in range(1, len(shape.key) + 1)]
    behind = "" if is_first else f"where ({key}) > ({', '.join(numbers)})"
    limit = 1 if is_first else len(shape.key) + 1
    columns = ", ".join(_column(shape, column) for column in shape.columns)
    return _statement(
        f'select {columns} from "{shape.name}" {behind} order by {key} limit ${limit}'  # noqa: S608 - names of our own
    )


def _column(shape: Shape, column: str) -> str:
    if (shape.name, column) == ("vectors", "vector"):
        return "coalesce(halfvec_send(vector), vector_send(wide_vector)) as packed_vector"
    return f'"{column}"'


def _with_arrays(row: Values) -> Values:
    return {
        **row,
        "term_ids": bm25.decode_ids(row["term_ids"]).tolist(),
        "frequencies": bm25.decode_frequencies(row["frequencies"]).tolist(),
    }


def _statement(sql: str) -> Statement:
    return Statement("copy", (), sql)
