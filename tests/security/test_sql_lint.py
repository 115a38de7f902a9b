"""S06: no statement is put together from what a caller says. The code itself is read to make sure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from tests.offenders import assert_none

import sourcebook.storage
from sourcebook.storage.importing.layouts import BOT, CHATS
from sourcebook.storage.postgres import database as postgres
from sourcebook.storage.sqlite import database as sqlite
from sourcebook.storage.sqlite.database import read_queries

ROOM = Path(sourcebook.storage.__file__).parent
FOREIGN_FILES = [ROOM / room / "old_base.py" for room in ("sqlite", "postgres")]
"""They read the tables of other programs, for which there are no statements of ours. Tests below look at them."""
FILES = sorted(set(ROOM.rglob("*.py")) - set(FOREIGN_FILES))
SQLITE_FILES = [
    file for file in FILES if file.is_relative_to(ROOM / "sqlite") and file.parent.name != "engine"
]
"""Here statements meet a connection; everywhere else they have names."""
POSTGRES_FILES = [
    ROOM / "postgres" / name for name in ("database.py", "driver.py", "migrate.py", "citus_setup.py")
]
OTHER_FILES = [file for file in FILES if file not in (*SQLITE_FILES, *POSTGRES_FILES)]
KNOWN = {
    "sqlite": {statement.name for statement in sqlite.read_queries()},
    "postgres": {statement.name for statement in postgres.read_queries()},
}

SINKS = {
    "execute",
    "executemany",
    "execute_many",
    "fetch",
    "fetchval",
    "fetch_one",
    "stream",
    "_value",
    "_define",
}
RUNNERS = {"run", "stream", "change", "change_many"}
"""Functions of the driver that take a connection and then a statement."""
HANDED_ON = {"sql", "name"}
"""Parameters that hold a statement, or the name of one; whoever gives them is looked at in the same way."""
BY_TABLE = {
    ("maintenance/doctor.py", "f'check_{name}'"),
    ("postgres/vector_indexes.py", "str(statement)"),
    ("postgres/copy_end.py", "str(row['statement'])"),
    ("postgres/citus_setup.py", "step.check"),
    ("postgres/citus_setup.py", "step.statements"),
}
"""A name put together from a constant table in the same file, whose statements a test below looks up; and definitions,
which take no parameters and are put together by the server, that quotes what goes into them. The steps of a cluster
name its servers as quoted literals."""
HOUSEKEEPING = (
    "pragma ",
    "begin",
    "commit",
    "rollback",
    "vacuum",
    "create table if not exists schema_migrations",
    # Of a backup, which is a file of its own and no open base.
    "select distinct stored_file from documents",
    "select payload from jobs where kind = 'uploads'",
)
OF_THE_SERVER = (
    "select n.nspname from pg_extension",
    "select pg_advisory_",
    "select extversion",
    "select c.relname",
    "select current_setting('citus.",
    "select count(*) from citus_get_active_worker_nodes()",
    "select min(name) from unnest($1::text[]) as wanted (name) where not exists (select 1 from pg_available_extensions",
    "select json_object_agg(extname, extversion) from pg_extension",
    "select exists (select 1 from pg_dist_",
    "select exists (select 1 from collections)",
)
OF_THE_HISTORY = ("sqlite_schema", "schema_migrations", "base_info", "backup_info", "backup_files")


@dataclass
class Scope:
    """What the names of a function, or of the module, stand for."""

    parent: Scope | None = None
    parameters: set[str] = field(default_factory=set[str])
    values: dict[str, list[ast.expr]] = field(default_factory=dict[str, list[ast.expr]])
    elements: dict[str, list[ast.expr]] = field(default_factory=dict[str, list[ast.expr]])
    listed: list[ast.expr] = field(default_factory=list[ast.expr])
    """What stands in the tables of statements, `_Statements(...)`."""

    def bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.values.setdefault(target.id, []).append(value)

    def bind_element(self, target: ast.expr, iterated: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.elements.setdefault(target.id, []).append(iterated)


@dataclass(frozen=True)
class Use:
    """A statement, or the name of one, on its way to the database."""

    line: int
    text: str
    constant: str | None = None
    problem: bool = False


def uses(tree: ast.Module) -> list[Use]:
    return list(_uses(tree.body, _scope(tree.body, None, set())))


def _uses(body: list[ast.stmt], scope: Scope) -> Iterator[Use]:
    for node in _nodes(body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = node.args
            named = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
            yield from _uses(node.body, _scope(node.body, scope, named))
        elif isinstance(node, ast.Call):
            for expression in _statements_of(node):
                yield from _leaves(expression, scope)


def _nodes(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Everything in a body but what stands inside its functions."""
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting.extend(ast.iter_child_nodes(node))


