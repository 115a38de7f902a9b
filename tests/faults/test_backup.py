"""F05: backups and exports while a base is used, and when a process dies over them."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import pytest
from tests.faults import keepers
from tests.faults.bases import digest_of, names_in, opened, rows_of
from tests.faults.disks import Volume, mounted
from tests.faults.keepers import back_up, bytes_of, digest_of_rows, end, restore
from tests.faults.processes import exit_code_of, talking

from sourcebook.errors import (
    BaseFull,
    BaseUnreachable,
    Conflict,
)
from sourcebook.model.backup import OnExisting
from sourcebook.storage.crash_points import CrashPoint, observe
from sourcebook.storage.progress import StagedProgress
from sourcebook.storage.sqlite.backup.writer import SHARES, BackupWriter
from sourcebook.storage.sqlite.base_files import stored_files_of
from sourcebook.testing.crash import CRASHED, KEEPING_STEPS, prepared_document

if TYPE_CHECKING:
    from sourcebook.model.add_reports import Progress

pytestmark = pytest.mark.anyio

FOLDER = {0: 0, 1: 0, 2: 0}
OTHER = {1: 1, 4: 0}
BACKUP_STEPS = [step for step in KEEPING_STEPS if step.name.startswith("BACKUP_")]
RESTORE_STEPS = [step for step in KEEPING_STEPS if step.name.startswith("RESTORE_")]


@pytest.fixture
async def base(tmp_path: Path) -> Path:
    path = tmp_path / "base.db"
    await digest_of(path, FOLDER)
    return path


@pytest.fixture
async def other(tmp_path: Path) -> Path:
    """A backup of another state."""
    await digest_of(tmp_path / "other.db", OTHER)
    await back_up(tmp_path / "other.db", tmp_path / "other.backup")
    return tmp_path / "other.backup"


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o777


async def digest_at(path: Path) -> str:
    async with opened(path) as book:
        assert await book.faults() == []
        return await book.digest()


# What a backup is


async def test_a_restored_backup_is_the_same_base(base: Path, tmp_path: Path) -> None:
    report = await back_up(base, tmp_path / "kept")
    restored = await restore(tmp_path / "kept", tmp_path / "new" / "base.db")
    assert report.digest == restored.digest == digest_of_rows(base)
    assert restored.counts == report.counts
    assert restored.former is None
    assert rows_of(tmp_path / "new" / "base.db") == rows_of(base)
    assert await digest_at(tmp_path / "new" / "base.db") == await digest_at(base)


async def test_a_backup_is_one_file_that_nobody_else_may_read(base: Path, tmp_path: Path) -> None:
    (tmp_path / base.name).chmod(0o640)
    await back_up(base, tmp_path / "backups" / "kept")
    assert names_in(tmp_path / "backups") == ["kept"]
    assert mode_of(tmp_path / "backups" / "kept") == 0o600
    await restore(tmp_path / "backups" / "kept", tmp_path / "new.db")
    assert mode_of(tmp_path / "new.db") == 0o600


async def test_what_takes_the_place_of_a_file_is_read_by_those_who_could_read_that(
    base: Path, other: Path, tmp_path: Path
) -> None:
    await back_up(base, tmp_path / "kept")
    (tmp_path / "kept").chmod(0o640)
    (tmp_path / base.name).chmod(0o644)
    await back_up(base, tmp_path / "kept", OnExisting.REPLACE)
    away = await restore(other, base)
    assert (mode_of(tmp_path / "kept"), mode_of(base)) == (0o640, 0o644)
    assert mode_of(Path(away.former or "")) == 0o600


# Several at once


async def test_backups_to_one_place_at_the_same_time_do_not_meet(base: Path, tmp_path: Path) -> None:
    stored_files_of(base).mkdir()
    (stored_files_of(base) / "aa").write_bytes(b"an upload")
    target = tmp_path / "kept"
    for _ in range(3):
        async with anyio.create_task_group() as group:
            for _ in range(4):
                group.start_soon(back_up, base, target, OnExisting.REPLACE)
        restored = await restore(target, tmp_path / "new.db")
        assert (restored.digest, restored.stored_files) == (digest_of_rows(base), 1)
    assert names_in(tmp_path, ".*") == []


async def test_what_another_container_is_making_is_not_taken_for_dead(base: Path, tmp_path: Path) -> None:
    """There both may be process 1, or one that the other cannot see."""
    with talking(keepers.back_up_and_wait, base, tmp_path / "kept") as (process, line):
        line.recv()
        (theirs,) = names_in(tmp_path, ".*")
        await back_up(base, tmp_path / "kept")
        assert names_in(tmp_path, ".*") == [theirs]
        process.kill()
        process.join()
    await back_up(base, tmp_path / "kept", OnExisting.REPLACE)
    assert names_in(tmp_path, ".*") == []


async def test_a_backup_of_a_base_in_use_holds_all_that_was_acknowledged_before_it_began(
    tmp_path: Path,
) -> None:
    path = tmp_path / "base.db"
    await digest_of(path, {})
    with talking(keepers.write_on, path) as (_, line):
        for number in range(3):
            acknowledged = [line.recv() for _ in range(5)][-1]
            await back_up(path, tmp_path / f"kept{number}")
            # The writer went on meanwhile.
            assert line.recv() > acknowledged
            await restore(tmp_path / f"kept{number}", tmp_path / f"restored{number}.db")
            async with opened(tmp_path / f"restored{number}.db") as book:
                assert await book.faults() == []
                found = await book.folder()
            assert found == dict.fromkeys(range(len(found)), 0)
            assert len(found) > acknowledged


async def test_progress_goes_from_nothing_to_all(base: Path, tmp_path: Path) -> None:
    seen: list[Progress] = []
    await keepers.backups_of(base).write(tmp_path / "kept", OnExisting.REFUSE, seen.append)
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    assert seen[-1].done == seen[-1].total


# Where it may not be written


@pytest.mark.parametrize("name", ["base.db", "base.db-wal", "base.db.files/x", "base.db.derived/x"])
@pytest.mark.parametrize("on_existing", OnExisting)
async def test_what_belongs_to_the_base_is_never_written_over(
    base: Path, name: str, on_existing: OnExisting
) -> None:
    before = bytes_of(base)
    with pytest.raises(Conflict):
        await back_up(base, base.parent / name, on_existing)
    assert bytes_of(base) == before


async def test_a_link_to_the_base_is_the_base(base: Path, tmp_path: Path) -> None:
    os.link(base, tmp_path / "hard")
    (tmp_path / "soft").symlink_to(base)
    for name in ("hard", "soft"):
        with pytest.raises(Conflict):
            await back_up(base, tmp_path / name, OnExisting.REPLACE)


async def test_a_backup_is_replaced_only_with_consent_and_nothing_else_is_replaced_at_all(
    base: Path, tmp_path: Path
) -> None:
    first = await back_up(base, tmp_path / "kept")
    with pytest.raises(Conflict, match="already exists"):
        await back_up(base, tmp_path / "kept")
    async with opened(base) as book:
        await book.write(prepared_document(3))
    second = await back_up(base, tmp_path / "kept", OnExisting.REPLACE)
    assert second.digest != first.digest
    assert digest_of_rows(tmp_path / "kept") == second.digest

    (tmp_path / "letters.txt").write_text("These are my letters.")
    with pytest.raises(Conflict, match="not a backup"):
        await back_up(base, tmp_path / "letters.txt", OnExisting.REPLACE)
    with pytest.raises(Conflict):
        await back_up(base, tmp_path, OnExisting.REPLACE)
    assert (tmp_path / "letters.txt").read_text() == "These are my letters."


async def test_a_base_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(BaseUnreachable):
        await back_up(tmp_path / "nothing.db", tmp_path / "kept")
    assert names_in(tmp_path) == []


# A process that dies


async def test_a_backup_and_a_restore_pass_the_steps_that_are_tested(base: Path, other: Path) -> None:
    seen: list[CrashPoint] = []
    observe(seen.append)
    try:
        await back_up(base, base.parent / "kept")
        await restore(other, base)
    finally:
        observe(None)
    assert len(BACKUP_STEPS) >= 5
    assert len(RESTORE_STEPS) >= 5
    assert set(KEEPING_STEPS) <= set(seen)


@pytest.mark.parametrize("step", BACKUP_STEPS)
async def test_a_process_that_dies_over_a_backup_leaves_a_whole_one_or_none(
    base: Path, tmp_path: Path, step: CrashPoint
) -> None:
    before, target = digest_of_rows(base), tmp_path / "backups" / "kept"
    code = exit_code_of(keepers.back_up_and_stop_at, step, base, target, OnExisting.REFUSE)
    assert code == CRASHED
    assert target.exists() == (step is CrashPoint.BACKUP_NAMED)
    if target.exists():
        await restore(target, tmp_path / "restored.db")
        assert digest_of_rows(tmp_path / "restored.db") == before
    assert await digest_at(base)
    assert digest_of_rows(base) == before
    # The next one cleans up.
    await back_up(base, target, OnExisting.REPLACE)
    assert names_in(target.parent, "*") + names_in(target.parent, ".*") == ["kept"]


@pytest.mark.parametrize("step", BACKUP_STEPS)
async def test_a_process_that_dies_over_a_replacement_leaves_the_old_backup_or_the_new(
    base: Path, other: Path, step: CrashPoint
) -> None:
    old, new = digest_of_rows(other), digest_of_rows(base)
    code = exit_code_of(keepers.back_up_and_stop_at, step, base, other, OnExisting.REPLACE)
    assert code == CRASHED
    assert digest_of_rows(other) == (new if step is CrashPoint.BACKUP_NAMED else old)
    await restore(other, other.with_name("restored.db"))


@pytest.mark.parametrize("kills", [10, pytest.param(200, marks=pytest.mark.soak)])
async def test_whenever_a_process_is_killed_over_a_backup_there_is_a_whole_one(
    base: Path, tmp_path: Path, kills: int
) -> None:
    chance, target, expected = random.Random(kills), tmp_path / "kept", digest_of_rows(base)
    await back_up(base, target)
    for number in range(kills):
        with talking(keepers.back_up_again_and_again, base, target) as (process, line):
            assert line.recv() == "ready"
            end(process, line, chance.uniform(0, 0.15))
        assert digest_of_rows(target) == expected
        if number % 5 == 0:
            await restore(target, tmp_path / "restored.db")
            assert digest_of_rows(tmp_path / "restored.db") == expected
    assert digest_of_rows(base) == expected


# A disk that is full


@pytest.mark.parametrize("room", [0, 20_000, 200_000])
async def test_a_backup_that_does_not_fit_is_an_error_and_leaves_nothing(
    base: Path, tmp_path: Path, room: int
) -> None:
    before, folder = digest_of_rows(base), tmp_path / "small"
    volume = Volume(room)
    with mounted(volume) as vfs:
        writer = BackupWriter(base, folder / "kept", "test", 0, StagedProgress(SHARES), vfs=vfs)
        with pytest.raises(BaseFull) as caught:
            await anyio.to_thread.run_sync(writer.run, OnExisting.REFUSE)
        assert "space" in caught.value.hint
        assert list(folder.iterdir()) == []
        volume.free(1 << 30)
        await anyio.to_thread.run_sync(writer.run, OnExisting.REFUSE)
    assert digest_of_rows(folder / "kept") == digest_of_rows(base) == before


@pytest.mark.parametrize("stage", list(SHARES))
async def test_a_backup_that_is_cancelled_leaves_nothing(base: Path, tmp_path: Path, stage: str) -> None:
    stored_files_of(base).mkdir()
    (stored_files_of(base) / "aa").write_bytes(b"a")
    folder = tmp_path / "backups"
    with anyio.CancelScope() as scope:

        def cancel(progress: Progress) -> None:
            if progress.path == stage:
                scope.cancel()

        await keepers.backups_of(base).write(folder / "kept", OnExisting.REFUSE, cancel)
    assert scope.cancelled_caught
    assert list(folder.iterdir()) == []


# Exports


@pytest.mark.parametrize("kills", [10, pytest.param(200, marks=pytest.mark.soak)])
async def test_whenever_a_process_is_killed_over_an_export_there_is_a_whole_bundle_or_none(
    tmp_path: Path, kills: int
) -> None:
    base = tmp_path / "base.db"
    await digest_of(base, dict.fromkeys(range(20), 0))
    expected, chance = await digest_at(base), random.Random(kills)
    for number in range(kills):
        target = tmp_path / f"bundle{number}"
        with talking(keepers.export, base, target) as (process, line):
            assert line.recv() == "ready"
            end(process, line, chance.uniform(0, 0.2))
        assert await digest_at(base) == expected
        if target.exists():
            assert await keepers.digest_of_import(target, tmp_path / f"imported{number}.db") == expected
