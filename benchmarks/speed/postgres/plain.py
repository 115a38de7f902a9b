"""What somebody would write by hand: one table, one graph, one statement.

Twice: the least that answers the question, and what a program needs that keeps several collections and hides documents,
with as many columns and made into the same results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from sourcebook.model.search import ScoreBreakdown, SearchResult
from sourcebook.storage.index.vector_encoding import Singles
from sourcebook.storage.postgres import driver
from sourcebook.storage.rows import chunk_from

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.storage.postgres.driver import Connection

TABLE = """
drop table if exists items;
create table items (
    id text primary key, document_path text, title text, content text, metadata jsonb, embedding halfvec({size}),
    collection_id text not null default 'c', model_id bigint not null default 1,
    is_active boolean not null default true, chunk_index bigint not null default 0,
    start_index bigint not null default 0, end_index bigint not null default 480,
    token_count bigint not null default 0, level text not null default 'PARENT', parent_id text, section text,
    page_number bigint, created_at bigint not null default 1
);
alter table items alter column embedding set storage plain
"""
INDEXES = {
    "exact": "select 1",
    "hnsw": "create index items_graph on items using hnsw (embedding halfvec_cosine_ops)",
    "hnsw_bits": "create index items_graph on items "
    "using hnsw ((binary_quantize(embedding)::bit({size})) bit_hamming_ops)",
}
BY_DISTANCE = """
select n.id, n.document_path, n.title, n.content, n.metadata, n.score
from (select id, document_path, title, content, metadata, 1 - (embedding <=> $1::vector::halfvec) as score
      from items where $2::jsonb is null or metadata @> $2::jsonb
      order by embedding <=> $1::vector::halfvec limit {wanted}) n
order by n.score desc limit 10
"""
BY_BITS = """
select n.id, n.document_path, n.title, n.content, n.metadata, 1 - (n.embedding <=> $1::vector::halfvec) as score
from (select * from items where $2::jsonb is null or metadata @> $2::jsonb
      order by binary_quantize(embedding)::bit({size}) <~> binary_quantize($1::vector::halfvec) limit {candidates}) n
order by n.embedding <=> $1::vector::halfvec limit 10
"""
COLUMNS = """
n.id, n.document_path as document_id, n.document_path as file_path, n.title, n.content, n.metadata, n.chunk_index,
n.start_index, n.end_index, n.token_count, n.level, n.parent_id, n.section, n.page_number, n.created_at
"""
BY_DISTANCE_ALIKE = """
select {columns}, n.score
from (select *, 1 - (embedding <=> $1::vector::halfvec) as score
      from items
      where collection_id = 'c' and model_id = 1 and is_active and ($2::jsonb is null or metadata @> $2::jsonb)
      order by embedding <=> $1::vector::halfvec limit {wanted}) n
order by n.score desc limit 10
"""
BY_BITS_ALIKE = """
select {columns}, 1 - (n.embedding <=> $1::vector::halfvec) as score
from (select * from items
      where collection_id = 'c' and model_id = 1 and is_active and ($2::jsonb is null or metadata @> $2::jsonb)
      order by binary_quantize(embedding)::bit({size}) <~> binary_quantize($1::vector::halfvec) limit {candidates}) n
order by n.embedding <=> $1::vector::halfvec limit 10
"""
# As many as it takes for the same recall.
WANTED = 15


class PlainTable:
    """A table of its own beside the base, on one connection."""

    def __init__(self, connection: Connection, size: int) -> None:
        self._connection = connection
        self._size = size
        self._sql, self._alike = BY_DISTANCE, BY_DISTANCE_ALIKE

    async def load(self, rows: Iterable[tuple[str, str, str, str, str, NDArray[np.float32]]]) -> None:
        await self._connection.execute(TABLE.format(size=self._size))
        await self._connection.copy_records_to_table(
            "items",
            records=[(*row[:5], Singles(row[5].tobytes())) for row in rows],
            columns=["id", "document_path", "title", "content", "metadata", "embedding"],
        )
        await self._connection.execute(
            "create index items_metadata on items using gin (metadata jsonb_path_ops)"
        )

    async def index(self, kind: str, ef_search: int, candidates: int) -> None:
        await self._connection.execute("drop index if exists items_graph")
        await self._connection.execute("set maintenance_work_mem = '1GB'")
        await self._connection.execute(INDEXES[kind].format(size=self._size))
        await self._connection.execute("analyze items")
        await self._connection.execute("set hnsw.iterative_scan = 'relaxed_order'")
        await self._connection.execute(f"set hnsw.ef_search = {ef_search}")
        by_bits = kind == "hnsw_bits"
        values = {"size": self._size, "candidates": candidates, "wanted": WANTED, "columns": COLUMNS}
        self._sql = (BY_BITS if by_bits else BY_DISTANCE).format(**values)
        self._alike = (BY_BITS_ALIKE if by_bits else BY_DISTANCE_ALIKE).format(**values)

    async def backends(self, program: str | None) -> list[int]:
        """The processes of the server that work for a program; without one, that of this connection."""
        found = await self._connection.fetch(
            "select pid from pg_stat_activity where datname = current_database() "
            "and case when $1::text is null then pid = pg_backend_pid() else application_name = $1 end",
            program,
        )
        return [row["pid"] for row in found]

    async def search(self, query: NDArray[np.float32], metadata: str | None) -> Sequence[Any]:
        rows = await self._connection.fetch(self._sql, Singles(query.tobytes()), metadata)
        return [row["id"] for row in rows]

    async def search_alike(self, query: NDArray[np.float32], metadata: str | None) -> list[SearchResult]:
        rows = await self._connection.fetch(self._alike, Singles(query.tobytes()), metadata)
        return [
            SearchResult(
                chunk_from(row),
                row["score"],
                ScoreBreakdown(semantic_score=row["score"]),
                row["file_path"],
                row["title"],
            )
            for row in rows
        ]


async def connected(address: str) -> Connection:
    connection = await driver.connect(address, patience=10, settings={"jit": "off"})
    await driver.know_vectors(connection)
    return connection
