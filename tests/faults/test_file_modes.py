"""S17: what is in a base is for its owner to read, and for others only if somebody said so."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

from sourcebook import AsyncSourcebook, OnExisting, Settings
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(os.name != "posix", reason="there are no such modes")]


@pytest.fixture(autouse=True)
def generous_umask() -> Generator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def opened(path: Path) -> AsyncSourcebook:
    return AsyncSourcebook(path, embedder=FakeEmbedder(16), settings=Settings())


def modes_in(folder: Path) -> dict[str, int]:
    return {path.relative_to(folder).as_posix(): path.stat().st_mode & 0o777 for path in folder.rglob("*")}


async def notes(book: AsyncSourcebook) -> list[str]:
    return [finding.code for finding in (await book.doctor()).findings]


async def test_whatever_is_made_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    async with opened(folder / "base.db") as book:
        await book.add_bytes("quinces.md", b"# Quinces\n\nThey are cooked.")
        await book.search("quinces")
        await book.backup(folder / "backups" / "kept")
        await book.export(folder / "bundle")
        await book.copy_to(folder / "copy.db")
        assert await notes(book) == []
    await opened(folder / "base.db").restore(folder / "backups" / "kept", on_existing=OnExisting.REPLACE)
    modes = modes_in(folder)
    assert {"base.db", "backups/kept", "bundle/manifest.json", "copy.db"} <= modes.keys()
    wide = {name: oct(mode) for name, mode in modes.items() if mode & 0o077}
    assert wide == {}
    assert folder.stat().st_mode & 0o777 == 0o700


async def test_a_mode_that_somebody_chose_is_kept_and_mentioned(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    async with opened(path) as book:
        await book.add_bytes("quinces.md", b"# Quinces\n\nThey are cooked.")
    path.chmod(0o640)
    async with opened(path) as book:
        await book.add_bytes("medlars.md", b"# Medlars\n\nThey are bletted.")
        assert await notes(book) == ["open_to_others"]
    assert path.stat().st_mode & 0o777 == 0o640
