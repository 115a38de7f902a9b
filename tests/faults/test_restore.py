"""F05: a base made again from a backup, and when a process dies over that."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import apsw
import pytest
from tests.faults import keepers
from tests.faults.bases import digest_of, names_in, opened, plain_connection
from tests.faults.keepers import back_up, bytes_of, digest_of_rows, end, restore, without_sides
from tests.faults.processes import PATIENCE, exit_code_of, talking
from tests.migration.migrations import upgrade

from sourcebook import AsyncSourcebook, Settings
from sourcebook.errors import (
    BackupDamaged,
    BaseBusy,
    BaseTooNew,
    Conflict,
    NotASourcebook,
    PathNotFound,
    UsageError,
)
from sourcebook.model.backup import OnExisting
from sourcebook.storage.crash_points import CrashPoint
from sourcebook.storage.sqlite.base_files import stored_files_of
from sourcebook.testing.crash import CRASHED, KEEPING_STEPS

pytestmark = pytest.mark.anyio

FOLDER = {0: 0, 1: 0, 2: 0}
OTHER = {1: 1, 4: 0}
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


async def digest_at(path: Path) -> str:
    async with opened(path) as book:
        assert await book.faults() == []
        return await book.digest()


# What is restored


async def test_a_base_that_is_there_is_replaced_only_with_consent_and_kept(base: Path, other: Path) -> None:
    before = digest_of_rows(base)
    with pytest.raises(Conflict):
        await restore(other, base, OnExisting.REFUSE)
    assert digest_of_rows(base) == before
    report = await restore(other, base)
    assert digest_of_rows(base) == digest_of_rows(other) == report.digest
    assert report.former is not None
    assert digest_of_rows(Path(report.former)) == before
    # Once more, and back.
    again = await restore(Path(report.former), base)
    assert digest_of_rows(base) == before
    assert again.former != report.former


async def test_while_another_process_has_the_base_open_nothing_is_restored(base: Path, other: Path) -> None:
    before = digest_of_rows(base)
    restorer = keepers.backups_of(base)
    with talking(keepers.keep_open, base) as (process, line):
        assert line.recv() == "open"
        with pytest.raises(BaseBusy) as caught:
            await restorer.restore(other, OnExisting.REPLACE)
        assert "bot" in caught.value.hint
        assert digest_of_rows(base) == before
        line.send("close")
        process.join(PATIENCE)
    assert names_in(base.parent, ".*") + names_in(base.parent, "*before-restore*") == []
    await restorer.restore(other, OnExisting.REPLACE)
    assert digest_of_rows(base) == digest_of_rows(other)


async def test_the_log_and_the_derived_files_of_the_former_base_do_not_survive(
    tmp_path: Path, other: Path
) -> None:
    base = tmp_path / "base.db"
    assert exit_code_of(keepers.write_and_die, base, 5) == 9
    assert (tmp_path / "base.db-wal").stat().st_size > 0
    (tmp_path / "base.db.derived").mkdir()
    (tmp_path / "base.db.derived" / "words-x.bin").write_bytes(b"of the former base")
    report = await restore(other, base)
    assert names_in(tmp_path, "base.db*") == ["base.db", Path(report.former or "").name]
    assert digest_of_rows(base) == digest_of_rows(other)
    # What was only in the log is in the base that was kept.
    async with opened(Path(report.former or "")) as former:
        assert await former.folder() == dict.fromkeys(range(5), 0)


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 1000, bytes(5000)])
async def test_a_base_that_cannot_be_opened_is_replaced_too_and_kept_as_it_was(
    base: Path, other: Path, damage: bytes
) -> None:
    without_sides(base).write_bytes(damage)
    base.with_name("base.db-wal").write_bytes(b"a log of nothing")
    report = await restore(other, base)
    assert digest_of_rows(base) == digest_of_rows(other)
    if damage:
        assert bytes_of(Path(report.former or "")) == damage
    assert await digest_at(base)


async def test_a_file_that_is_no_base_is_not_replaced(tmp_path: Path, other: Path) -> None:
    diary = tmp_path / "diary.md"
    diary.write_text("Dear diary, this is no base.")
    with pytest.raises(NotASourcebook):
        await restore(other, diary)
    assert diary.read_text() == "Dear diary, this is no base."
    assert names_in(tmp_path, "diary.md*") == ["diary.md"]


async def test_a_log_without_its_base_does_not_get_into_a_restored_one(tmp_path: Path, other: Path) -> None:
    assert exit_code_of(keepers.write_and_die, tmp_path / "base.db", 5) == 9
    (tmp_path / "base.db").unlink()
    await restore(other, tmp_path / "base.db")
    assert digest_of_rows(tmp_path / "base.db") == digest_of_rows(other)


async def test_a_damaged_backup_is_refused_or_was_not_damaged_where_it_counts(tmp_path: Path) -> None:
    """Bytes that belong to nothing may change: then the restored base is still the same."""
    base = tmp_path / "base.db"
    await digest_of(base, dict.fromkeys(range(60), 0))
    expected = (await back_up(base, tmp_path / "kept")).digest
    whole = (tmp_path / "kept").read_bytes()
    chance = random.Random(5)
    refused = 0
    for _ in range(60):
        content = bytearray(whole)
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        (tmp_path / "kept").write_bytes(content)
        before = digest_of_rows(base)
        try:
            restored = await restore(tmp_path / "kept", tmp_path / "restored.db")
        except (BackupDamaged, BaseTooNew):
            refused += 1
            assert not (tmp_path / "restored.db").exists()
        else:
            assert restored.digest == digest_of_rows(tmp_path / "restored.db") == expected
            without_sides(tmp_path / "restored.db").unlink()
        assert digest_of_rows(base) == before
        assert names_in(tmp_path, ".*") == []
    assert refused > 15


@pytest.mark.parametrize("length", [0, 100, 4096, 100_000])
async def test_a_backup_that_was_cut_is_refused(base: Path, tmp_path: Path, length: int) -> None:
    await back_up(base, tmp_path / "kept")
    before = digest_of_rows(base)
    (tmp_path / "kept").write_bytes((tmp_path / "kept").read_bytes()[:length])
    with pytest.raises(BackupDamaged):
        await restore(tmp_path / "kept", base)
    assert digest_of_rows(base) == before


async def test_what_is_no_backup_is_not_restored(base: Path, tmp_path: Path) -> None:
    with pytest.raises(PathNotFound):
        await restore(tmp_path / "nothing", base)
    with pytest.raises(Conflict):
        await restore(base, base)
    (tmp_path / "letters").write_text("These are my letters." * 1000)
    with pytest.raises(BackupDamaged):
        await restore(tmp_path / "letters", base)


async def test_a_base_with_a_stranger_in_it_is_not_restored_and_not_replaced(
    base: Path, other: Path, tmp_path: Path
) -> None:
    import sqlite3

    strange = tmp_path / "strange.db"
    shutil.copyfile(other, strange)
    with sqlite3.connect(strange) as connection:
        connection.execute("create trigger t after insert on users begin delete from users; end")
    connection.close()
    with pytest.raises(BackupDamaged, match="no base holds"):
        await restore(strange, base)
    with sqlite3.connect(tmp_path / "letters.db") as connection:
        connection.execute("create table letters (text)")
    connection.close()
    before = (tmp_path / "letters.db").read_bytes()
    with pytest.raises(NotASourcebook):
        await restore(other, tmp_path / "letters.db")
    assert (tmp_path / "letters.db").read_bytes() == before


async def test_a_backup_of_a_later_version_is_refused(base: Path, other: Path, tmp_path: Path) -> None:
    upgrade(base)
    await back_up(base, tmp_path / "later")
    await digest_of(tmp_path / "mine.db", FOLDER)
    before = digest_of_rows(tmp_path / "mine.db")
    with pytest.raises(BaseTooNew):
        await restore(tmp_path / "later", tmp_path / "mine.db")
    assert digest_of_rows(tmp_path / "mine.db") == before


# Uploads


def content_of(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


async def test_uploads_are_in_the_backup_and_come_back(base: Path, other: Path, tmp_path: Path) -> None:
    folder = stored_files_of(base)
    (folder / "ab").mkdir(parents=True)
    (folder / "ab" / "large").write_bytes(random.Random(1).randbytes(3 << 20))
    (folder / "empty").write_bytes(b"")
    (folder / "half.unfinished").write_bytes(b"of an upload that is going on")
    kept = {name: data for name, data in content_of(folder).items() if not name.endswith(".unfinished")}
    report = await back_up(base, tmp_path / "kept")
    assert report.stored_files == 2

    away = await restore(other, base)
    assert content_of(folder) == {}
    assert kept.items() <= content_of(stored_files_of(Path(away.former or ""))).items()

    back = await restore(tmp_path / "kept", base)
    assert back.stored_files == 2
    assert content_of(folder) == kept
    assert digest_of_rows(base) == report.digest
    # The room that they took in the backup is not taken in the base.
    assert len(bytes_of(base)) < 2 << 20


async def test_a_backup_that_was_never_completed_is_refused(base: Path, other: Path) -> None:
    before = digest_of_rows(base)
    for undone in ("delete from backup_info", "drop table backup_info"):
        connection = plain_connection(other, apsw.SQLITE_OPEN_READWRITE)
        connection.execute(undone)
        connection.close()
        with pytest.raises(BackupDamaged, match="never completed"):
            await restore(other, base)
    assert digest_of_rows(base) == before


async def test_a_base_is_restored_with_the_uploads_beside_it_or_not_at_all(
    base: Path, other: Path, tmp_path: Path
) -> None:
    connection = plain_connection(base, apsw.SQLITE_OPEN_READWRITE)
    connection.execute("update documents set stored_file = 'ab/c' where rowid = 1")
    connection.close()
    with pytest.raises(BackupDamaged, match="1 of its uploads"):
        await restore(base, tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()
    (stored_files_of(base) / "ab").mkdir(parents=True)
    (stored_files_of(base) / "ab" / "c").write_bytes(b"an upload")
    await restore(base, tmp_path / "new.db")
    assert content_of(stored_files_of(tmp_path / "new.db")) == {"ab/c": b"an upload"}
    # What a restore put away is such a base, too.
    away = await restore(other, tmp_path / "new.db")
    await restore(Path(away.former or ""), tmp_path / "new.db")
    assert content_of(stored_files_of(tmp_path / "new.db")) == {"ab/c": b"an upload"}


async def test_an_upload_that_changed_in_the_backup_is_noticed(base: Path, tmp_path: Path) -> None:
    stored_files_of(base).mkdir()
    (stored_files_of(base) / "aa").write_bytes(b"the words of an upload" * 500)
    await back_up(base, tmp_path / "kept")
    content = (tmp_path / "kept").read_bytes()
    assert content.count(b"words of an upload") >= 100
    (tmp_path / "kept").write_bytes(content.replace(b"words of an upload", b"words of an uplaod", 1))
    with pytest.raises(BackupDamaged, match="aa"):
        await restore(tmp_path / "kept", tmp_path / "new.db")


@pytest.mark.parametrize("step", RESTORE_STEPS)
async def test_a_process_that_dies_over_a_restore_leaves_every_base_its_uploads(
    base: Path, tmp_path: Path, step: CrashPoint
) -> None:
    """Whichever base it leaves finds its uploads; that some of the other's are there too does no harm."""
    folder = stored_files_of(base)
    folder.mkdir()
    (folder / "old").write_bytes(b"old")
    await back_up(base, tmp_path / "kept")
    (folder / "old").unlink()
    (folder / "new").write_bytes(b"new")
    assert exit_code_of(keepers.restore_and_stop_at, step, tmp_path / "kept", base) == CRASHED
    found = content_of(folder)
    if step in (CrashPoint.RESTORE_PREPARED,):
        assert found == {"new": b"new"}
    else:
        assert found == {"new": b"new", "old": b"old"}


