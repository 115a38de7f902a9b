"""Adding the sample library with the parsers as they run for users, and adding it again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.faults.bases import rows_of

from sourcebook import DocumentStatus, Settings, Sourcebook
from sourcebook.errors import TooManyRemovals
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.ports.providers import TextRole

SAMPLE = Path(__file__).parents[2] / "sample" / "documents"


class NoEmbedder:
    """An embedder that nobody may as much as look at."""

    @property
    def model(self) -> None:
        raise AssertionError("the embedder was asked what it is")

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        raise AssertionError("something was embedded")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base of the sample library."""
    path = tmp_path_factory.mktemp("sample") / "base.db"
    with Sourcebook(settings=Settings(db=str(path), embedder="none"), embedder=FakeEmbedder()) as book:
        report = book.add(SAMPLE)
        assert (report.failed, report.skipped) == ([], {})
        assert report.added == len([file for file in SAMPLE.rglob("*") if file.is_file()])
    return path


def test_every_file_is_read_and_described_by_its_place(base: Path) -> None:
    with Sourcebook(settings=Settings(db=str(base), embedder="none")) as book:
        documents = book.documents()
        assert {document.status for document in documents} == {DocumentStatus.COMPLETED}
        assert all(document.chunk_count and document.language for document in documents)
        folders = {file.parent.name for file in SAMPLE.rglob("*") if file.is_file()}
        assert {document.subcategory for document in documents} == folders
        assert book.doctor().ok


def test_an_unchanged_folder_costs_no_embedding_no_parsing_and_no_write_to_documents(base: Path) -> None:
    before = rows_of(base)
    settings = Settings(db=str(base), embedder="none")
    with Sourcebook(settings=settings, embedder=NoEmbedder()) as book:  # pyright: ignore[reportArgumentType]
        report = book.add(SAMPLE)
    assert (report.unchanged, report.added, report.updated) == (len(before["documents"]), 0, 0)
    after = rows_of(base)
    changed = {table for table, rows in after.items() if rows != before[table]}
    assert changed <= {"sources", "document_paths"}


def test_a_folder_that_is_not_there_any_more_empties_nothing(base: Path, tmp_path: Path) -> None:
    root = tmp_path / "library"
    (root / "documents").mkdir(parents=True)
    (root / "documents" / "a.md").write_text("# A\n\nA text about sloes.\n")
    settings = Settings(db=str(tmp_path / "base.db"), embedder="none")
    with Sourcebook(settings=settings, embedder=FakeEmbedder()) as book:
        book.add(root)
        root.rename(tmp_path / "elsewhere")
        with pytest.raises(TooManyRemovals):
            book.add(root)
        assert len(book.documents()) == 1
        report = book.add(tmp_path / "elsewhere")
        assert (report.duplicates, report.added) == (1, 0)
