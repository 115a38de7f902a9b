"""What lets a base be spread over servers, as far as it can be seen without Citus."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.architecture.test_schema import DOCUMENT_TABLES, REFERENCE_TABLES, ServerBase, bare_sql
from tests.architecture.test_schema import server_base as server_base
from tests.faces.shell import Shell
from tests.offenders import assert_none

from sourcebook.errors import UsageError
from sourcebook.storage.postgres import citus
from sourcebook.storage.postgres.database import PoolLimits, read_queries

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "scaling.md").read_text("utf-8")
STATEMENTS = {statement.name: bare_sql(statement.sql) for statement in read_queries(on_citus=True)}
SPREAD = re.compile(rf"\b(?:from|join|into|update)\s+(?:{'|'.join(citus.DOCUMENT_TABLES)})\b")
# Both kinds of table are named, and no row of the one is looked up by a row of the other: run on a cluster.
APART = {"base_counts", "log_change_of_all_documents", "forget_changes_of_present_documents"}
# Functions that PostgreSQL does not call immutable.
STABLE = re.compile(
    r"\b(?:jsonb?_build_\w+|to_jsonb?|row_to_json|format|concat(?:_ws)?|to_char|age|now)\s*\("
)


def test_the_advice_names_every_table_that_is_spread() -> None:
    assert citus.DOCUMENT_TABLES == {**DOCUMENT_TABLES, "postings": "document_id"}
    assert set(citus.REFERENCE_TABLES) == REFERENCE_TABLES


def test_what_is_spread_exists_with_the_column_by_which_it_is(server_base: ServerBase) -> None:
    for table, column in citus.DOCUMENT_TABLES.items():
        assert column in server_base.columns[table]
    assert set(citus.REFERENCE_TABLES) <= set(server_base.columns)


def test_the_settings_of_the_graph_are_those_of_every_connection() -> None:
    ours = {name: value for name, value in PoolLimits().settings().items() if name.startswith("hnsw.")}
    assert {name: value for name, value in citus.SETTINGS.items() if name.startswith("hnsw.")} == ours


def test_the_page_shows_the_calls_that_the_command_prints() -> None:
    calls = [s for s in citus.statements("sourcebook", 8) if "create_" in s and "extension" not in s]
    assert len(calls) == 8
    assert [call for call in calls if call not in PAGE] == []


def test_no_statement_does_what_citus_cannot() -> None:
    """No MERGE and nothing said to the session; rows are locked only in tables that stay on the coordinator."""
    forbidden = re.compile(r"\bmerge\s+into\b|\bset\s+(?:local|session)\b|\bplan_cache_mode\b")
    locking = re.compile(r"\bfor\s+(?:no\s+key\s+)?update\b")
    spread = re.compile(rf"\b(?:{'|'.join(citus.DOCUMENT_TABLES)})\b")
    assert_none(
        name
        for name, sql in STATEMENTS.items()
        if forbidden.search(sql) or (locking.search(sql) and spread.search(sql))
    )
    assert any(locking.search(sql) for sql in STATEMENTS.values()), "the pattern finds no lock at all"


def test_a_local_table_meets_documents_only_in_what_was_read_before(server_base: ServerBase) -> None:
    """A join of the two is refused, or sends a whole table to every worker: one side is read first, materialized."""
    local = set(server_base.columns) - set(citus.DOCUMENT_TABLES) - set(citus.REFERENCE_TABLES)
    named = re.compile(rf"\b(?:from|join|into|update)\s+(?:{'|'.join(sorted(local))})\b")
    both = {n for n, sql in STATEMENTS.items() if SPREAD.search(at_once(sql)) and named.search(at_once(sql))}
    assert_none(sorted(both - APART))
    assert both >= APART, "an exception that is none any more"


def test_no_recursion_goes_over_documents() -> None:
    assert_none(n for n, sql in STATEMENTS.items() if "with recursive" in sql and SPREAD.search(sql))


def test_a_lateral_part_with_an_offset_stands_on_documents_alone() -> None:
    """Citus refuses it beside a list of values or what was read before."""
    lateral = re.compile(r"\blateral\s*\([^;]*?\boffset\b")
    beside = re.compile(r"\bunnest\s*\(|\bas materialized\b")
    assert_none(
        n for n, s in STATEMENTS.items() if lateral.search(s) and beside.search(s) and SPREAD.search(s)
    )
    usual = [bare_sql(statement.sql) for statement in read_queries()]
    assert any(lateral.search(sql) for sql in usual), "the pattern finds nothing at all"


def test_documents_are_not_updated_by_functions_that_are_not_immutable() -> None:
    update = re.compile(rf"\bupdate\s+(?:{'|'.join(citus.DOCUMENT_TABLES)})\b")
    assert_none(
        n
        for n, sql in STATEMENTS.items()
        if (found := update.search(at_once(sql))) and STABLE.search(at_once(sql)[found.start() :])
    )


@pytest.mark.parametrize("shape", ["documents d join jobs", "x where exists (select 1 from jobs j)"])
def test_what_is_materialized_is_read_before(shape: str) -> None:
    parts = f"a as materialized (select f(1) from {shape}), b as materialized (select 2)"  # noqa: S608 - never run
    assert at_once(f"with {parts} select 3") == "with a as materialized , b as materialized  select 3"


def at_once(sql: str) -> str:
    """A statement without its materialized parts, which are run one by one before."""
    while found := re.search(r"\bas materialized \(", sql):
        depth, end = 1, found.end()
        while depth:
            depth += {"(": 1, ")": -1}.get(sql[end], 0)
            end += 1
        sql = f"{sql[: found.end() - 1]}\0{sql[end:]}"
    return sql.replace("\0", "")


def test_a_text_for_citus_stands_instead_of_another() -> None:
    usual = {statement.name: statement for statement in read_queries()}
    theirs = {statement.name: statement for statement in read_queries(on_citus=True)}
    assert usual.keys() == theirs.keys()
    assert sum(usual[name].sql != theirs[name].sql for name in usual) > 20


def test_the_numbers_of_terms_are_not_joined_to_what_is_spread() -> None:
    spread = rf"\b(?:from|join)\s+(?:{'|'.join(citus.DOCUMENT_TABLES)})\b"
    both = [
        n for n, sql in STATEMENTS.items() if re.search(r"\bjoin\s+terms\b", sql) and re.search(spread, sql)
    ]
    assert_none(name for name in both if not name.startswith(("check_", "repair_")))


def test_the_command_prints_statements_alone_on_stdout(tmp_path: Path) -> None:
    done = Shell(tmp_path).run("config", "citus", "--db", "postgresql://me@host/my%20base", "--shards", "4")
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert all(line.endswith(";") for line in lines)
    assert lines.index("set citus.shard_count = 4;") < lines.index(
        "select create_distributed_table('documents', 'id');"
    )
    assert any(line.startswith('alter database "my base" set') for line in lines)
    assert lines[-2:] == [
        "select citus_set_coordinator_host('COORDINATOR', 5432);",
        "select replicate_reference_tables('block_writes');",
    ]


def test_only_a_base_on_a_server_can_be_spread(tmp_path: Path) -> None:
    done = Shell(tmp_path).run("config", "citus", "--apply", "--db", str(tmp_path / "base.db"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "base on a server" in done.stderr


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("worker1", citus.Node("worker1", 5432)),
        ("worker1:6000", citus.Node("worker1", 6000)),
        ("[::1]:6000", citus.Node("::1", 6000)),
        ("[::1]", citus.Node("::1", 5432)),
    ],
)
def test_a_server_is_named_by_host_and_port(text: str, node: citus.Node) -> None:
    assert citus.Node.parse(text) == node
    assert citus.Node.parse(str(node)) == node


@pytest.mark.parametrize("text", ["", ":5432", "worker1:", "worker1:x", "worker1:0", "worker1:65536"])
def test_what_is_no_server_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        citus.Node.parse(text)


def test_names_cannot_break_out_of_their_quotes() -> None:
    [*_, settings, coordinator, _] = citus.spreading('a"b', 1, citus.Node("it's"))
    assert settings.statements[0].startswith('alter database "a""b" set')
    assert coordinator.statements == ("select citus_set_coordinator_host('it''s', 5432);",)
