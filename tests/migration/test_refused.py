"""Files that are not, or not yet, or no longer, bases of this program."""

from __future__ import annotations

import hashlib
import random
import sqlite3
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from tests.faults.bases import digest_of, expected_findable, names_in, opened
from tests.faults.disks import ReadOnly, mounted
from tests.migration import migrations
from tests.migration.migrations import NEXT, REAL

from sourcebook.errors import (
    BaseDamaged,
    BaseReadOnly,
    BaseTooNew,
    BaseUnreachable,
    MigrationEdited,
    NotASourcebook,
    SourcebookError,
)
from sourcebook.storage.migrate import AppliedMigration, pending
from sourcebook.storage.sqlite import driver
from sourcebook.storage.sqlite.database import SqliteDatabase
from sourcebook.storage.sqlite.migrate import bring_up_to_date
from sourcebook.testing.crash import prepared_document

pytestmark = pytest.mark.anyio

# A released migration is never edited: bases in the world were made by exactly these bytes. Until the first release,
# an edit of 0001 is followed by a new line here; after it, by a new migration.
RELEASED = {
    "0001_the_base.sql": "49bf290669bdbad2a8844b694e3317d962be8ea8a60090c9deb6d1787273484d",
    "0002_wordings_and_repeats.sql": "d0e0fdb867fa4ef7206460a2634e48548d15cf230321846456a04182b40ed822",
    "0003_accounts.sql": "c42f34c0356115751b596f79d2695abfa0e5d3fec8c05b44a48a78ce0fbefc60",
    "0004_groups_of_drafts.sql": "0a0262e589dd8b80e756bcae12db1f2f359797392669c78eeb86c567294d0078",
    "0005_sections_of_sources.sql": "ac1f1ee3f1a115c4770e4b5dda6de08fdcc0fe119aeca0f1c12aa23aab1e60dd",
    "0006_rejected_answers.sql": "9b87556dc54a702c7cdd1ba23fc41f4feab53412920c3524cae1bf6c9f738276",
    "0007_chunks_by_id.sql": "5173e379b106f94e6e1bce5dd4a1ea145bb8e0f44e4cabf48843dacb5827d969",
    "0008_counts_of_drafts.sql": "f4dd060e423eb67f85d643a74894a83743c06ade538d7620bddc9c17d2417e75",
    "0009_counts_of_jobs.sql": "0c9f84e0cc47c00a3f5907636b6cea7ecf0a60f513e25e1889dce247d7f24bfd",
    "0010_short_list_of_new_facts.sql": "7d9d0ec238549672cfd5259e8e5013b095cf7c31890bd51802e4321207f36d55",
}


def test_the_migrations_are_those_that_were_released() -> None:
    folder = files("sourcebook.storage.sqlite") / "migrations"
    found = {
        file.name: hashlib.sha256(file.read_text("utf-8").encode()).hexdigest()
        for file in folder.iterdir()
        if file.name.endswith(".sql")
    }
    assert found == RELEASED


def test_a_base_is_given_what_it_lacks_in_order() -> None:
    assert pending([*REAL, NEXT], []) == [*REAL, NEXT]


def test_a_migration_that_was_released_later_with_a_lower_number_is_applied() -> None:
    applied = [AppliedMigration(m.version, m.name, m.digest) for m in (REAL[0], NEXT)]
    assert pending([*REAL, NEXT], applied) == list(REAL[1:])


async def refused(path: Path, error: type[SourcebookError]) -> SourcebookError:
    """Opening fails with this error, and leaves the file and its folder as they were."""
    before = {p: p.read_bytes() for p in path.parent.iterdir()}
    with pytest.raises(error) as caught:
        await SqliteDatabase.open(path)
    assert {p: p.read_bytes() for p in path.parent.iterdir()} == before
    assert caught.value.hint
    return caught.value


async def test_a_base_of_a_newer_version_is_refused_and_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    await digest_of(path, {0: 0})
    migrations.upgrade(path)
    error = await refused(path, BaseTooNew)
    assert str(NEXT.version) in error.message


