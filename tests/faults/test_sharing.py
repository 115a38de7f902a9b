"""Several processes that add the same folder divide the work: nothing is embedded twice, and nothing is left undone."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.faults import sharers
from tests.faults.processes import talking

from sourcebook import Sourcebook
from sourcebook.settings import Settings
from sourcebook.testing.fakes import FakeEmbedder

FILES = 150


def embedded_alone(tmp_path: Path, folder: Path) -> int:
    embedder = FakeEmbedder()
    settings = Settings(db=str(tmp_path / "alone.db"), embedder="none", embedding_cache="none")
    with Sourcebook(settings=settings, embedder=embedder) as book:
        book.add(folder)
    return embedder.embedded


@pytest.mark.parametrize("count", [3])
def test_processes_share_a_folder_and_embed_nothing_twice(tmp_path: Path, db: str, count: int) -> None:
    folder = sharers.filled(tmp_path / "docs", FILES)
    with ExitStack() as all_of_them:
        lines = [all_of_them.enter_context(talking(sharers.add, db, folder))[1] for _ in range(count)]
        for line in lines:
            assert line.recv() == "ready"
        for line in lines:
            line.send("go")
        told = [line.recv() for line in lines]
    embedded, added, unchanged, failed = (sum(column) for column in zip(*told, strict=True))
    assert embedded == embedded_alone(tmp_path, folder)
    assert (added, unchanged, failed) == (FILES, FILES * (count - 1), 0)
    assert min(part for part, *_ in told) > 0, "one of them did nothing"


def test_what_a_killed_process_had_claimed_is_done_by_another(tmp_path: Path, db: str) -> None:
    folder = sharers.filled(tmp_path / "docs", FILES)
    with talking(sharers.add, db, folder) as (doomed, first), talking(sharers.add, db, folder) as (_, second):
        for line in (first, second):
            assert line.recv() == "ready"
            line.send("go")
        sharers.wait_for_documents(db, 10)
        doomed.kill()
        embedded, added, unchanged, failed = second.recv()
    assert (added + unchanged, failed) == (FILES, 0)
    assert embedded > 0
    with Sourcebook(settings=Settings(db=db, embedder="none"), embedder=FakeEmbedder()) as book:
        assert len(book.documents()) == FILES
        assert list(book.doctor().findings) == []
