"""F06 for what is no database: uploads and bundles that do not fit are refused, and leave nothing."""

from __future__ import annotations

import resource
import signal
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from sourcebook import AsyncSourcebook, Settings
from sourcebook.errors import BaseFull, StorageError
from sourcebook.storage.sqlite.base_files import stored_files_of
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.anyio

LARGE = b"# Quinces\n\n" + b"They are cooked for long. " * 60_000


@contextmanager
def small_disk(size: int) -> Generator[None]:
    """No file of this process can grow beyond the size."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def opened(path: Path) -> AsyncSourcebook:
    return AsyncSourcebook(path, embedder=FakeEmbedder(16), settings=Settings())


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


async def test_an_upload_that_does_not_fit_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    async with opened(path) as book:
        with small_disk(1 << 20):
            for add in (book.add_bytes, book.upload):
                with pytest.raises(BaseFull):
                    await add("quinces.md", LARGE)
        assert files_in(stored_files_of(path)) == []
        await book.add_bytes("quinces.md", b"# Quinces\n\nThey are cooked.")
        assert len(files_in(stored_files_of(path))) == 1


async def test_a_bundle_that_does_not_fit_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path / "base.db") as book:
        await book.add_bytes("quinces.md", LARGE)
        with small_disk(1 << 20), pytest.raises(BaseFull):
            await book.export(tmp_path / "out" / "bundle")
        assert list((tmp_path / "out").iterdir()) == []
        await book.export(tmp_path / "out" / "bundle")


async def test_bytes_of_which_the_base_has_no_room_to_speak_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    async with opened(path) as book:
        await book.add_bytes("medlars.md", LARGE[:100_000] + b" They are bletted.")
        before = files_in(stored_files_of(path))
        with small_disk(120_000):
            for add in (book.add_bytes, book.upload):
                with pytest.raises(StorageError):
                    await add("quinces.md", LARGE[:100_000])
        assert files_in(stored_files_of(path)) == before
        # What the base speaks of stays, whether the same bytes are refused now or there is just enough room.
        with small_disk(120_000), suppress(StorageError):
            await book.add_bytes("medlars.md", LARGE[:100_000] + b" They are bletted.", title="Other")
        assert files_in(stored_files_of(path)) == before
