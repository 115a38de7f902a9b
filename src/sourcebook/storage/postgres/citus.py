"""How the tables of a base are spread over several servers by Citus: the steps in their order, each with its check.

`citus_setup` carries them out. Which table is of which kind is in docs/reference/schema.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from sourcebook.errors import UsageError

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
}
"""Told to every server, since a graph is searched there."""

PAUSES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Seconds to wait before something is searched for again that was replaced between being found and being read. A
snapshot is one of the coordinator alone: what workers say may change between two statements of it, and the coordinator
knows of a change a moment before they do."""

TABLES_SPREAD = "documents over the workers"
"""The step after which there are tables on the workers, and one that joins has none."""

EXTENSIONS = ("vector", "citus")
_USUAL_PORT = 5432


@dataclass(frozen=True, slots=True)
class Node:
    """A server as the others reach it."""

    host: str
    port: int = _USUAL_PORT

    @classmethod
    def parse(cls, text: str) -> Node:
        """`HOST` or `HOST:PORT`; an IPv6 address in brackets."""
        host, colon, port = text.rpartition(":") if not text.endswith("]") else (text, "", "")
        if not colon:
            host, port = text, str(_USUAL_PORT)
        if not host or not port.isdecimal() or not 0 < int(port) < 65536:
            raise UsageError(f"{text!r} is not HOST:PORT.", hint="For example: `--worker worker1:5432`.")
        return cls(host.removeprefix("[").removesuffix("]"), int(port))

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def arguments(self) -> str:
        return f"{_literal(self.host)}, {self.port:d}"


@dataclass(frozen=True, slots=True)
class Step:
    """What is said to the coordinator, and the question that is answered `true` once it has been done."""

    title: str
    statements: tuple[str, ...]
    check: str


@dataclass(frozen=True, slots=True)
class DoneStep:
    """`was_done`: nothing had to be changed."""

    title: str
    was_done: bool


@dataclass(frozen=True, slots=True)
class Cluster:
    """Which servers a base is to be spread over, and into how many pieces."""

    address: str
    """Of the base on the coordinator."""
    workers: Sequence[Node] = ()
    """Those that are to join; the ones that belong to the cluster already need not be named."""
    coordinator: Node | None = None
    """The coordinator as the workers reach it; else as the address has it."""
    shards: int = 8

    @property
    def database(self) -> str:
        return unquote(urlsplit(self.address).path.strip("/")) or "postgres"

    def as_others_see_it(self) -> Node:
        if self.coordinator is not None:
            return self.coordinator
        parts = urlsplit(self.address)
        if not parts.hostname:
            raise UsageError(
                "The address does not say how the workers reach the coordinator.",
                hint="Pass `--coordinator HOST:PORT`.",
            )
        return Node(parts.hostname, parts.port or Node("").port)

    def at(self, worker: Node) -> str:
        """The address of the same database on a worker, with the same user."""
        parts = urlsplit(self.address)
        user, at, _ = parts.netloc.rpartition("@")
        return urlunsplit(
            parts._replace(netloc=f"{user}{at}{worker}", path="/" + quote(self.database, safe=""))
        )


def joining(workers: Sequence[Node]) -> list[Step]:
    """The steps before Sourcebook makes its tables: the extensions, and the workers that are to join."""
    extensions = ", ".join(_literal(name) for name in EXTENSIONS)
    return [
        Step(
            "the extensions vector and citus",
            tuple(f"create extension if not exists {name};" for name in EXTENSIONS),
            f"select count(*) = {len(EXTENSIONS)} from pg_extension where extname in ({extensions})",  # noqa: S608
        ),
        *(
            Step(
                f"worker {worker}",
                (f"select citus_add_node({worker.arguments});",),
                "select exists (select 1 from pg_dist_node "  # noqa: S608 - quoted above
                f"where (nodename, nodeport) = ({worker.arguments}) and isactive)",
            )
            for worker in workers
        ),
    ]


