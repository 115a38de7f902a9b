"""What lies beside a base: uploads, derived files, and what killed programs left."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.faults.bases import Base, opened

from sourcebook.ingest.fingerprint import hash_bytes
from sourcebook.storage.maintenance.installed_extras import examined, packages_of
from sourcebook.storage.sqlite.base_files import derived_files_of, stored_files_of
from sourcebook.storage.sqlite.doctor_file_checks import SqliteFileHealth
from sourcebook.storage.temporary_folders import temporary_folder
from sourcebook.testing.crash import prepared_document

pytestmark = pytest.mark.anyio

UPLOAD = b"the bytes of an upload"
NAME = "ab/abcdefgh"


@pytest.fixture
async def base(tmp_path: Path) -> AsyncGenerator[Base]:
    """A base with a document that was uploaded."""
    async with opened(tmp_path / "base.db") as made:
        prepared = prepared_document(0)
        document = replace(prepared.document, stored_file=NAME, file_hash=hash_bytes(UPLOAD))
        await made.write(replace(prepared, document=document))
        put(stored_files_of(made.file.path) / NAME, UPLOAD)
        yield made


def put(path: Path, content: bytes, age: float = 0.0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (time.time() - age, time.time() - age))
    return path


async def found(base: Base) -> dict[str, list[str]]:
    """The faults by their code, each with the last parts of the names that it gives."""
    findings = await SqliteFileHealth(base.file).findings()
    return {f.code: [Path(row).name for row in f.rows] for f in findings if f.weight == "fault"}


async def test_an_upload_that_is_there_is_in_order(base: Base) -> None:
    assert await found(base) == {}


async def test_an_upload_that_is_gone_or_changed_is_named_by_its_document(base: Base) -> None:
    file = stored_files_of(base.file.path) / NAME
    file.write_bytes(UPLOAD[::-1])
    assert await found(base) == {"changed_files": ["00000.md"]}
    file.unlink()
    assert await found(base) == {"missing_files": ["00000.md"]}
    # Nothing brings it back but its owner.
    assert await SqliteFileHealth(base.file).repair() == []
    assert await found(base) == {"missing_files": ["00000.md"]}


async def test_a_file_that_belongs_to_nothing_is_removed_when_it_is_old_enough(base: Base) -> None:
    folder = stored_files_of(base.file.path)
    stray = put(folder / "cd" / "stray", b"x", age=7200)
    young = put(folder / "cd" / "young", b"x")
    waiting = put(folder / "cd" / "waiting", b"x", age=7200)
    await base.stores.jobs.enqueue("uploads", {"file": "cd/waiting"})
    assert await found(base) == {"stray_files": ["stray"]}
    (repair,) = await SqliteFileHealth(base.file).repair()
    assert (repair.code, repair.count) == ("leftovers", 1)
    assert [stray.exists(), young.exists(), waiting.exists(), (folder / NAME).exists()] == [
        False,
        True,
        True,
        True,
    ]
    assert await found(base) == {}


async def test_derived_files_that_the_base_does_not_know_are_removed(base: Base) -> None:
    folder = derived_files_of(base.file.path)
    put(folder / "words-x-1-cosine-aaaa.bin", b"x", age=7200)
    put(folder / "words-x-1-cosine-bbbb.unfinished", b"x", age=7200)
    put(folder / "words-x-1-cosine-cccc.bin", b"x")
    known = put(folder / "words-x-1-cosine-dddd.bin", b"x", age=7200)
    await base.file.execute("put_derived_file", key="derived:words-x", value='{"token": "dddd", "seq": 1}')
    assert sorted((await found(base))["leftovers"]) == [
        "words-x-1-cosine-aaaa.bin",
        "words-x-1-cosine-bbbb.unfinished",
    ]
    await SqliteFileHealth(base.file).repair()
    assert sorted(p.name for p in folder.iterdir()) == ["words-x-1-cosine-cccc.bin", known.name]


async def test_what_a_program_is_making_now_is_left_alone(base: Base) -> None:
    of_earlier_version = put(base.file.path.with_name(".kept.unfinished-999999999"), b"x", age=7200)
    dead = base.file.path.with_name(".bundle.unfinished-0123456789abcdef")
    put(dead / "lock", b"")
    with temporary_folder(base.file.path.with_name("kept"), "unfinished") as mine:
        os.utime(mine, (0, 0))
        young = put(base.file.path.with_name(".kept.unfinished-999999998"), b"x")
        assert sorted((await found(base))["leftovers"]) == sorted([dead.name, of_earlier_version.name])
        await SqliteFileHealth(base.file).repair()
        assert [path.exists() for path in (mine, young, dead, of_earlier_version)] == [
            True,
            True,
            False,
            False,
        ]
    assert not mine.exists()


async def test_a_bundle_that_was_about_to_be_replaced_gets_its_name_back(base: Base) -> None:
    dead = base.file.path.with_name(".bundle.unfinished-0123456789abcdef")
    put(dead / "lock", b"")
    put(dead / "replaced" / "documents.jsonl", b"earlier")
    await SqliteFileHealth(base.file).repair()
    assert base.file.path.with_name("bundle").joinpath("documents.jsonl").read_bytes() == b"earlier"
    assert not dead.exists()


async def test_a_vector_that_makes_no_sense_is_found_and_removed(base: Base) -> None:
    chunk = prepared_document(0).chunks[0].chunk
    key = {"collection_id": "default", "document_id": chunk.document_id, "chunk_id": chunk.id, "model_id": 1}
    for numbers in (b"\x00\x7e" * 16, b"\x00\x7c" * 16, b"\x00\x48" * 16):  # NaN, infinity, and far too long
        await base.file.execute("delete_vector", **key)
        await base.file.execute("insert_vector", **key, vector=numbers)
        assert await found(base) == {"strange_vectors": [chunk.id]}
    await SqliteFileHealth(base.file).repair()
    assert await found(base) == {}


def test_the_optional_parts_are_read_from_what_the_package_asks_for() -> None:
    parts = packages_of(
        [
            "anyio>=4.8",
            'asyncpg>=0.30; extra == "postgres"',
            "no-such-package>=1; extra == 'postgres'",
            "pytest>=8; extra == 'eval'",
        ]
    )
    assert parts == {"postgres": ["asyncpg", "no-such-package"], "eval": ["pytest"]}
    assert {part.name: part.state for part in examined(parts)} == {
        "eval": "installed",
        "postgres": "needs pip install 'sourcebook[postgres]', for bases on PostgreSQL",
    }
