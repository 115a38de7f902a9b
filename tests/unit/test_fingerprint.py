"""Names that follow from content."""

from __future__ import annotations

import re
from itertools import combinations

from sourcebook.ingest.fingerprint import chunk_id, document_id, hash_bytes, hash_text, source_id
from sourcebook.model.documents import ChunkLevel


def test_ids_are_short_and_speak_the_alphabet_of_base32() -> None:
    assert re.fullmatch("[a-z2-7]{16}", source_id("default", "/docs"))
    assert re.fullmatch("[a-z2-7]{16}", document_id("default", "s", "a.md"))
    assert re.fullmatch("[a-z2-7]{20}", chunk_id("d", ChunkLevel.CHILD, 0, "text"))


def test_ids_never_change_between_versions() -> None:
    assert source_id("default", "/docs") == "mkbxzqxwwwse3buk"
    assert document_id("default", "s", "папка/a.md") == "bm2e6wtg7i4pi5gx"
    assert chunk_id("d", ChunkLevel.PARENT, 7, "текст") == "i66ofjf4diyt66g6i7n3"


def test_every_part_of_a_name_matters() -> None:
    ids = [
        document_id("c", "s", "p"),
        document_id("cs", "", "p"),
        document_id("c", "sp", ""),
        document_id("c", "s", "q"),
        source_id("c", "s"),
        chunk_id("d", ChunkLevel.PARENT, 1, "x"),
        chunk_id("d", ChunkLevel.CHILD, 1, "x"),
        chunk_id("d", ChunkLevel.PARENT, 2, "x"),
        chunk_id("d", ChunkLevel.PARENT, 1, "y"),
    ]
    assert all(one[:16] != other[:16] for one, other in combinations(ids, 2))


def test_names_of_files_that_are_no_text_have_ids_too() -> None:
    assert document_id("c", "s", "caf\udce9.md") != document_id("c", "s", "caf.md")


def test_a_text_has_the_hash_of_its_bytes() -> None:
    assert (
        hash_text("") == hash_bytes(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )
    assert hash_text("ё") == hash_bytes("ё".encode())