def spreading(database: str, shards: int, coordinator: Node) -> list[Step]:
    """The steps after that. The coordinator joins last: before, Citus would take over tables that stay there."""
    return [
        _key_of_postings(),
        *_tables(shards),
        _settings(database),
        Step(
            f"coordinator {coordinator}",
            (f"select citus_set_coordinator_host({coordinator.arguments});",),
            "select exists (select 1 from pg_dist_node where groupid = 0)",
        ),
        Step(
            "reference tables on every server",
            ("select replicate_reference_tables('block_writes');",),
            "select not exists (select 1 from pg_dist_partition t join pg_dist_shard s using (logicalrelid) "
            "cross join pg_dist_node n where t.partmethod = 'n' and t.repmodel = 't' and n.isactive and not exists "
            "(select 1 from pg_dist_placement p where p.shardid = s.shardid and p.groupid = n.groupid))",
        ),
    ]


def statements(database: str, shards: int) -> list[str]:
    """What to run on the coordinator, in a database in which Sourcebook has made its tables and nothing else."""
    steps = [joining([])[0], *spreading(database, shards, Node("COORDINATOR"))]
    return [statement for step in steps for statement in step.statements]


def _key_of_postings() -> Step:
    return Step(
        "a key on postings, without which no shard moves while it is written to",
        (
            "alter table postings add constraint postings_key primary key (collection_id, document_id, term_id);",
            "drop index if exists idx_postings_document;",
        ),
        "select exists (select 1 from pg_constraint where conrelid = to_regclass('postings') and contype = 'p') "
        "and to_regclass('idx_postings_document') is null",
    )


def _tables(shards: int) -> Iterator[Step]:
    for table in REFERENCE_TABLES:
        yield Step(
            f"{table} on every server",
            (f"select create_reference_table('{table}');",),
            _has_become(table, "partmethod = 'n' and repmodel = 't'"),
        )
    first = next(iter(DOCUMENT_TABLES))
    for table, column in DOCUMENT_TABLES.items():
        beside = "" if table == first else f", colocate_with => '{first}'"
        create = f"select create_distributed_table('{table}', '{column}'{beside});"
        count = (f"set citus.shard_count = {shards:d};",) if table == first else ()
        title = TABLES_SPREAD if table == first else f"{table} over the workers"
        yield Step(title, (*count, create), _has_become(table, "partmethod = 'h'"))


def _has_become(table: str, kind: str) -> str:
    """Citus also knows tables that stay where they are, as those do that it took over with the coordinator."""
    return (
        "select exists (select 1 from pg_dist_partition "  # noqa: S608
        f"where logicalrelid = to_regclass('{table}') and {kind})"
    )


def _settings(database: str) -> Step:
    name = '"' + database.replace('"', '""') + '"'
    wanted = ", ".join(_literal(f"{key}={value}") for key, value in SETTINGS.items())
    on_each = (
        "select count(*) from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase "  # noqa: S608
        f"cross join unnest(s.setconfig) c where d.datname = current_database() and c in ({wanted})"
    )
    return Step(
        "settings of the graphs on every server",
        tuple(f"alter database {name} set {key} = {_literal(value)};" for key, value in SETTINGS.items()),
        f"select coalesce(bool_and(success and result = '{len(SETTINGS)}'), false) "  # noqa: S608
        f"from run_command_on_workers({_literal(on_each)})",
    )


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


STEPS = (
    "Install Citus and pgvector on the coordinator and on every worker, with `citus` in `shared_preload_libraries`, "
    "and create the database on each.",
    "Run `sourcebook config citus --apply --db ADDRESS --worker HOST:PORT …` with the coordinator's address. It runs "
    "the statements below, checks each, and can be run again.",
    "By hand instead: `create extension vector` and `create extension citus` on every server, `select "
    "citus_add_node('HOST', 5432)` on the coordinator for each worker, `sourcebook doctor` with its address to "
    "create the tables, then the statements below.",
    "Add documents, or copy a filled base with `sourcebook copy`.",
)
