"""What lets a base be spread over servers, as far as it can be seen without Citus."""

from __future__ import annotations

import re
from pathlib import Path

from tests.architecture.test_schema import DOCUMENT_TABLES, REFERENCE_TABLES, ServerBase, bare_sql
from tests.architecture.test_schema import server_base as server_base
from tests.faces.shell import Shell
from tests.offenders import assert_none

from sourcebook.storage.postgres import citus
from sourcebook.storage.postgres.database import PoolLimits, read_queries

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "scaling.md").read_text("utf-8")
STATEMENTS = {statement.name: bare_sql(statement.sql) for statement in read_queries()}


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
    assert lines[1] == "set citus.shard_count = 4;"
    assert all(line.endswith(";") for line in lines)
    assert 'alter database "my base" set' in lines[-1]
