"""What is attached to letters and packed in archives is added as documents of their own."""

from __future__ import annotations

import io
import shutil
import zipfile
from collections.abc import Generator, Mapping
from pathlib import Path

import pytest

from sourcebook import DocumentStatus, OnArchives, RetrievalConfig, RetrievalMode, Settings, Sourcebook
from sourcebook.testing.fakes import FakeEmbedder

FILES = Path(__file__).parents[1] / "formats" / "files"
KEYWORD = RetrievalConfig(mode=RetrievalMode.KEYWORD)


@pytest.fixture
def book(tmp_path: Path) -> Generator[Sourcebook]:
    settings = Settings(db=str(tmp_path / "base.db"), embedder="none")
    with Sourcebook(settings=settings, embedder=FakeEmbedder()) as book:
        yield book


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "mail"
    folder.mkdir()
    shutil.copy(FILES / "delivery.eml", folder)
    return folder


def archive(entries: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as packed:
        for name, data in entries.items():
            packed.writestr(name, data)
    return stream.getvalue()


def names(book: Sourcebook) -> list[str]:
    return sorted(d.file_path.partition("mail/")[2] for d in book.documents())


def test_what_is_attached_is_found_under_its_letter(book: Sourcebook, folder: Path) -> None:
    assert book.add(folder).added == 2
    assert names(book) == ["delivery.eml", "delivery.eml/prices.xlsx"]
    found = book.search("Antonovka", KEYWORD)
    assert found[0].document_path.endswith("mail/delivery.eml/prices.xlsx")


def test_a_letter_that_did_not_change_is_not_opened_again(book: Sourcebook, folder: Path) -> None:
    book.add(folder)
    again = book.add(folder)
    assert (again.unchanged, again.removed, again.added, again.updated) == (2, 0, 0, 0)


def test_a_letter_that_is_gone_takes_along_what_was_attached(book: Sourcebook, folder: Path) -> None:
    (folder / "more.md").write_text("# More\n\nStays.")
    book.add(folder)
    (folder / "delivery.eml").unlink()
    assert book.add(folder).removed == 2
    assert names(book) == ["more.md"]


def test_a_named_letter_is_opened_too(book: Sourcebook, folder: Path) -> None:
    book.add(folder / "delivery.eml")
    assert len(names(book)) == 2
    assert book.add(folder / "delivery.eml").unchanged == 2


def test_a_box_has_attachments_by_the_number_of_their_letter(book: Sourcebook, folder: Path) -> None:
    shutil.copy(FILES / "attached.mbox", folder)
    book.add(folder)
    assert "attached.mbox/2/horta.epub" in names(book)


def test_an_archive_is_opened_only_when_that_is_asked_for_and_then_stays_open(
    book: Sourcebook, folder: Path
) -> None:
    (folder / "old.zip").write_bytes(archive({"a/one.md": b"# One\n\nQuince.", "two.txt": b"Medlar."}))
    report = book.add(folder)
    assert (report.failed, report.skipped) == ([], {"unsupported": 1})
    (refused,) = [d for d in book.documents() if d.status is DocumentStatus.FAILED]
    assert "archive" in (refused.processing_error or "")
    assert book.search("Quince", KEYWORD) == []
    book.add(folder, on_archives=OnArchives.OPEN)
    assert {"old.zip", "old.zip/a/one.md", "old.zip/two.txt"} <= set(names(book))
    (folder / "old.zip").write_bytes(archive({"a/one.md": b"# One\n\nQuince and pear."}))
    report = book.add(folder)
    assert (report.updated, report.removed) == (2, 1)


def test_a_damaged_archive_fails_alone(book: Sourcebook, folder: Path) -> None:
    whole = archive({"one.md": b"# One\n\nQuince."})
    (folder / "bad.zip").write_bytes(whole[: len(whole) // 2])
    report = book.add(folder, on_archives=OnArchives.OPEN)
    assert (report.added, [Path(f.path).name for f in report.failed]) == (2, ["bad.zip"])


def test_an_uploaded_letter_is_one_document(book: Sourcebook) -> None:
    book.add_bytes("delivery.eml", (FILES / "delivery.eml").read_bytes())
    assert [document.file_path for document in book.documents()] == ["delivery.eml"]
    (found,) = book.search("prices.xlsx", KEYWORD)
    assert "Attachments: prices.xlsx" in found.chunk.content
