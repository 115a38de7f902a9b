"""Named SQL: every statement is valid, is called with the parameters it declares, and is called at all.

What both databases understand stands once, in a folder of its own; the folder of a database has the rest. Code outside
their rooms runs on both, so both have what it calls.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest
from tests.offenders import assert_none
from tests.postgres_server import at_database

from sourcebook.storage.postgres import database as postgres
from sourcebook.storage.postgres import driver as postgres_driver
from sourcebook.storage.queries import Queries, parse
from sourcebook.storage.sqlite import database as sqlite
from sourcebook.storage.sqlite import driver
from sourcebook.storage.sqlite.database import SqliteDatabase

if TYPE_CHECKING:
    from sourcebook.storage.sqlite.driver import Connection

STORAGE = Path(__file__).parents[2] / "src" / "sourcebook" / "storage"
DIALECTS = {
    "sqlite": {statement.name: statement for statement in sqlite.read_queries()},
    "postgres": {statement.name: statement for statement in postgres.read_queries()},
}
QUERIES = DIALECTS["sqlite"]
METHODS = {"fetch", "fetch_one", "stream", "change", "execute", "execute_many", "_value", "_define"}
# What is said to a connection and is no statement of ours.
HOUSEKEEPING = {"begin", "commit", "rollback", "pragma"}
# Every question, every page and every reading of the figures asks for these: an index alone tells, or finds the row.
BY_INDEX = {
    "pending_counts": "idx_moderation_waiting",
    "job_counts": "idx_jobs_status",
    "delete_draft_job": "idx_jobs_unique",
}
# These speak to a connection itself: what they execute is SQL and not the name of it.
BELOW_THE_NAMES = {
    *(STORAGE / "sqlite" / name for name in ("database.py", "driver.py", "worker_session.py", "migrate.py")),
    *(STORAGE / "sqlite" / name for name in ("embedding_cache.py", "tables.py")),
    *(STORAGE / "sqlite" / "backup").glob("*.py"),
    *(STORAGE / "sqlite" / "salvage").glob("*.py"),
    *(STORAGE / "postgres" / name for name in ("database.py", "driver.py", "migrate.py")),
}


@dataclass(frozen=True)
class Call:
    """A call by which code runs a statement, as it stands in the source."""

    place: str
    statement: str
    method: str
    parameters: frozenset[str] | None
    """Those that are spelled out; None when the source does not show any."""
    open_ended: bool
    """Whether more come from a mapping."""

    @property
    def dialects(self) -> list[str]:
        """The databases that it may run on."""
        room = self.place.partition("/")[0]
        return [room] if room in DIALECTS else list(DIALECTS)


MODULES = {
    path: ast.parse(path.read_text("utf-8"))
    for path in sorted(STORAGE.rglob("*.py"))
    if path not in BELOW_THE_NAMES
}


def calls() -> Iterator[Call]:
    for path, module in MODULES.items():
        loops = dict(looped_names(module))
        for node in ast.walk(module):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
                continue
            if node.func.attr in METHODS:
                place = f"{path.relative_to(STORAGE)}:{node.lineno}"
                for name in loops.get(id(node), literal_names(node.args[0])):
                    if name.split()[0] not in HOUSEKEEPING:
                        yield described(place, name, node.func.attr, node)


def literal_names(argument: ast.expr) -> list[str]:
    match argument:
        case ast.Constant(value=str() as name):
            return [name]
        case ast.IfExp(body=body, orelse=orelse):
            return [*literal_names(body), *literal_names(orelse)]
        case _:
            return []


def looped_names(module: ast.Module) -> Iterator[tuple[int, list[str]]]:
    """The calls inside `for name in (…)`, each with the names that it gets from the loop."""
    constants = {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for loop in ast.walk(module):
        if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
            continue
        values = constants.get(loop.iter.id) if isinstance(loop.iter, ast.Name) else loop.iter
        names = [name for value in elements(values) for name in literal_names(value)]
        for node in ast.walk(loop):
            if isinstance(node, ast.Call) and node.args and is_name(node.args[0], loop.target.id):
                yield id(node), names


def elements(node: ast.expr | None) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else []


def is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def described(place: str, name: str, method: str, node: ast.Call) -> Call:
    if method == "execute_many":
        given, rest = row_keys(node)
        return Call(place, name, method, given, rest)
    named = frozenset(keyword.arg for keyword in node.keywords if keyword.arg is not None)
    rest = any(keyword.arg is None for keyword in node.keywords)
    return Call(place, name, method, named, rest)


def row_keys(node: ast.Call) -> tuple[frozenset[str] | None, bool]:
    """The keys of the rows that are made on the spot, and whether some of them are not spelled out."""
    rows = node.args[1] if len(node.args) > 1 else None
    if not isinstance(rows, ast.GeneratorExp | ast.ListComp) or not isinstance(rows.elt, ast.Dict):
        return None, True
    keys = rows.elt.keys
    spelled = frozenset(k.value for k in keys if isinstance(k, ast.Constant) and isinstance(k.value, str))
    return spelled, len(spelled) < len(keys)


CALLS = list(calls())


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    path = tmp_path_factory.mktemp("statements") / "base.db"
    anyio.run(_make, path)
    opened = driver.connect(path, busy_timeout=1)
    yield opened
    opened.close()


async def _make(path: Path) -> None:
    await (await SqliteDatabase.open(path)).close()


def test_sqlite_understands_every_statement(connection: Connection) -> None:
    refused: list[str] = []
    for statement in DIALECTS["sqlite"].values():
        try:
            if not statement.is_nothing:
                connection.execute(f"explain {statement.sql}", dict.fromkeys(statement.parameters))
        except Exception as error:
            refused.append(f"{statement.name}: {error}")
    assert_none(refused)


@pytest.mark.parametrize(("name", "index"), BY_INDEX.items())
def test_what_is_asked_often_reads_no_whole_table_of_sqlite(
    connection: Connection, name: str, index: str
) -> None:
    assert f" INDEX {index}" in plan_of(connection, name)


def test_the_newest_jobs_are_read_without_sorting_all(connection: Connection) -> None:
    """An index by the kind would be taken for it, and then every upload there ever was is sorted."""
    assert "TEMP B-TREE" not in plan_of(connection, "newest_jobs")


def plan_of(connection: Connection, name: str) -> str:
    statement = QUERIES[name]
    given = dict.fromkeys(statement.parameters)
    return "\n".join(
        row["detail"] for row in driver.run(connection, f"explain query plan {statement.sql}", given)
    )


@pytest.mark.parametrize(("name", "index"), BY_INDEX.items())
def test_what_is_asked_often_can_be_read_from_an_index_of_postgresql(
    postgres_address: str, postgres_template: str, name: str, index: str
) -> None:
    plan = anyio.run(_plan_of_postgresql, at_database(postgres_address, postgres_template), name)
    assert re.search(rf"^Index.* using {index}|-> +Index.* using {index}", plan, re.MULTILINE)


async def _plan_of_postgresql(address: str, name: str) -> str:
    """The plan without reading whole tables, which is the cheapest while there is nothing in them."""
    connection = await postgres_driver.connect(address, patience=120, settings={"enable_seqscan": "off"})
    try:
        prepared = postgres_driver.prepared(DIALECTS["postgres"][name])
        rows = await connection.fetch(f"explain {prepared.sql}", *[""] * len(prepared.parameters))
        return "\n".join(row["QUERY PLAN"] for row in rows)
    finally:
        await connection.close()


def test_postgresql_understands_every_statement(postgres_address: str, postgres_template: str) -> None:
    assert_none(anyio.run(_refused, at_database(postgres_address, postgres_template)))


async def _refused(address: str) -> list[str]:
    """The statements that PostgreSQL does not understand, with what it says of them."""
    connection = await postgres_driver.connect(address, patience=120, settings={})
    refused: list[str] = []
    for statement in DIALECTS["postgres"].values():
        try:
            if not statement.is_nothing:
                await connection.prepare(postgres_driver.prepared(statement).sql)
        except Exception as error:
            refused.append(f"{statement.name}: {error}")
    await connection.close()
    return refused


def test_what_both_databases_understand_stands_once() -> None:
    texts = {
        (statement.name, in_one_line(statement.sql))
        for statement in postgres.read_queries()
        if statement.name in named_in(STORAGE / "postgres" / "sql")
    }
    sqlite_own = [s for s in sqlite.read_queries() if s.name in named_in(STORAGE / "sqlite" / "sql")]
    assert_none(s.name for s in sqlite_own if (s.name, in_one_line(s.sql)) in texts)


def named_in(folder: Path) -> set[str]:
    """The statements that stand in the files of a folder."""
    texts = (file.read_text("utf-8") for file in folder.glob("*.sql"))
    return {name for text in texts for name in re.findall(r"^-- name: (\w+)", text, re.MULTILINE)}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("-- name: one()\nselect {column}\n", "one: there is no part"),
        ("-- part: column\na\n-- part: column\nb\n", "two parts are called column"),
        ("-- part: a\n1 {a}\n-- name: one()\nselect {a}\n", r"one: a part contains itself: \['a'\]"),
        ("-- part: a\n{b}\n-- part: b\n{a}\n-- name: one()\nselect {a}\n", "one: a part contains itself"),
    ],
)
def test_a_part_stands_once_and_is_known(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse(text)


def test_a_part_may_stand_in_another() -> None:
    [statement] = parse(
        "-- part: id\nc.id\n-- part: columns\n{id}, c.title\n-- name: one()\nselect {columns} from c\n"
    )
    assert statement.sql == "select c.id, c.title from c"


def test_a_part_stands_for_its_text() -> None:
    [statement] = parse("-- part: column\n-- Why.\na, b\n\n-- name: one()\nselect {column} from t\n")
    assert statement.sql == "select a, b from t"


def in_one_line(sql: str) -> str:
    return " ".join(sql.split())


def test_a_name_stands_in_one_folder(tmp_path: Path) -> None:
    """A database overrides nothing: what is shared holds for both. So a base with such folders never opens."""
    for folder in ("shared", "own"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "some.sql").write_text(f"-- name: one()\nselect '{folder}'\n", "utf-8")
    with pytest.raises(ValueError, match="two statements are called one"):
        Queries.read(tmp_path / "shared", tmp_path / "own")


@pytest.mark.parametrize("head", ["two()", "one(limit)"])
def test_a_text_that_stands_instead_of_nothing_is_an_error(tmp_path: Path, head: str) -> None:
    texts = {
        "usual": "-- name: one()\nselect 1\n",
        "instead": f"-- name: {head}\nselect 2 {':limit' * (head != 'two()')}\n",
    }
    for folder, text in texts.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "some.sql").write_text(text, "utf-8")
    with pytest.raises(ValueError, match="stands instead of nothing"):
        Queries.read(tmp_path / "usual", instead=tmp_path / "instead")


def test_a_text_stands_instead_of_the_one_with_its_name(tmp_path: Path) -> None:
    for folder in ("usual", "instead"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "some.sql").write_text(f"-- name: one()\nselect '{folder}'\n", "utf-8")
    queries = Queries.read(tmp_path / "usual", instead=tmp_path / "instead")
    assert [statement.sql for statement in queries] == ["select 'instead'"]


def test_both_databases_have_the_same_statements() -> None:
    """But for those that only the room of one of them calls: how it searches is its own affair."""
    own = {
        room: {s for c in CALLS if c.dialects == [room] for s in [c.statement]} | listed_within(room)
        for room in DIALECTS
    }
    shared = {room: DIALECTS[room].keys() - (own[room] - called_by_all()) for room in DIALECTS}
    unequal = {
        name
        for name in shared["sqlite"] & shared["postgres"]
        if DIALECTS["sqlite"][name].parameters != DIALECTS["postgres"][name].parameters
    }
    assert_none(sorted(unequal | (shared["sqlite"] ^ shared["postgres"])))


def called_by_all() -> set[str]:
    return {call.statement for call in CALLS if len(call.dialects) > 1}


def listed_within(room: str) -> set[str]:
    """Names in the tables of statements that a room keeps, and in its two that take turns with the driver."""
    listed = {
        name
        for path, module in MODULES.items()
        if path.is_relative_to(STORAGE / room)
        for node in ast.walk(module)
        for element in listed_in(node)
        for name in literal_names(element)
    }
    return (listed | BELOW) & DIALECTS[room].keys()


# Called below the names, by the files that hold the connection.
BELOW = {"take_turn", "server_versions", "citus_version", "set_for_transaction"}


def test_a_statement_is_one_statement() -> None:
    every = [statement for room in DIALECTS.values() for statement in room.values()]
    assert_none(s.name for s in every if ";" in re.sub("'[^']*'", "", s.sql))


def test_calls_are_found() -> None:
    assert {call.method for call in CALLS} == METHODS


def test_a_called_statement_exists() -> None:
    assert_none(
        f"{c.place} {c.statement} ({room})"
        for c in CALLS
        for room in c.dialects
        if c.statement not in DIALECTS[room]
    )


def test_a_statement_gets_exactly_the_parameters_it_declares() -> None:
    assert_none(f"{c.place} {c.statement}" for c in CALLS if not fits(c))


def fits(call: Call) -> bool:
    return all(fits_dialect(call, room) for room in call.dialects)


def fits_dialect(call: Call, room: str) -> bool:
    statement = DIALECTS[room].get(call.statement)
    if statement is None or call.parameters is None:
        return True
    declared = frozenset(statement.parameters)
    return call.parameters <= declared if call.open_ended else call.parameters == declared


def test_every_check_of_a_base_has_its_statement() -> None:
    checks = checked_names()
    assert sorted(checks) == sorted(name for name in QUERIES if name.startswith("check_"))


def checked_names() -> list[str]:
    """The statements that an examination runs: `check_` and the first word of each entry of its list."""
    for node in MODULES[STORAGE / "maintenance" / "doctor.py"].body:
        if isinstance(node, ast.AnnAssign) and is_name(node.target, "_CHECKS"):
            return [
                f"check_{name}"
                for entry in elements(node.value)
                for first in elements(entry)[:1]
                for name in literal_names(first)
            ]
    return []


def test_every_statement_is_used() -> None:
    listed = {
        name
        for module in MODULES.values()
        for node in ast.walk(module)
        for element in listed_in(node)
        for name in literal_names(element)
    }
    used = {call.statement for call in CALLS} | listed | set(checked_names()) | BELOW
    assert_none(sorted({name for room in DIALECTS.values() for name in room} - used))


def listed_in(node: ast.AST) -> list[ast.expr]:
    """The elements of a tuple, named or not."""
    match node:
        case ast.Tuple(elts=elements):
            return elements
        case ast.Call(func=ast.Name(), args=arguments):
            return arguments
        case _:
            return []
