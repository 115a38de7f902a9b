"""The client without await: from several threads, and when somebody forgets something."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sourcebook import Collection, Settings, Sourcebook
from sourcebook.errors import CollectionNotFound, NotOpen


def book_at(path: Path) -> Sourcebook:
    return Sourcebook(settings=Settings(db=str(path), embedder="none"))


def test_a_program_that_forgets_to_close_ends(tmp_path: Path) -> None:
    script = "import sys; from sourcebook import *; Sourcebook(sys.argv[1]).open().collections()"
    ended = subprocess.run([sys.executable, "-c", script, str(tmp_path / "base.db")], timeout=30, check=False)
    assert ended.returncode == 0


def test_opening_from_many_threads_opens_once(tmp_path: Path) -> None:
    before = threading.active_count()
    book = book_at(tmp_path / "base.db")
    with ThreadPoolExecutor(8) as threads:
        opening = [threads.submit(book.open) for _ in range(8)]
        assert {id(opened.result()) for opened in opening} == {id(book)}
    assert sum(thread.name == "sourcebook" for thread in threading.enumerate()) == 1
    book.close()
    assert threading.active_count() <= before + 1


def test_threads_share_a_book(tmp_path: Path) -> None:
    with book_at(tmp_path / "base.db") as book, ThreadPoolExecutor(8) as threads:
        made = list(threads.map(book.create_collection, [Collection(f"c{n}", 4) for n in range(20)]))
        assert {c.id for c in book.collections()} == {c.id for c in made}


def test_nothing_works_before_opening_or_after_closing(tmp_path: Path) -> None:
    book = book_at(tmp_path / "base.db")
    with pytest.raises(NotOpen):
        book.collections()
    with book:
        stores = book.stores
    with pytest.raises(NotOpen):
        book.collections()
    with pytest.raises(NotOpen):
        stores.vectors.list_collections()
    with book:
        assert book.collections() == []


def test_errors_arrive_as_they_are(tmp_path: Path) -> None:
    with book_at(tmp_path / "base.db") as book, pytest.raises(CollectionNotFound):
        book.stores.vectors.get("no", "k")
