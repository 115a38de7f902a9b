"""The other texts for Citus, beside those that search by vectors: what they read and what they write is the same.

`test_citus_texts.py` has those. A plain server runs each text and its stand-in on the same base, in transactions that
are rolled back. The base has something for every check to find and for every repair to mend.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import pytest
from tests import citus_cluster
from tests.contract import test_citus_texts as by_vectors

from sourcebook.assembly import OpenBase, open_base
from sourcebook.model.search import Equals
from sourcebook.settings import Settings
from sourcebook.storage.postgres import driver
from sourcebook.storage.postgres.database import PostgresDatabase, read_queries
from sourcebook.storage.postgres.filter_paths import compiled
from sourcebook.testing.contract.material import MODEL, make_collection, prepared

if TYPE_CHECKING:
    from sourcebook.storage.postgres.driver import Connection
    from sourcebook.storage.queries import Queries

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(bool(citus_cluster.addresses()), reason="the usual texts are refused there"),
]

USUAL, THEIRS = read_queries(), read_queries(on_citus=True)
# They ask Citus what it made of the tables, so only a cluster runs them.
OF_CITUS_ALONE = {"copy_shapes", "count_vectors", "numbers_to_continue"}
BY_VECTORS = {*by_vectors.PASSAGES, *by_vectors.GRAPHS} | {
    f"nearest_{way}" for way in ("of_all", "of_matching", "of_named", "by_graph", "by_bits")
}
OTHERS = sorted(
    {s.name for s in USUAL if s.sql != THEIRS[s.name].sql} - OF_CITUS_ALONE - BY_VECTORS,
)
PASSAGES = [
    "Raspberries fruit on canes. Canes are cut in autumn.",
    "Blueberries want acid soil. Sulphur helps.",
]
# Document, category, subcategory, language.
LABELS = [
    ("d", "Berries", "Raspberry", "en"),
    ("e", "Recipes", "raspberry", "ru"),
    ("f", "Tools", None, None),
    ("g", "tools", None, "en"),
    ("lost", "Berries", "Currant", "de"),
]
DAMAGE = """
set session_replication_role = replica;
insert into chunk_ids (collection_id, chunk_id, document_id) values ('c', 'zzz', 'd');
delete from chunk_ids where document_id = 'e';
insert into document_hashes (collection_id, file_hash, document_id) values ('c', 'zzz', 'd');
delete from document_hashes where document_id = 'f';
insert into document_paths (collection_id, source_id, path, document_id, seen_at)
    values ('c', 's', 'gone.txt', 'gone', 0);
insert into knowledge_base_sources (knowledge_base_id, position, collection_id, document_id, document_path, quote)
    values (7, 0, 'c', 'd', 'd.txt', ''), (7, 1, 'c', 'gone', 'gone.txt', '');
update collection_counters set chunk_count = chunk_count + 7, word_length = 0;
insert into vectors select collection_id, document_id, chunk_id, 99, vector, wide_vector from vectors
    where document_id = 'f';
delete from vectors
    where document_id = 'g' and chunk_id = (select min(id) from document_chunks where document_id = 'g');
insert into vectors select collection_id, document_id, 'stray', model_id, vector, wide_vector from vectors limit 1;
update document_chunks set facts = '{}' where document_id = 'd';
delete from documents where id = 'lost';
reset session_replication_role;
"""


@pytest.fixture
async def connection(postgres_db: str) -> AsyncGenerator[Connection]:
    """To a base that is filled, and then damaged in every way that is looked for."""
    base = await open_base(Settings(db=postgres_db))
    try:
        await _fill(base)
        async with cast("PostgresDatabase", base.database).apart() as connection:
            await connection.execute(DAMAGE)
            yield connection
    finally:
        await base.close()


async def _fill(base: OpenBase) -> None:
    await make_collection(base, model=MODEL)
    for number, (name, category, subcategory, language) in enumerate(LABELS):
        made = prepared(
            name, [*PASSAGES, f"This is number {number}."], language=language, metadata={"odd": number % 2}
        )
        document = replace(made.document, category=category, subcategory=subcategory)
        await base.stores.writer.replace_document("c", replace(made, document=document))


async def _given(connection: Connection) -> dict[str, object]:
    """A value for every parameter of these statements."""
    chunks = await connection.fetch("select id from document_chunks order by id")
    terms = [row["id"] for row in await connection.fetch("select id from terms order by term")]
    return {
        "collection_id": "c",
        "of_collection": "c",
        "document_id": "d",
        "document_ids": ["d", "e", "nowhere"],
        "chunk_ids": [row["id"] for row in chunks[::2]] + ["nowhere"],
        "places": [0, 1, 0],
        "file_hash": await connection.fetchval("select file_hash from documents where id = 'd'"),
        "model_id": await connection.fetchval("select active_model_id from collections"),
        "now": 5,
        "term_ids": terms,
        "chunk_idf": [0.1 * number for number in range(len(terms))],
        "document_idf": [0.3 * number for number in range(len(terms))],
        "chunk_length": 3.5,
        "document_length": 11.0,
        "k1": 1.2,
        "b": 0.75,
        "filter": compiled(Equals("odd", 1)).path,
        "limit": 7,
    }


async def _outcome(connection: Connection, queries: Queries, name: str) -> tuple[list[str], dict[str, str]]:
    """What a statement returns, and every table as it is afterwards."""
    given = await _given(connection)
    statement = driver.prepared(queries[name])
    transaction = connection.transaction(isolation="read_committed")
    await transaction.start()
    try:
        found = await connection.fetch(statement.sql, *statement.arguments(given))
        return [str(sorted(row.items())) for row in found], await _tables(connection)
    finally:
        await transaction.rollback()


async def _tables(connection: Connection) -> dict[str, str]:
    names = await connection.fetch(
        "select tablename::text as name from pg_tables where schemaname = current_schema()"
    )
    contents = "select coalesce(string_agg(t::text, '|' order by t::text), '') from {} t"
    return {row["name"]: await connection.fetchval(contents.format(row["name"])) for row in names}


async def test_both_texts_read_and_write_the_same(connection: Connection) -> None:
    """On one base, since what they write is rolled back."""
    before = await _tables(connection)
    for name in OTHERS:
        usual, tables = await _outcome(connection, USUAL, name)
        theirs, tables_of_theirs = await _outcome(connection, THEIRS, name)
        if "order by" not in USUAL[name].sql:
            usual, theirs = sorted(usual), sorted(theirs)
        assert usual == theirs, name
        assert tables == tables_of_theirs, name
        assert usual or tables != before, f"{name} had nothing to do"
        assert not name.startswith("check_") or "('count', 0)" not in usual[0], f"{name} had nothing to find"
