"""Names of files, whatever bytes they are made of."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sourcebook import AsyncSourcebook, Settings
from sourcebook.ingest.folder.file_names import readable
from sourcebook.testing.fakes import FakeEmbedder

NAMES = st.lists(
    st.sampled_from([b"a", b"\\", b"x", b"f", b"\xff", b"\xfe", b"ff", b"\\xff"]), max_size=6
).map(b"".join)


@given(NAMES, NAMES)
@example(b"bad\xff.md", rb"bad\xff.md")
@example(b"\\\xff", rb"\\xff")
def test_two_names_never_become_one_path(one: bytes, other: bytes) -> None:
    paths = {readable(name.decode(errors="surrogateescape")) for name in (one, other)}
    assert len(paths) == len({one, other})
    assert all(path.encode() for path in paths if path)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\\")))
def test_a_name_that_is_text_stays_as_it_is(name: str) -> None:
    assert readable(name) == name


@pytest.mark.anyio
@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes only there")
async def test_two_files_whose_names_look_alike_are_two_documents(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/notes"
    os.mkdir(folder)  # noqa: PTH102 - its names are bytes
    for name, text in ((b"bad\xff.md", b"# Quinces"), (rb"bad\xff.md", b"# Medlars")):
        with open(folder + b"/" + name, "wb") as file:  # noqa: ASYNC230, PTH123
            file.write(text)
    settings = Settings(db=str(tmp_path / "base.db"))
    async with AsyncSourcebook(settings=settings, embedder=FakeEmbedder()) as book:
        await book.add(tmp_path / "notes")
        again = await book.add(tmp_path / "notes")
        documents = await book.documents()
    assert sorted(document.title or "" for document in documents) == ["Medlars", "Quinces"]
    assert len({document.file_path for document in documents}) == 2
    assert (again.added, again.updated, again.removed) == (0, 0, 0)
