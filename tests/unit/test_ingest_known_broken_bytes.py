"""Bytes that could not be read once are no text: whoever finds them at another path loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.desk import COLLECTION, Desk

from sourcebook.ingest.add_request import OnFailed
from sourcebook.model.documents import DocumentStatus

pytestmark = pytest.mark.anyio

BROKEN = b"%PDF-1.7\nnot really"


async def _found(desk: Desk, word: str) -> int:
    return len(await desk.base.stores.fts.search(COLLECTION, word, 5))


@pytest.mark.parametrize("where", ["the same folder", "another folder"])
async def test_a_good_file_with_known_broken_bytes_keeps_its_text(
    desk: Desk, tmp_path: Path, where: str
) -> None:
    folder = tmp_path / "here"
    other = folder if where == "the same folder" else tmp_path / "there"
    for place in {folder, other}:
        place.mkdir()
    (other / "broken.pdf").write_bytes(BROKEN)
    note = folder / "note.txt"
    note.write_text("A text about raspberries.")
    await desk.add(folder, other)
    before = await desk.paths()
    note.write_bytes(BROKEN)
    report = await desk.add(folder)
    assert (report.updated, [Path(f.path).name for f in report.failed]) == (0, ["note.txt"])
    assert (await desk.paths(), await _found(desk, "raspberries")) == (before, 1)
    listed = [d for d in (await desk.documents()).values() if d.status is DocumentStatus.FAILED]
    assert len(listed) == 2
    assert all(d.processing_error for d in listed)
    tried = desk.parser.parsed
    again = await desk.add(folder)
    assert (again.updated, again.failed, desk.parser.parsed) == (0, [], tried)
    await desk.add(folder, other, on_failed=OnFailed.RETRY)
    assert (await desk.paths(), await _found(desk, "raspberries")) == (before, 1)
    note.write_text("A text about raspberries.")
    assert (await desk.add(folder)).failed == []
    assert sorted(d.status for d in (await desk.documents()).values()) == ["completed", "failed"]
    await desk.require_sound()


async def test_good_files_that_break_alike_keep_each_its_text(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A text about raspberries.")
    (tmp_path / "b.txt").write_text("A text about quinces.")
    await desk.add(tmp_path)
    before = await desk.paths()
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(BROKEN)
    report = await desk.add(tmp_path)
    assert [Path(f.path).name for f in report.failed] == ["a.txt", "b.txt"]
    again = await desk.add(tmp_path)
    assert (again.failed, again.still_failed) == ([], 2)
    assert len((await desk.add(tmp_path, on_failed=OnFailed.RETRY)).failed) == 2
    assert await desk.paths() == before
    assert (await _found(desk, "raspberries"), await _found(desk, "quinces")) == (1, 1)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("A text about sloes.")
    assert (await desk.add(tmp_path)).updated == 2
    assert (await desk.only()).status is DocumentStatus.COMPLETED
    await desk.require_sound()


async def test_a_good_file_that_was_emptied_like_another_loses_its_text(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").touch()
    note = tmp_path / "note.txt"
    note.write_text("A text about raspberries.")
    await desk.add(tmp_path)
    note.write_bytes(b"")
    report = await desk.add(tmp_path)
    assert (report.updated, report.failed, await _found(desk, "raspberries")) == (0, [], 0)
    await desk.require_sound()


async def test_a_new_file_with_known_broken_bytes_counts_as_failed(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(BROKEN)
    (tmp_path / "b.txt").touch()
    await desk.add(tmp_path)
    (tmp_path / "c.pdf").write_bytes(BROKEN)
    (tmp_path / "d.txt").touch()
    report = await desk.add(tmp_path)
    assert (report.duplicates, report.skipped) == (0, {"empty": 1})
    assert [(Path(f.path).name, f.code) for f in report.failed] == [("c.pdf", "damaged_file")]
    paths = await desk.paths()
    assert paths["c.pdf"] == paths["a.pdf"]
    assert (await desk.add(tmp_path)).failed == []
    (tmp_path / "c.pdf").write_text("Now it is a text.")
    assert (await desk.add(tmp_path)).updated == 1
    assert (await desk.paths())["a.pdf"] == paths["a.pdf"]
    await desk.require_sound()
