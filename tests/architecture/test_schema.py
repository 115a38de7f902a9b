"""The shape of a base: described completely, with a place for the columns of other layouts, and fit to be spread."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from tests.offenders import assert_none
from tests.postgres_server import at_database

from sourcebook.storage.postgres import database as postgres
from sourcebook.storage.postgres import driver as postgres_driver
from sourcebook.storage.sqlite import database as sqlite
from sourcebook.storage.sqlite import driver
from sourcebook.storage.sqlite.database import SqliteDatabase

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "schema.md").read_text("utf-8")
LAYOUTS: dict[str, dict[str, list[str]]] = tomllib.loads(
    (Path(__file__).parent / "other_layouts.toml").read_text("utf-8")
)
WHERE = "## Where the columns of other layouts are"

# Each table of a document, with the column that names the document in it.
DOCUMENT_TABLES = {
    "documents": "id",
    "document_chunks": "document_id",
    "vectors": "document_id",
    "words": "document_id",
    "document_words": "document_id",
}
REFERENCE_TABLES = {"collections", "models"}
ONLY_ON_POSTGRES = "## What only PostgreSQL has"
# The types of the one database and those that stand for them on the other.
SAME_TYPES = {
    "text": {"text"},
    "integer": {"bigint"},
    "blob": {"bytea", "halfvec", "integer[]"},
}


class ForeignKey(NamedTuple):
    table: str
    target: str
    columns: frozenset[tuple[str, str]]


class Base:
    """What SQLite itself says about a base that has just been made."""

    def __init__(self, path: Path) -> None:
        self._connection = driver.connect(path, busy_timeout=1)
        self.sql = dict(
            self.rows("select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
        )
        self.tables = sorted(self.sql)

    def rows(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql, values).fetchall()

    def columns(self, table: str) -> dict[str, str]:
        """The columns with their types as the page writes them."""
        info = self.rows('select name, type, "notnull" or pk from pragma_table_info(?)', table)
        return {name: kind.lower() + ("" if filled else " or null") for name, kind, filled in info}

    def primary_key(self, table: str) -> set[str]:
        return {name for (name,) in self.rows("select name from pragma_table_info(?) where pk", table)}

    def unique_keys(self, table: str) -> list[set[str]]:
        names = self.rows('select name from pragma_index_list(?) where "unique"', table)
        return [{n for (n,) in self.rows("select name from pragma_index_info(?)", *name)} for name in names]

    def foreign_keys(self) -> Iterator[ForeignKey]:
        for table in self.tables:
            found: dict[int, tuple[str, set[tuple[str, str]]]] = {}
            for key, target, own, other in self.rows(
                'select id, "table", "from", "to" from pragma_foreign_key_list(?)', table
            ):
                found.setdefault(key, (target, set()))[1].add((own, other))
            yield from (ForeignKey(table, target, frozenset(pairs)) for target, pairs in found.values())

    def close(self) -> None:
        self._connection.close()


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Base]:
    path = tmp_path_factory.mktemp("schema") / "base.db"
    anyio.run(_make, path)
    made = Base(path)
    yield made
    made.close()


async def _make(path: Path) -> None:
    await (await SqliteDatabase.open(path)).close()


def cells(text: str) -> Iterator[list[str]]:
    """The rows of the Markdown tables in a text that begin with a name in backticks."""
    for line in text.splitlines():
        if line.startswith("| `"):
            yield [cell.strip() for cell in line.strip("|").split("|")]


def sections(text: str) -> dict[str, str]:
    """The text below each heading of the third level."""
    parts = re.split(r"^### `?([\w ]+)`?$", text, flags=re.MULTILINE)
    assert len(parts[1::2]) == len(set(parts[1::2])), "two sections have the same heading"
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def described() -> dict[str, dict[str, str]]:
    """The tables of the page, their columns and types."""
    tables = sections(PAGE.partition(ONLY_ON_POSTGRES)[0])
    return {name: {row[0].strip("`"): row[1] for row in cells(text)} for name, text in tables.items()}


def described_for_postgres() -> dict[str, dict[str, str]]:
    """Tables and columns that the page says only PostgreSQL has."""
    found: dict[str, dict[str, str]] = {}
    for name, kind, *_ in cells(PAGE.partition(ONLY_ON_POSTGRES)[2].partition("\n## ")[0]):
        table, _, column = name.strip("`").partition(".")
        found.setdefault(table, {})[column] = kind
    return found


def placed() -> dict[str, dict[str, tuple[str, str]]]:
    """For each layout its columns, each with its place here and the note beside it."""
    layouts = sections(PAGE.partition(WHERE)[2])
    return {
        name: {row[0].strip("`"): (row[1], row[2]) for row in cells(text)} for name, text in layouts.items()
    }


def test_the_page_has_every_table_and_column_and_no_other(base: Base) -> None:
    page = described()
    assert sorted(page) == base.tables
    for table in base.tables:
        assert page[table] == base.columns(table), table


def test_every_table_is_introduced_by_a_sentence() -> None:
    bare = [
        name for name, text in sections(PAGE.partition(WHERE)[0]).items() if text.lstrip().startswith("|")
    ]
    assert bare == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_column_of_another_layout_has_its_place(layout: str) -> None:
    wanted = {f"{table}.{column}" for table, columns in LAYOUTS[layout].items() for column in columns}
    assert set(placed()[layout]) == wanted


def test_no_layout_is_on_the_page_alone() -> None:
    assert list(placed()) == list(LAYOUTS)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_place_named_for_another_layout_exists(base: Base, layout: str) -> None:
    real = {f"{table}.{column}" for table in base.tables for column in base.columns(table)}
    for column, (here, note) in placed()[layout].items():
        places = re.findall(r"`([^`]+)`", here)
        assert places, column
        assert set(places) <= real, column
        assert set(re.findall(r"`(\w+\.\w+)`", note)) <= real, column


def test_every_table_is_strict(base: Base) -> None:
    lax = base.rows(
        "select name from pragma_table_list where type = 'table' and not strict and name not like 'sqlite_%'"
    )
    assert lax == []


def test_every_constraint_has_a_name(base: Base) -> None:
    unnamed = {t: found for t in base.tables if (found := list(unnamed_constraints(base.sql[t])))}
    assert unnamed == {}


def unnamed_constraints(sql: str) -> Iterator[str]:
    """The constraints of a table that nobody could refer to. `not null` and defaults are no such thing."""
    kinds = r"(?:primary\s+key|foreign\s+key|unique|check|references)\b"
    for part in parts_of(bare_sql(sql)):
        if not part.startswith("constraint "):
            yield from re.findall(kinds, re.sub(rf"constraint\s+\w+\s+{kinds}", "", part))


def bare_sql(sql: str) -> str:
    """In small letters, without comments and without what stands in quotes."""
    return re.sub(r"--[^\n]*|/\*.*?\*/|'[^']*'", " ", sql.lower(), flags=re.DOTALL)


STATEMENTS = {
    f"{statement.name} ({room})": bare_sql(statement.sql)
    for room, queries in (("sqlite", sqlite.read_queries()), ("postgres", postgres.read_queries()))
    for statement in queries
}


def parts_of(create_table: str) -> list[str]:
    """The definitions between the outer parentheses, without what they hold in parentheses of their own."""
    body = create_table[create_table.index("(") + 1 : create_table.rindex(")")]
    while (flat := re.sub(r"\([^()]*\)", " ", body)) != body:
        body = flat
    return [" ".join(part.split()) for part in body.split(",")]


@pytest.mark.parametrize(("table", "document"), DOCUMENT_TABLES.items())
def test_keys_of_document_tables_hold_the_collection_and_the_document(
    base: Base, table: str, document: str
) -> None:
    for key in [base.primary_key(table), *base.unique_keys(table)]:
        assert {"collection_id", document} <= key


def test_references_between_document_tables_hold_the_collection_and_the_document(base: Base) -> None:
    between = [k for k in base.foreign_keys() if k.table in DOCUMENT_TABLES and k.target in DOCUMENT_TABLES]
    assert between
    for key in between:
        document = (DOCUMENT_TABLES[key.table], DOCUMENT_TABLES[key.target])
        assert {("collection_id", "collection_id"), document} <= key.columns, key


def test_document_tables_and_local_tables_do_not_refer_to_each_other(base: Base) -> None:
    local = set(base.tables) - set(DOCUMENT_TABLES) - REFERENCE_TABLES
    crossing = [
        key
        for key in base.foreign_keys()
        if (key.table in DOCUMENT_TABLES and key.target in local)
        or (key.table not in DOCUMENT_TABLES and key.target in DOCUMENT_TABLES)
    ]
    assert crossing == []


def test_reference_tables_refer_to_each_other_alone(base: Base) -> None:
    targets = {key.target for key in base.foreign_keys() if key.table in REFERENCE_TABLES}
    assert targets <= REFERENCE_TABLES


def test_nothing_happens_behind_a_writers_back(base: Base) -> None:
    assert base.rows("select name from sqlite_schema where type = 'trigger'") == []


@pytest.mark.parametrize("table", DOCUMENT_TABLES)
def test_document_tables_have_no_numbers_of_their_own(base: Base, table: str) -> None:
    assert "autoincrement" not in bare_sql(base.sql[table])


OUTSIDE_WORLD = re.compile(
    r"\b(?:now|random|randomblob|unixepoch|date|time|datetime|julianday|strftime|timediff|last_insert_rowid)\s*\("
    r"|\bcurrent_(?:timestamp|date|time)\b"
)


def test_time_and_chance_come_as_parameters() -> None:
    assert_none(name for name, sql in STATEMENTS.items() if OUTSIDE_WORLD.search(sql))


def test_time_and_chance_are_no_defaults(base: Base) -> None:
    assert [table for table in base.tables if OUTSIDE_WORLD.search(bare_sql(base.sql[table]))] == []


def test_a_row_of_a_document_never_changes_its_document() -> None:
    changes = {name: change for name, sql in STATEMENTS.items() if (change := change_of_document(sql))}
    assert changes, "the pattern finds no change at all"
    assert_none(
        f"{name} assigns {sorted(assigned)}"
        for name, (table, assigned) in changes.items()
        if not assigned or assigned & {"collection_id", DOCUMENT_TABLES[table]}
    )


def change_of_document(sql: str) -> tuple[str, set[str]] | None:
    """The document table whose rows a statement changes, and the columns that it assigns."""
    written = re.match(r"(?:insert\s+into|update)\s+(\w+)", sql)
    assignments = re.search(r"\bset\b(.*?)(?:\bwhere\b|\breturning\b|\Z)", sql, re.DOTALL)
    if written is None or assignments is None or written[1] not in DOCUMENT_TABLES:
        return None
    return written[1], set(re.findall(r"(?:\A|,)\s*(\w+)\s*=", assignments[1]))


def test_joins_of_document_tables_name_the_collection_and_the_document() -> None:
    joins = [(name, *join) for name, sql in STATEMENTS.items() for join in joins_of_documents(sql)]
    assert joins, "the pattern finds no join at all"
    assert_none(
        f"{name}: {table} {alias}.{column}"
        for name, table, alias, condition in joins
        for column in ("collection_id", DOCUMENT_TABLES[table])
        if not re.search(rf"\b{alias}\.{column}\s*=", condition)
    )


def joins_of_documents(sql: str) -> Iterator[tuple[str, str, str]]:
    """The document tables that a statement joins, each with its alias and on what."""
    pattern = r"\bjoin\s+(\w+)\s+(\w+)\s+on\b(.*?)(?=\b(?:left|cross|join|where|order|group|limit)\b|\Z)"
    for table, alias, condition in re.findall(pattern, sql, re.DOTALL):
        if table in DOCUMENT_TABLES:
            yield table, alias, condition


class ServerBase:
    """What PostgreSQL itself says about a base that has just been made."""

    def __init__(self, rows: dict[str, list[tuple[Any, ...]]]) -> None:
        self.columns: dict[str, dict[str, str]] = {}
        for table, column, kind, is_filled in rows["columns"]:
            self.columns.setdefault(table, {})[column] = kind + ("" if is_filled else " or null")
        self.keys: list[tuple[str, set[str]]] = [(table, set(names)) for table, names in rows["keys"]]
        self.references: list[tuple[str, str, set[tuple[str, str]]]] = [
            (table, target, set(zip(own, other, strict=True)))
            for table, target, own, other in rows["references"]
        ]
        self.triggers = rows["triggers"]
        self.numbered = {table for (table,) in rows["numbered"]}


@pytest.fixture(scope="module")
def server_base(postgres_address: str, postgres_template: str) -> ServerBase:
    return anyio.run(_examined, at_database(postgres_address, postgres_template))


async def _examined(address: str) -> ServerBase:
    connection = await postgres_driver.connect(address, patience=120, settings={})
    rows: dict[str, list[tuple[Any, ...]]] = {}
    for name, sql in CATALOGUE.items():
        rows[name] = [tuple(row.values()) for row in await connection.fetch(sql)]
    await connection.close()
    return ServerBase(rows)


_NAMES = (
    "array(select a.attname::text from unnest({}) n join pg_attribute a on a.attrelid = {} and a.attnum = n)"
)
CATALOGUE = {
    "columns": "select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull from pg_attribute a "
    "join pg_class c on c.oid = a.attrelid where c.relkind = 'r' and a.attnum > 0 and not a.attisdropped "
    "and c.relnamespace = 'public'::regnamespace",
    "keys": f"select i.indrelid::regclass::text, {_NAMES.format('i.indkey', 'i.indrelid')} from pg_index i "  # noqa: S608
    "join pg_class c on c.oid = i.indrelid where i.indisunique and c.relnamespace = 'public'::regnamespace",
    "references": f"select k.conrelid::regclass::text, k.confrelid::regclass::text, "  # noqa: S608
    f"{_NAMES.format('k.conkey', 'k.conrelid')}, {_NAMES.format('k.confkey', 'k.confrelid')} "
    "from pg_constraint k where k.contype = 'f'",
    "triggers": "select tgname from pg_trigger where not tgisinternal",
    "numbered": "select distinct attrelid::regclass::text from pg_attribute where attidentity <> ''",
}


def test_both_databases_have_the_same_tables_and_columns(base: Base, server_base: ServerBase) -> None:
    """But for those of which the page says that only PostgreSQL has them."""
    extra = described_for_postgres()
    assert extra
    wanted = {table: {*base.columns(table), *extra.get(table, {})} for table in base.tables}
    wanted |= {table: set(columns) for table, columns in extra.items() if table not in wanted}
    assert {table: set(columns) for table, columns in server_base.columns.items()} == wanted


def test_both_databases_mean_the_same_types(base: Base, server_base: ServerBase) -> None:
    for table in base.tables:
        for column, kind in base.columns(table).items():
            if (table, column) == ("vectors", "vector"):
                continue  # one of two columns there, so it may be null
            name, _, optional = kind.partition(" or ")
            found, _, also_optional = server_base.columns[table][column].partition(" or ")
            assert found in SAME_TYPES[name], (table, column)
            assert optional == also_optional, (table, column)


def test_the_page_has_the_types_of_what_only_postgresql_has(server_base: ServerBase) -> None:
    for table, columns in described_for_postgres().items():
        assert columns == {column: server_base.columns[table][column] for column in columns}


def test_keys_and_references_on_postgresql_can_be_spread_too(server_base: ServerBase) -> None:
    for table, key in server_base.keys:
        if table in DOCUMENT_TABLES:
            assert {"collection_id", DOCUMENT_TABLES[table]} <= key, (table, key)
    local = server_base.columns.keys() - DOCUMENT_TABLES.keys() - REFERENCE_TABLES - {"postings"}
    for table, target, columns in server_base.references:
        if table in DOCUMENT_TABLES and target in DOCUMENT_TABLES:
            document = (DOCUMENT_TABLES[table], DOCUMENT_TABLES[target])
            assert {("collection_id", "collection_id"), document} <= columns
        assert not (table in DOCUMENT_TABLES and target in local), (table, target)
        assert not (table in local and target in DOCUMENT_TABLES), (table, target)


def test_nothing_happens_behind_a_writers_back_on_postgresql(server_base: ServerBase) -> None:
    assert server_base.triggers == []
    assert not server_base.numbered & {*DOCUMENT_TABLES, "postings"}