async def test_a_base_made_by_an_edited_migration_is_refused_and_left_untouched(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    edited = [replace(REAL[0], sql=f"{REAL[0].sql}\ncreate table added (a integer) strict;\n"), *REAL[1:]]
    connection = driver.connect(path, busy_timeout=1)
    bring_up_to_date(connection, path, edited)
    connection.close()
    await refused(path, MigrationEdited)


async def test_a_copy_of_a_base_that_is_refused_keeps_its_mode(tmp_path: Path) -> None:
    await digest_of(tmp_path / "base.db", {0: 0})
    migrations.upgrade(tmp_path / "base.db")
    copy = tmp_path / "copy.db"
    source = driver.connect(tmp_path / "base.db", busy_timeout=1)
    driver.copy(source, copy)
    source.close()
    await refused(copy, BaseTooNew)
    connection = sqlite3.connect(copy)
    assert connection.execute("pragma journal_mode").fetchone() == ("delete",)
    connection.close()


@pytest.mark.parametrize("mode", ["delete", "wal"])
@pytest.mark.parametrize(
    "script",
    [
        "create table contacts (name text); insert into contacts values ('Анна');",
        "create table schema_migrations (version varchar not null); create table contacts (name text);",
        "create table schema_migrations (version integer, name text, digest text);",
        "create view answer as select 42;",
    ],
    ids=["contacts", "rails", "namesake", "view"],
)
async def test_a_database_of_another_program_is_refused_and_left_untouched(
    tmp_path: Path, script: str, mode: str
) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute(f"pragma journal_mode = {mode}")
    connection.executescript(script)
    connection.close()
    error = await refused(path, NotASourcebook)
    assert str(path) in error.message


@pytest.mark.parametrize(
    "content",
    [
        b"\x00" * 4096,
        b"SQLite format 3\x00" + b"\xff" * 4080,
        random.Random(4).randbytes(20_000),
    ],
    ids=["zeros", "header_alone", "noise"],
)
async def test_a_file_that_is_no_database_is_refused_and_left_untouched(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "diary.db"
    path.write_bytes(content)
    await refused(path, BaseDamaged)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"Dear diary, this is not a database at all.\n" * 40, "a text file"),
        ("Дневник. ".encode() * 512, "a text file"),
        (b"xy", "a text file"),
        (b"%PDF-1.7\n\x00\x01", "a PDF"),
        (b"PK\x03\x04\x14\x00", "a packed file"),
    ],
    ids=["text", "letters_cut_in_two", "two_bytes", "pdf", "docx"],
)
async def test_a_file_of_another_kind_is_said_to_be_no_base(
    tmp_path: Path, content: bytes, kind: str
) -> None:
    path = tmp_path / "diary.db"
    path.write_bytes(content)
    error = await refused(path, NotASourcebook)
    assert kind in error.message
    assert "Check `--db`" in error.hint


async def test_a_base_whose_first_page_is_text_is_damaged_if_its_files_are_there(
    tmp_path: Path,
) -> None:
    path = tmp_path / "base.db"
    path.write_bytes(b"Dear diary.\n" * 500)
    (tmp_path / "base.db.files").mkdir()
    with pytest.raises(BaseDamaged):
        await SqliteDatabase.open(path)


async def test_a_base_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    await digest_of(path, {0: 0})
    path.write_bytes(path.read_bytes()[:2000])
    before = path.read_bytes()
    with pytest.raises(BaseDamaged):
        await SqliteDatabase.open(path)
    assert path.read_bytes() == before


async def test_an_empty_file_becomes_a_base(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    path.touch()
    async with opened(path) as base:
        await base.write(prepared_document(0))
        assert await base.faults() == []


async def test_a_copy_of_a_base_is_opened_in_the_mode_in_which_readers_never_wait(tmp_path: Path) -> None:
    await digest_of(tmp_path / "base.db", {0: 0})
    source = driver.connect(tmp_path / "base.db", busy_timeout=1)
    driver.copy(source, tmp_path / "copy.db")
    source.close()
    async with (
        opened(tmp_path / "copy.db", busy_timeout=1) as base,
        base.database.transaction() as transaction,
    ):
        await transaction.execute("delete_all_documents", collection_id="default")
        assert await base.folder() == {0: 0}
        assert (tmp_path / "copy.db-wal").exists()


async def test_a_copy_on_a_disk_that_can_only_be_read_is_searched_and_not_written(tmp_path: Path) -> None:
    await digest_of(tmp_path / "base.db", {0: 0})
    source = driver.connect(tmp_path / "base.db", busy_timeout=1)
    driver.copy(source, tmp_path / "copy.db")
    source.close()
    with mounted(ReadOnly()) as vfs:
        async with opened(tmp_path / "copy.db", vfs=vfs) as base:
            assert await base.findable(0) == expected_findable(0, 0)
            with pytest.raises(BaseReadOnly):
                await base.write(prepared_document(1))
            assert await base.folder() == {0: 0}


async def test_a_folder_is_not_a_base(tmp_path: Path) -> None:
    with pytest.raises(BaseUnreachable):
        await SqliteDatabase.open(tmp_path)


async def test_a_base_below_a_file_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BaseUnreachable):
        await SqliteDatabase.open(tmp_path / "file" / "base.db")


ODD_NAMES = [
    "база знаний.db",
    "a'b\"c;--.db",
    "a?b=c&d#e.db",
    "100%.db",
    "file:x.db",
    "-wal",
    " .db",
    "😀.db",
]


@pytest.mark.parametrize("name", ODD_NAMES)
async def test_the_name_of_a_base_is_only_a_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    await digest_of(path, {0: 0})
    migrations.upgrade(path)
    assert names_in(tmp_path) == sorted([name, f"{name}.before-{NEXT.version:04d}"])
