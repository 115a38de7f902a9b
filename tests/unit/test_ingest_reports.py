"""Hidden documents, progress, plans and reports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from tests.unit.desk import COLLECTION, Desk, written

from sourcebook.errors import TooManyRemovals, UsageError

if TYPE_CHECKING:
    from sourcebook.model.add_reports import Progress

pytestmark = pytest.mark.anyio


async def test_a_hidden_document_stays_hidden_whatever_happens_to_its_file(
    desk: Desk, tmp_path: Path
) -> None:
    folder = written(tmp_path / "a", one="One.")
    await desk.add(folder)
    await desk.base.stores.writer.set_active(COLLECTION, (await desk.only()).id, active=False)
    await desk.add(folder, category="given")
    assert not (await desk.only()).is_active
    written(folder, one="One again.")
    await desk.add(folder)
    assert not (await desk.only()).is_active
    (folder / "one.txt").rename(folder / "two.txt")
    await desk.add(folder)
    assert not (await desk.only()).is_active


async def test_progress_is_told_for_each_file(desk: Desk, folder: Path) -> None:
    told: list[Progress] = []
    await desk.add(folder, on_progress=told.append)
    adding = [progress for progress in told if progress.stage == "adding"]
    assert [(progress.done, progress.total) for progress in adding] == [(1, 3), (2, 3), (3, 3)]
    shares = [progress.share for progress in told if progress.stage in ("reading", "adding")]
    assert shares == sorted(shares)
    assert {Path(progress.path).name for progress in adding} == {"note.txt", "photo.jpg", "уход.md"}
    assert adding[-1].share == 1.0
    assert adding[-1].passages > 2


async def test_a_plan_names_every_step_and_writes_nothing(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", one="One.", two="Two.", three="Three.", four="Four.")
    plan = await desk.plan(folder)
    assert [step.action for step in plan.steps] == ["add"] * 4
    assert await desk.base.stores.sources.list_sources(COLLECTION) == []
    await desk.add(folder)
    before = await desk.paths()
    desk.embedded()
    (folder / "one.txt").rename(folder / "uno.txt")
    (folder / "two.txt").unlink()
    written(folder, three="Three again.", five="Five.", copy="Four.")
    plan = await desk.plan(folder)
    steps = {(s.action, Path(s.path).stem, Path(s.moved_from or "").stem) for s in plan.steps}
    assert steps == {
        ("move", "uno", "one"),
        ("remove", "two", ""),
        ("update", "three", ""),
        ("add", "five", ""),
        ("duplicate", "copy", ""),
    }
    assert (await desk.paths(), desk.embedded()) == (before, 0)
    report = await desk.add(folder)
    assert plan.report.as_dict() == report.as_dict()


async def test_the_report_has_the_shape_that_programs_read(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7\nnot really")
    report: dict[str, Any] = (await desk.add(tmp_path)).as_dict()
    (failed,) = report.pop("failed")
    assert set(failed) == {"path", "code", "message"}
    assert report == {
        "added": 0,
        "updated": 0,
        "unchanged": 0,
        "moved": 0,
        "removed": 0,
        "duplicates": 0,
        "needs_ocr": 0,
        "still_failed": 0,
        "skipped": {},
    }


async def test_a_wish_that_is_written_as_plain_text_is_understood_or_refused(
    desk: Desk, tmp_path: Path
) -> None:
    folder = written(tmp_path / "a", **{f"n{number}": f"Text {number}." for number in range(5)})
    await desk.add(folder)
    for number in range(4):
        (folder / f"n{number}.txt").unlink()
    for wish, error in (("refuse", TooManyRemovals), ("whatever", UsageError)):
        with pytest.raises(error):
            await desk.add(folder, on_removal=cast("Any", wish))
    assert (await desk.add(folder, on_removal=cast("Any", "allow"))).removed == 4
