"""How the tables of a base are spread over several servers by Citus: what is said to the coordinator, in its order.

Nothing here is run by Sourcebook. Which table is of which kind is in docs/reference/schema.md.
"""

from __future__ import annotations

REFERENCE_TABLES = ("models", "collections")
"""Small, and needed everywhere: whole on every server."""

DOCUMENT_TABLES = {
    "documents": "id",
    "document_chunks": "document_id",
    "vectors": "document_id",
    "words": "document_id",
    "document_words": "document_id",
    "postings": "document_id",
}
"""Each with the column that names the document, by which its rows are spread. All others stay on the coordinator."""

SETTINGS = {
    "hnsw.ef_search": "400",
    "hnsw.iterative_scan": "relaxed_order",
    "hnsw.max_scan_tuples": "20000",
    "citus.propagate_set_commands": "local",
}
"""Told to every server, since a graph is searched there."""


def statements(database: str, shards: int) -> list[str]:
    """What to run on the coordinator, in a database in which Sourcebook has made its tables and nothing else."""
    first = next(iter(DOCUMENT_TABLES))
    return [
        "create extension if not exists citus;",
        f"set citus.shard_count = {shards:d};",
        *(f"select create_reference_table('{table}');" for table in REFERENCE_TABLES),
        *(
            f"select create_distributed_table('{table}', '{column}'"
            + (");" if table == first else f", colocate_with => '{first}');")
            for table, column in DOCUMENT_TABLES.items()
        ),
        *(f"alter database \"{database}\" set {name} = '{value}';" for name, value in SETTINGS.items()),
    ]


STEPS = (
    "Install Citus and pgvector on the coordinator and on every worker, make the database on each, and run "
    "`create extension vector` there.",
    "On the coordinator, add the workers with `select citus_add_node('HOST', 5432)`.",
    "Let Sourcebook create its tables: run any command with `--db` and the coordinator's address.",
    "Run the statements below on the coordinator, and the last ones, `alter database`, on every worker too.",
    "Add documents, or, for a base that is filled: `pg_dump --section=pre-data`, distribute, load `--section=data`, "
    "then `--section=post-data`.",
)
