"""A desk on an open base, and a folder to add, for the tests of ingest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unit.desk import Desk

if TYPE_CHECKING:
    from pathlib import Path

    from sourcebook.assembly import OpenBase
    from sourcebook.testing.fakes import FixedClock

LONG = "Малину обрезают осенью. Листья сжигают. Почву мульчируют торфом и опилками. " * 20


@pytest.fixture
def desk(base: OpenBase, clock: FixedClock) -> Desk:
    return Desk(base, clock)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "library" / "documents" / "малина_ремонтантная"
    place.mkdir(parents=True)
    (place / "уход.md").write_text(f"---\nsource: garden\n---\n# Уход\n\n{LONG}")
    (place / "note.txt").write_text("A short note about berries.")
    (place / ".hidden.md").write_text("secret")
    (place / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF\x00")
    return tmp_path / "library"
