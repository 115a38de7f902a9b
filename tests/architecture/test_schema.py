"""The shape of a base: described completely, with a place for the columns of other layouts, and fit to be spread."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import anyio
import pytest

from sourcebook.storage.sqlite import driver
from sourcebook.storage.sqlite.database import SqliteDatabase, read_queries

if TYPE_CHECKING:
    from sourcebook.storage.queries import Statement

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "schema.md").read_text("utf-8")
LAYOUTS: dict[str, dict[str, list[str]]] = tomllib.loads(
    (Path(__file__).parent / "spec_columns.toml").read_text("utf-8")
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
STATEMENTS = list(read_queries())


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
    tables = sections(PAGE.partition(WHERE)[0])
    return {name: {row[0].strip("`"): row[1] for row in cells(text)} for name, text in tables.items()}


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


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda s: s.name)
def test_time_and_chance_come_as_parameters(statement: Statement) -> None:
    assert OUTSIDE_WORLD.search(bare_sql(statement.sql)) is None


def test_time_and_chance_are_no_defaults(base: Base) -> None:
    assert [table for table in base.tables if OUTSIDE_WORLD.search(bare_sql(base.sql[table]))] == []


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda s: s.name)
def test_a_row_of_a_document_never_changes_its_document(statement: Statement) -> None:
    sql = bare_sql(statement.sql)
    written = re.match(r"(?:insert\s+into|update)\s+(\w+)", sql)
    assignments = re.search(r"\bset\b(.*?)(?:\bwhere\b|\breturning\b|\Z)", sql, re.DOTALL)
    if written is None or assignments is None or written[1] not in DOCUMENT_TABLES:
        return
    assigned = set(re.findall(r"(?:\A|,)\s*(\w+)\s*=", assignments[1]))
    assert assigned
    assert not assigned & {"collection_id", DOCUMENT_TABLES[written[1]]}


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda s: s.name)
def test_joins_of_document_tables_name_the_collection_and_the_document(statement: Statement) -> None:
    joins = re.findall(
        r"\bjoin\s+(\w+)\s+(\w+)\s+on\b(.*?)(?=\b(?:left|cross|join|where|order|group|limit)\b|\Z)",
        bare_sql(statement.sql),
        re.DOTALL,
    )
    for table, alias, condition in joins:
        for column in ("collection_id", DOCUMENT_TABLES[table]) if table in DOCUMENT_TABLES else ():
            assert re.search(rf"\b{alias}\.{column}\s*=", condition), f"{table} {alias}.{column}"


# Where the descriptions of those layouts are at hand, the list of columns is compared with them too.
DESCRIPTIONS = ROOT.parent / "shared" / "spec"
LAYOUT_OF = {"000": "Room layout", "002": "SQLite layout", "003": "Bot layout", "004": "Index store"}


@pytest.mark.parametrize(("number", "layout"), LAYOUT_OF.items())
def test_the_list_of_columns_is_complete(number: str, layout: str) -> None:
    found = sorted(DESCRIPTIONS.glob(f"{number}_*.txt"))
    if not found:
        pytest.skip("the descriptions of other layouts are not part of the project and not beside it")
    text = found[0].read_text("utf-8")
    columns = {*_created(text), *_entities(text), *_tabulated(text), *_json_keys(text, layout)}
    assert columns
    known = {(table, column) for table, names in LAYOUTS[layout].items() for column in names}
    assert columns - known == set()
    # And nothing is listed that no description knows.
    assert known - columns == set()


def _created(text: str) -> Iterator[tuple[str, str]]:
    """Columns of `create table` statements."""
    for table, body in re.findall(
        r"^create table (?:if not exists )?(\w+) (\(.*?^\));", text, re.MULTILINE | re.DOTALL | re.IGNORECASE
    ):
        for part in parts_of(re.sub(r"--[^\n]*", "", body)):
            name = part.split()[0]
            if re.fullmatch(r"[a-z_]+", name):
                yield table, name


def _entities(text: str) -> Iterator[tuple[str, str]]:
    """Fields of Kotlin classes that are tables."""
    for name, body in re.findall(r"^@Entity.*?^data class (\w+)\((.*?)^\)", text, re.MULTILINE | re.DOTALL):
        yield from ((name, field) for field in re.findall(r"\bval (\w+):", body))


def _tabulated(text: str) -> Iterator[tuple[str, str]]:
    """Columns that a Markdown table below the name of a table lists by name, type and meaning."""
    for table, body in re.findall(r"^### (\w+)$(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL):
        yield from ((table, column) for column in re.findall(r"^\| `(\w+)` \| [A-Z]+ \|", body, re.MULTILINE))


def _json_keys(text: str, layout: str) -> Iterator[tuple[str, str]]:
    """Keys of JSON objects in examples, and fields that a list names."""
    table = {"SQLite layout": "chat_messages.citations", "Index store": "embeddings"}.get(layout)
    if table is None:
        return
    for example in re.findall(r"^```json$(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield from ((table, key) for key in re.findall(r'"(\w+)":', example))
    if layout == "Index store":
        for fields in re.findall(r"^\* (`\w+`(?:(?: /|,) `\w+`)*)[^\n]*:", text, re.MULTILINE):
            yield from ((table, field) for field in re.findall(r"`(\w+)`", fields))
