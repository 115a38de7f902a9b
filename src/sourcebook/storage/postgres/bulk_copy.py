"""Many rows of one table at once, by COPY: what an INSERT for each of them would write, several times as fast."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from sourcebook.storage.index import vector_encoding
from sourcebook.storage.postgres import driver
from sourcebook.storage.postgres.filter_facts import facts_of_chunk

if TYPE_CHECKING:
    from sourcebook.storage.database import Executor
    from sourcebook.storage.postgres.driver import Connection

FEWEST = 8
"""Fewer rows than these are not worth the two questions that a COPY costs."""

# The statements that insert one row, with the table and the parameter for each of its columns.
TABLES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "insert_chunk_id": (
        "chunk_ids",
        {"collection_id": "collection_id", "chunk_id": "chunk_id", "document_id": "document_id"},
    ),
    "insert_chunk": (
        "document_chunks",
        {
            **{
                name: name
                for name in ("collection_id", "document_id", "chunk_index", "content", "start_index")
            },
            **{name: name for name in ("end_index", "token_count", "level", "parent_id", "section")},
            **{name: name for name in ("page_number", "metadata", "own_facts", "facts")},
            "id": "chunk_id",
            "created_at": "now",
        },
    ),
    "insert_vector": (
        "vectors",
        {
            **{name: name for name in ("collection_id", "document_id", "chunk_id", "model_id")},
            **{name: name for name in ("vector", "wide_vector")},
        },
    ),
}


async def copy(
    connection: Connection, base: Executor, name: str, rows: Sequence[Mapping[str, object]]
) -> None:
    """Write the rows of a statement of `TABLES`."""
    table, columns = TABLES[name]
    if name == "insert_chunk":
        rows = await with_facts(base, rows)
    elif name == "insert_vector":
        rows = [_with_both_kinds(row) for row in rows]
    with driver.in_use():
        await connection.copy_records_to_table(
            table,
            records=while_open(connection, ([row[name] for name in columns.values()] for row in rows)),
            columns=list(columns),
        )


def while_open(connection: Connection, records: Iterable[Sequence[object]]) -> Generator[Sequence[object]]:
    """The records until the connection is lost. The driver then says so, and once, instead of for each that is left."""
    for record in records:
        if driver.is_closed(connection):
            return
        yield record


async def with_facts(base: Executor, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, object]]:
    """Rows of chunks with what filters see of them, made of them and of their documents."""
    keys = sorted({(str(row["collection_id"]), str(row["document_id"])) for row in rows})
    found = await base.fetch(
        "facts_of_documents",
        collection_ids=[collection for collection, _ in keys],
        document_ids=[document for _, document in keys],
    )
    known = {(r["collection_id"], r["id"]): (json.loads(r["named"]), json.loads(r["facts"])) for r in found}
    return [_with_own_facts(row, *known[row["collection_id"], row["document_id"]]) for row in rows]


def _with_own_facts(
    row: Mapping[str, Any], named: Mapping[str, Any], of_document: Mapping[str, Any]
) -> dict[str, Any]:
    """As `refresh_facts` makes them: the named columns, over them the document's metadata, over that the chunk's."""
    own = facts_of_chunk(row["metadata"])
    columns = {**named, "page": {"n": row["page_number"]}, "section": {"t": row["section"]}}
    present = {
        name: {kind: value for kind, value in cast("dict[str, object]", held).items() if value is not None}
        for name, held in columns.items()
    }
    facts = {**present, **of_document, **json.loads(own)}
    return {**row, "own_facts": own, "facts": json.dumps(facts, ensure_ascii=False)}


def _with_both_kinds(row: Mapping[str, object]) -> Mapping[str, object]:
    is_half = isinstance(row["vector"], vector_encoding.Halves)
    return {
        **row,
        "vector": row["vector"] if is_half else None,
        "wide_vector": None if is_half else row["vector"],
    }
