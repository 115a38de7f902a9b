"""F04: a process stops at each step of a migration."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.faults.bases import digest_of, names_in, opened, rows_of
from tests.faults.processes import all_at_once, exit_code_of
from tests.migration import migrations, workers
from tests.migration.migrations import NEXT, REAL, STATEMENTS_OF_NEXT, schema_of

from sourcebook.storage.crash_points import CrashPoint
from sourcebook.storage.sqlite.migrate import statements
from sourcebook.testing.crash import CRASHED, MIGRATION_STEPS, prepared_document

pytestmark = pytest.mark.anyio

FOLDER = {0: 0, 1: 1, 2: 0}
STATEMENTS = sum(len(list(statements(migration.sql))) for migration in REAL)
POINTS_OF_A_NEW_BASE = [
    *((CrashPoint.MIGRATION_STATEMENT, nth) for nth in range(1, STATEMENTS + 1)),
    (CrashPoint.MIGRATION_BEGUN, 1),
    (CrashPoint.MIGRATION_RECORDED, 1),
    (CrashPoint.MIGRATION_COMMITTED, 1),
]
POINTS_OF_AN_UPGRADE = [
    (CrashPoint.MIGRATION_COPIED, 1),
    (CrashPoint.MIGRATION_BEGUN, 1),
    *((CrashPoint.MIGRATION_STATEMENT, nth) for nth in range(1, STATEMENTS_OF_NEXT + 1)),
    (CrashPoint.MIGRATION_RECORDED, 1),
    (CrashPoint.MIGRATION_COMMITTED, 1),
]


def test_every_step_of_a_migration_is_tested() -> None:
    assert STATEMENTS > 50
    assert STATEMENTS_OF_NEXT == 5
    assert {step for step, _ in POINTS_OF_AN_UPGRADE} == set(MIGRATION_STEPS)


@pytest.mark.parametrize("start", range(4))
async def test_a_base_whose_making_was_stopped_is_made_by_the_next_start(tmp_path: Path, start: int) -> None:
    undisturbed = tmp_path / "undisturbed.db"
    expected = await digest_of(undisturbed, FOLDER)
    for step, nth in POINTS_OF_A_NEW_BASE[start::4]:
        path = tmp_path / f"{step}-{nth}.db"
        assert exit_code_of(workers.open_base_and_stop_at, step, nth, path) == CRASHED
        made = schema_of(undisturbed) if step is CrashPoint.MIGRATION_COMMITTED else []
        assert schema_of(path) == made, f"{step} {nth}"

        async with opened(path) as base:
            assert await base.faults() == []
        assert schema_of(path) == schema_of(undisturbed)
        assert names_in(tmp_path, f"{path.name}.*") == [], "a new base needs no copy"
        assert await digest_of(path, FOLDER) == expected


@pytest.fixture
async def old(tmp_path: Path) -> Path:
    path = tmp_path / "base.db"
    await digest_of(path, FOLDER)
    return path


def old_rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row as it was before the upgrade: without the new table and the new column."""
    rows = rows_of(path, skip=frozenset({"schema_migrations", "shelves"}))
    if any(name == "shelves" for _, name, *_ in schema_of(path)):
        rows["documents"] = [row[:-1] for row in rows["documents"]]
    return rows


@pytest.mark.parametrize(("step", "nth"), POINTS_OF_AN_UPGRADE)
async def test_a_stopped_upgrade_leaves_the_old_version_or_the_new_and_the_next_start_completes_it(
    tmp_path: Path, old: Path, step: CrashPoint, nth: int
) -> None:
    rows, schema = old_rows(old), schema_of(old)
    upgraded = tmp_path / "upgraded.db"
    shutil.copyfile(old, upgraded)
    migrations.upgrade(upgraded)

    assert exit_code_of(migrations.upgrade_and_stop_at, step, nth, old) == CRASHED
    assert schema_of(old) == (schema_of(upgraded) if step is CrashPoint.MIGRATION_COMMITTED else schema)
    assert old_rows(old) == rows

    migrations.upgrade(old)
    assert schema_of(old) == schema_of(upgraded) != schema
    assert old_rows(old) == rows
    assert {row[-1] for row in rows_of(old)["documents"]} == {"c"}


@pytest.mark.parametrize(("step", "nth"), POINTS_OF_AN_UPGRADE)
async def test_the_copy_made_before_an_upgrade_opens_with_the_old_version(
    tmp_path: Path, old: Path, step: CrashPoint, nth: int
) -> None:
    expected = await digest_of(tmp_path / "undisturbed.db", FOLDER)
    exit_code_of(migrations.upgrade_and_stop_at, step, nth, old)
    migrations.upgrade(old)

    copy = tmp_path / f"base.db.before-{NEXT.version:04d}"
    assert names_in(tmp_path, "base.db*") == ["base.db", copy.name]
    async with opened(copy) as base:
        assert await base.faults() == []
        assert await base.digest() == expected
        await base.write(prepared_document(5))


async def test_a_base_that_is_up_to_date_is_not_copied(tmp_path: Path, old: Path) -> None:
    async with opened(old):
        pass
    assert names_in(tmp_path) == ["base.db"]


async def test_processes_that_open_a_missing_base_at_once_all_succeed(tmp_path: Path) -> None:
    for attempt in range(5):
        path = tmp_path / f"folder-{attempt}" / "base.db"
        assert all_at_once(workers.open_base, [(path,)] * 8) == [0] * 8
        assert names_in(path.parent, "base.db.*") == [], "a new base needs no copy"
        async with opened(path) as base:
            assert await base.faults() == []


async def test_processes_that_upgrade_a_base_at_once_all_succeed_and_leave_one_good_copy(
    tmp_path: Path,
) -> None:
    expected = await digest_of(tmp_path / "template.db", FOLDER)
    for attempt in range(5):
        folder = tmp_path / f"folder-{attempt}"
        folder.mkdir()
        path = folder / "base.db"
        shutil.copyfile(tmp_path / "template.db", path)
        assert all_at_once(migrations.upgrade, [(path,)] * 6) == [0] * 6
        assert len(schema_of(path)) > len(schema_of(tmp_path / "template.db"))
        copy = folder / f"base.db.before-{NEXT.version:04d}"
        assert names_in(folder, "base.db.*") == [copy.name]
        assert schema_of(copy) == schema_of(tmp_path / "template.db")
        async with opened(copy) as base:
            assert await base.digest() == expected