def _scope(body: list[ast.stmt], parent: Scope | None, parameters: set[str]) -> Scope:
    scope = Scope(parent, parameters)
    for node in _nodes(body):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    scope.bind(target, value)
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.NamedExpr(target=target, value=value)
            ):
                scope.bind(target, value)
            case ast.AugAssign(target=ast.Name() as target, op=operator, value=value):
                scope.bind(target, ast.BinOp(target, operator, value))
            case ast.For(target=target, iter=iterated) | ast.comprehension(target=target, iter=iterated):
                scope.bind_element(target, iterated)
            case ast.Call(func=ast.Name(id="_Statements"), args=listed, keywords=keywords):
                scope.listed += [*listed, *(keyword.value for keyword in keywords)]
            case _:
                pass
    return scope


def _statements_of(call: ast.Call) -> Iterator[ast.expr]:
    """The arguments of a call that are statements: of a sink itself, or of a sink that is handed on to be called."""
    parts = [call.func, *call.args]
    for position, part in enumerate(parts):
        if isinstance(part, ast.Attribute):
            statement = position + _distance(part)
            if position < statement < len(parts):
                yield parts[statement]


def _distance(function: ast.Attribute) -> int:
    """How many places after the function its statement stands; 0 if it takes none."""
    is_of_driver = isinstance(function.value, ast.Name) and function.value.id == "driver"
    if is_of_driver:
        return 2 if function.attr in RUNNERS else 0
    return 1 if function.attr in SINKS else 0


def _leaves(expression: ast.expr, scope: Scope) -> Iterator[Use]:
    """Where a statement comes from in the end."""
    line, text = getattr(expression, "lineno", 0), ast.unparse(expression)
    match expression:
        case ast.Constant(value=str() as constant):
            yield Use(line, text, constant)
        case ast.Attribute(attr="sql"):
            yield Use(line, text)
        case ast.Attribute(value=ast.Attribute(attr="_statements")):
            for listed in _module(scope).listed:
                yield from _leaves(listed, scope)
        case ast.IfExp(body=body, orelse=orelse):
            yield from _leaves(body, scope)
            yield from _leaves(orelse, scope)
        case ast.Name(id=name):
            yield from _leaves_of_name(name, line, scope)
        case _:
            yield Use(line, text, problem=True)


def _leaves_of_name(name: str, line: int, scope: Scope | None) -> Iterator[Use]:
    while scope is not None:
        if name in scope.parameters:
            yield Use(line, name, problem=name not in HANDED_ON)
            return
        if name in scope.values or name in scope.elements:
            for value in scope.values.get(name, []):
                yield from _leaves(value, scope)
            for iterated in scope.elements.get(name, []):
                yield from _leaves_of_elements(iterated, scope)
            return
        scope = scope.parent
    yield Use(line, name, problem=True)


def _leaves_of_elements(iterated: ast.expr, scope: Scope) -> Iterator[Use]:
    match iterated:
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for element in elements:
                yield from _leaves(element, scope)
        case ast.Name(id=name) if name in _module(scope).values:
            for value in _module(scope).values[name]:
                yield from _leaves_of_elements(value, scope)
        case ast.Call(func=ast.Name(id="statements")):
            yield Use(iterated.lineno, ast.unparse(iterated))
        case _:
            yield Use(iterated.lineno, ast.unparse(iterated), problem=True)


def _module(scope: Scope) -> Scope:
    return scope if scope.parent is None else _module(scope.parent)


@cache
def uses_in(file: Path) -> list[Use]:
    return uses(ast.parse(file.read_text("utf-8")))


def name_of(file: Path) -> str:
    return str(file.relative_to(ROOM))


def test_no_statement_is_put_together_on_its_way_to_the_database() -> None:
    assert_none(
        f"{name_of(file)}:{use.line} {use.text}"
        for file in FILES
        for use in uses_in(file)
        if use.problem and (name_of(file), use.text) not in BY_TABLE
    )