# A process that dies


@pytest.mark.parametrize("step", RESTORE_STEPS)
async def test_a_process_that_dies_over_a_restore_leaves_the_old_base_or_the_new(
    base: Path, other: Path, step: CrashPoint
) -> None:
    old, new = digest_of_rows(base), digest_of_rows(other)
    assert exit_code_of(keepers.restore_and_stop_at, step, other, base) == CRASHED
    assert await digest_at(base)
    assert digest_of_rows(base) == (new if step is CrashPoint.RESTORE_INSTALLED else old)
    # And it can be done again.
    await restore(other, base)
    assert digest_of_rows(base) == new


@pytest.mark.parametrize("kills", [10, pytest.param(200, marks=pytest.mark.soak)])
async def test_whenever_a_process_is_killed_over_a_restore_there_is_a_whole_base(
    base: Path, other: Path, kills: int
) -> None:
    chance, kept = random.Random(kills), base.with_name("kept")
    await back_up(base, kept)
    allowed = {digest_of_rows(kept), digest_of_rows(other)}
    seen: set[str] = set()
    for _ in range(kills):
        with talking(keepers.restore_again_and_again, [kept, other], base) as (process, line):
            assert line.recv() == "ready"
            end(process, line, chance.uniform(0, 0.3))
        assert await digest_at(base)
        seen.add(digest_of_rows(base))
        assert seen <= allowed
        for former in base.parent.glob("base.db.before-restore-*"):
            assert digest_of_rows(former) in allowed
            former.unlink()
    assert seen


async def test_a_choice_that_means_nothing_replaces_nothing(base: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    async with AsyncSourcebook(base, settings=Settings(embedder="none")) as book:
        await book.backup(kept)
        before = bytes_of(kept)
        for write in (book.backup, book.restore, book.export):
            with pytest.raises(UsageError, match="on_existing"):
                await write(kept, on_existing="error")  # pyright: ignore[reportArgumentType] - as a slip would
    assert bytes_of(kept) == before
