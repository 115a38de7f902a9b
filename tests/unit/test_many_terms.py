"""The terms of a document are claimed some at a time, whatever their number."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sourcebook import RetrievalConfig, RetrievalMode, Sourcebook
from sourcebook.storage.index import index_change
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    import pytest

WORDS = ["raspberry", "cane", "compost", "water", "garden", "spring", "autumn"]


def test_a_document_with_more_terms_than_are_claimed_at_once_is_found_by_each_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_change, "_TERMS_AT_ONCE", 3)
    (tmp_path / "garden.txt").write_text(" ".join(WORDS), "utf-8")
    with Sourcebook(tmp_path / "base.db", embedder=FakeEmbedder()) as book:
        book.add(tmp_path / "garden.txt")
        by_words = RetrievalConfig(mode=RetrievalMode.KEYWORD)
        assert [len(book.search(word, by_words)) for word in WORDS] == [1] * len(WORDS)
