"""An update and the way back, as docs/how-to/upgrade.md tells it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.migration.migrations import NEXT, REAL, made_by, upgrade

from sourcebook import OnExisting, Sourcebook
from sourcebook.errors import BaseTooNew
from sourcebook.testing.fakes import FakeEmbedder

PRUNING = "Prune raspberries in autumn."


def titles(path: Path) -> list[str | None]:
    with Sourcebook(path, embedder=FakeEmbedder()) as book:
        return [result.document_title for result in book.search("raspberries")]


def with_a_document(path: Path) -> Path:
    with Sourcebook(path, embedder=FakeEmbedder()) as book:
        book.add_text(PRUNING, title="Pruning")
    return path


@pytest.mark.parametrize("known", range(1, len(REAL)))
def test_a_base_of_an_earlier_version_is_brought_up_to_date_by_the_check(known: int, tmp_path: Path) -> None:
    path = made_by(REAL[:known], tmp_path / "base.db")
    with Sourcebook(path, embedder=FakeEmbedder()) as book:
        assert book.doctor().ok
    assert titles(with_a_document(path)) == ["Pruning"]
    assert (tmp_path / f"base.db.before-{REAL[known].version:04d}").is_file()


@pytest.mark.parametrize("kept", ["backup", "copy"])
def test_an_update_is_rolled_back_with_the_backup_or_the_copy_that_it_left(kept: str, tmp_path: Path) -> None:
    path = with_a_document(tmp_path / "base.db")
    book = Sourcebook(path, embedder=FakeEmbedder())
    book.backup(tmp_path / "backup")
    upgrade(path)
    with pytest.raises(BaseTooNew):
        titles(path)
    source = tmp_path / ("backup" if kept == "backup" else f"base.db.before-{NEXT.version:04d}")
    book.restore(source, on_existing=OnExisting.REPLACE)
    book.close()
    assert titles(path) == ["Pruning"]
    assert len(list(tmp_path.glob("base.db.before-restore-*"))) == 1
    upgrade(path)
    with pytest.raises(BaseTooNew):
        titles(path)