def test_statements_are_called_by_names_that_stand_in_the_sql_files() -> None:
    assert_none(
        f"{name_of(file)}:{use.line} {use.constant}"
        for file in OTHER_FILES
        for use in uses_in(file)
        if use.constant is not None and use.constant not in known_to(file)
    )


def known_to(file: Path) -> set[str]:
    """The names of its own database, or those that both have."""
    room = name_of(file).partition("/")[0]
    return KNOWN.get(room, KNOWN["sqlite"] & KNOWN["postgres"])


def test_the_checks_of_health_stand_in_the_sql_files() -> None:
    from sourcebook.storage.maintenance import doctor

    known = {statement.name for statement in read_queries()}
    checks = {name for name, *_ in doctor._CHECKS}  # pyright: ignore[reportPrivateUsage]
    assert {f"check_{name}" for name in checks} == {name for name in known if name.startswith("check_")}


def test_statements_outside_the_sql_files_only_keep_house() -> None:
    for use in (use for file in SQLITE_FILES for use in uses_in(file) if use.constant is not None):
        text = " ".join((use.constant or "").split())
        is_named = text in {statement.name for statement in read_queries()}
        is_house = text.startswith(HOUSEKEEPING) or any(table in text for table in OF_THE_HISTORY)
        assert is_named or is_house, use


def test_statements_of_the_server_outside_the_sql_files_only_keep_house() -> None:
    for use in (use for file in POSTGRES_FILES for use in uses_in(file) if use.constant is not None):
        text = " ".join((use.constant or "").split())
        is_house = text.startswith((*HOUSEKEEPING, *OF_THE_SERVER)) or any(t in text for t in OF_THE_HISTORY)
        assert text in KNOWN["postgres"] or is_house, use


@pytest.mark.parametrize("file", FOREIGN_FILES, ids=name_of)
def test_what_other_programs_hold_is_only_read(file: Path) -> None:
    texts = [
        node.value
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert any("select " in text for text in texts)
    written = ("insert ", "update ", "delete ", "create ", "drop ", "alter ", "truncate ")
    assert [text for text in texts if text.lstrip().lower().startswith(written)] == []


def test_the_tables_of_other_programs_are_named_by_constants() -> None:
    names = {name for layout in (BOT, CHATS) for name in (*layout.tables, *chain(*layout.tables.values()))}
    assert len(names) > 20
    assert [name for name in names if not re.fullmatch("[a-z][a-z_]*", name)] == []


def test_the_lint_sees_the_statements_that_there_are() -> None:
    assert sum(len(uses_in(file)) for file in SQLITE_FILES) >= 15
    assert sum(len(uses_in(file)) for file in OTHER_FILES) >= 60


@pytest.mark.parametrize(
    "code",
    [
        'connection.execute(f"select {x}")',
        'connection.execute("select %s" % x)',
        'connection.execute("select " + x)',
        'connection.execute("select {}".format(x))',
        'connection.execute("".join(parts))',
        'connection.execute("select 1".replace("1", x))',
        'connection.executemany(f"insert {x}", rows)',
        'sql = "select "\nsql += x\nconnection.execute(sql)',
        'sql = f"select {x}"\nother = sql\nconnection.execute(other)',
        "def f(text):\n    connection.execute(text)",
        "for sql in texts:\n    connection.execute(sql)",
        'for sql in ("a", f"b{x}"):\n    connection.execute(sql)',
        'connection.execute("a" if y else f"b{x}")',
        'in_thread(limiter, writer.execute, f"delete {x}")',
        'in_thread(limiter, driver.run, connection, f"select {x}", {})',
        'driver.run(connection, f"select {x}", {})',
        'session.stream("all_" + kind)',
        '_OF_ALL = _Statements("a", f"b{x}")\nsession.stream(self._statements.documents)',
        'if (sql := f"select {x}"):\n    connection.execute(sql)',
        "connection.execute(unknown)",
        "async def f(tx):\n    await tx.fetch(f'by_{kind}')",
    ],
)
def test_the_lint_finds_what_it_looks_for(code: str) -> None:
    assert any(use.problem for use in uses(ast.parse(code)))
