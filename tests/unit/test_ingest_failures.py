"""Files that cannot be read, and what a folder may hold besides documents."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from socket import AF_UNIX, socket
from typing import TYPE_CHECKING

import pytest
from tests.unit.desk import COLLECTION, OLD, Desk, small_files, touch, written

from sourcebook.errors import TooManyRemovals
from sourcebook.ingest.add_request import OnFailed
from sourcebook.ingest.add_tools import IngestConfig
from sourcebook.ingest.folder.scan import ScanLimits
from sourcebook.model.add_reports import AddReport
from sourcebook.model.documents import DocumentStatus
from sourcebook.testing.fakes import InlineParser

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.ingest.parsers.parsed_text import ParsedText
    from sourcebook.model.documents import JsonValue
    from sourcebook.testing.fakes import FixedClock

pytestmark = pytest.mark.anyio


# What fails


async def test_one_bad_file_does_not_stop_the_others_and_is_remembered(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7\nnot really")
    (tmp_path / "b.txt").write_text("Good.")
    report = await desk.add(tmp_path)
    assert (report.added, [Path(f.path).name for f in report.failed]) == (1, ["a.pdf"])
    failed = next(d for d in (await desk.documents()).values() if d.status is DocumentStatus.FAILED)
    assert failed.processing_error is not None
    assert failed.processing_error.startswith(report.failed[0].code)
    await desk.require_sound()


async def test_a_file_that_failed_is_tried_again_when_it_changes_or_when_asked(
    desk: Desk, tmp_path: Path
) -> None:
    bad = tmp_path / "a.pdf"
    bad.write_bytes(b"%PDF-1.7\nnot really")
    await desk.add(tmp_path)
    tried = desk.parser.parsed
    report = await desk.add(tmp_path)
    assert (report.unchanged, report.still_failed, report.failed, desk.parser.parsed) == (0, 1, [], tried)
    touch(bad, OLD)
    await desk.add(tmp_path)
    assert desk.parser.parsed == tried
    assert len((await desk.add(tmp_path, on_failed=OnFailed.RETRY)).failed) == 1
    assert desk.parser.parsed == tried + 1
    bad.write_text("Now it is a text.")
    assert (await desk.add(tmp_path)).updated == 1
    assert (await desk.only()).status is DocumentStatus.COMPLETED
    await desk.require_sound()


async def test_when_a_new_version_cannot_be_read_the_old_text_goes_on_to_be_found(
    desk: Desk, tmp_path: Path
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("A text about raspberries.")
    await desk.add(tmp_path)
    before = await desk.only()
    note.write_bytes(b"%PDF-1.7\nnot really")
    report = await desk.add(tmp_path)
    assert (report.updated, len(report.failed)) == (0, 1)
    after = await desk.only()
    assert (after.content, after.file_hash, after.status) == (
        before.content,
        before.file_hash,
        DocumentStatus.FAILED,
    )
    assert len(await desk.base.stores.fts.search(COLLECTION, "raspberries", 5)) == 1
    tried = desk.parser.parsed
    touch(note, OLD)
    assert (await desk.add(tmp_path)).still_failed == 1
    assert desk.parser.parsed == tried
    await desk.require_sound()


async def test_a_file_that_is_again_what_it_was_is_in_order_again(desk: Desk, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("A text about raspberries.")
    await desk.add(tmp_path)
    note.write_bytes(b"%PDF-1.7\nnot really")
    await desk.add(tmp_path)
    desk.embedded()
    note.write_text("A text about raspberries.")
    assert await desk.add(tmp_path) == AddReport(unchanged=1, failed=[])
    assert ((await desk.only()).status, desk.embedded()) == (DocumentStatus.COMPLETED, 0)
    note.write_bytes(b"%PDF-1.7\nnot really")
    await desk.add(tmp_path)
    note.write_text("A text about blueberries.")
    assert (await desk.add(tmp_path)).updated == 1
    assert (await desk.only()).status is DocumentStatus.COMPLETED
    assert "refused" not in (await desk.only()).layout


class Exploding(InlineParser):
    """Is set off by one of the files."""

    async def parse(self, data: bytes, name: str) -> ParsedText:
        if b"boom" in data:
            raise ZeroDivisionError("boom")
        return await super().parse(data, name)


async def test_whatever_a_file_sets_off_the_others_are_added(desk: Desk, tmp_path: Path) -> None:
    desk.parser = Exploding()
    folder = written(tmp_path / "a", one="One.", two="boom", three="Three.")
    report = await desk.add(folder)
    assert (report.added, [f.code for f in report.failed]) == (2, ["bad_file"])
    assert "ZeroDivisionError" in report.failed[0].message
    assert (await desk.add(folder)).still_failed == 1


async def test_metadata_that_the_base_does_not_take_fails_its_file_only(desk: Desk, tmp_path: Path) -> None:
    class Deep(InlineParser):
        async def parse(self, data: bytes, name: str) -> ParsedText:
            nested: JsonValue = "x"
            for _ in range(40):
                nested = [nested]
            return replace(
                await super().parse(data, name), metadata={"deep": nested} if b"deep" in data else {}
            )

    desk.parser = Deep()
    folder = written(tmp_path / "a", one="One.", two="deep")
    report = await desk.add(folder)
    assert (report.added, [f.code for f in report.failed]) == (1, ["bad_metadata"])
    assert (await desk.add(folder)).still_failed == 1
    await desk.require_sound()


async def test_files_that_are_not_read_are_counted_by_their_reason(
    base: OpenBase, clock: FixedClock, tmp_path: Path
) -> None:
    desk = Desk(base, clock, small_files(1000))
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    (tmp_path / "b.bin").write_bytes(bytes([0, 1, 2, 3]) * 200)
    (tmp_path / "c.txt").write_text("")
    (tmp_path / "d.txt").write_text("x" * 1001)
    (tmp_path / "e.txt").symlink_to(tmp_path / "nowhere")
    report = await desk.add(tmp_path)
    assert report == AddReport(
        failed=[], skipped={"needs_ocr": 1, "unsupported": 1, "empty": 1, "too_large": 1, "link": 1}
    )
    unread = {d.file_path: d.processing_error for d in (await desk.documents()).values()}
    assert {Path(path).name: (error or "").partition(":")[0] for path, error in unread.items()} == {
        "a.png": "needs_ocr",
        "b.bin": "unsupported_file",
        "c.txt": "empty_file",
        "d.txt": "file_over_limit",
    }
    again = await desk.add(tmp_path)
    assert (again.still_failed, again.unchanged, again.skipped) == (4, 0, {"link": 1})


async def test_a_file_that_is_too_large_is_listed_until_the_limit_is_raised(
    base: OpenBase, clock: FixedClock, tmp_path: Path
) -> None:
    (tmp_path / "large.txt").write_text("A text about quinces. " * 100)
    await Desk(base, clock, small_files(1000)).add(tmp_path)
    desk = Desk(base, clock, small_files(10_000))
    listed = await desk.only()
    assert (listed.status, listed.file_size_bytes) == (DocumentStatus.FAILED, 2200)
    report = await desk.add(tmp_path)
    assert (report.updated, report.still_failed) == (1, 0)
    assert (await desk.only()).status is DocumentStatus.COMPLETED
    await desk.require_sound()


async def test_a_file_that_is_too_large_is_no_longer_listed_once_it_is_gone(
    base: OpenBase, clock: FixedClock, tmp_path: Path
) -> None:
    desk = Desk(base, clock, small_files(1000))
    (tmp_path / "large.txt").write_text("x" * 1001)
    written(tmp_path, one="One.")
    planned = await desk.plan(tmp_path)
    assert ([step.action for step in planned.steps], planned.report.skipped) == (["add"], {"too_large": 1})
    await desk.add(tmp_path)
    (tmp_path / "large.txt").unlink()
    await desk.add(tmp_path)
    assert [d.status for d in (await desk.documents()).values()] == [DocumentStatus.COMPLETED]


@pytest.mark.parametrize("how", ["renamed", "deleted"])
async def test_files_that_were_never_read_are_no_loss(
    base: OpenBase, clock: FixedClock, tmp_path: Path, how: str
) -> None:
    desk = Desk(base, clock, small_files(1000))
    folder = written(tmp_path / "a", one="One.", two="Two.", three="Three.")
    films = written(folder / "films", **{f"n{number}": "x" * (1001 + number) for number in range(10)})
    await desk.add(folder)
    films.rename(folder / "movies" if how == "renamed" else tmp_path / "away")
    assert (await desk.plan(folder)).refused is None
    await desk.add(folder)
    left = {f"movies/n{number}.txt" for number in range(10)} if how == "renamed" else set[str]()
    assert set(await desk.paths()) == {"one.txt", "two.txt", "three.txt"} | left
    await desk.require_sound()


async def test_what_was_never_read_makes_a_loss_no_smaller(
    base: OpenBase, clock: FixedClock, tmp_path: Path
) -> None:
    desk = Desk(base, clock, small_files(1000))
    folder = written(tmp_path / "a", **{f"n{number}": f"Text {number}." for number in range(5)})
    written(folder, **{f"large{number}": "x" * (1001 + number) for number in range(10)})
    await desk.add(folder)
    for number in range(4):
        (folder / f"n{number}.txt").unlink()
    with pytest.raises(TooManyRemovals, match="4 of the 5 files"):
        await desk.add(folder)


async def test_each_new_file_with_the_same_broken_bytes_is_named(desk: Desk, tmp_path: Path) -> None:
    for name in ("a.pdf", "b.pdf", "c.pdf"):
        (tmp_path / name).write_bytes(b"%PDF-1.7 and then nothing")
    report = await desk.add(tmp_path)
    assert [Path(f.path).name for f in report.failed] == ["a.pdf", "b.pdf", "c.pdf"]


async def test_a_label_for_what_still_cannot_be_read_counts_as_no_update(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")
    written(tmp_path, one="One.")
    await desk.add(tmp_path)
    planned = await desk.plan(tmp_path, category="fruit")
    report = await desk.add(tmp_path, category="fruit")
    assert (report.updated, report.unchanged, report.still_failed) == (1, 0, 1)
    assert (planned.report.updated, planned.report.unchanged) == (1, 0)


async def test_a_file_that_is_named_and_not_read_has_failed(
    base: OpenBase, clock: FixedClock, tmp_path: Path
) -> None:
    desk = Desk(base, clock, small_files(1000))
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    (tmp_path / "d.txt").write_text("x" * 1001)
    report = await desk.add(tmp_path / "a.png", tmp_path / "d.txt")
    assert [f.code for f in report.failed] == ["needs_ocr", "file_over_limit"]
    assert report.skipped == {}


async def test_a_known_file_that_grows_too_large_keeps_its_text(
    base: OpenBase, clock: FixedClock, tmp_path: Path
) -> None:
    desk = Desk(base, clock, small_files(1000))
    written(tmp_path, one="One.")
    await desk.add(tmp_path)
    written(tmp_path, one="x" * 1001)
    report = await desk.add(tmp_path)
    assert (report.removed, [f.code for f in report.failed]) == (0, ["file_over_limit"])
    kept = await desk.only()
    assert (kept.content, kept.status) == ("One.", DocumentStatus.FAILED)
    assert (kept.processing_error or "").startswith("file_over_limit: ")
    written(tmp_path, one="One.")
    assert (await desk.add(tmp_path)).failed == []
    back = await desk.only()
    assert (back.content, back.status, back.processing_error) == (
        "One.",
        DocumentStatus.COMPLETED,
        None,
    )


async def test_a_text_whose_file_is_over_a_lowered_limit_has_failed_and_is_not_unchanged(
    base: OpenBase, clock: FixedClock, tmp_path: Path
) -> None:
    folder = written(tmp_path / "a", one="One.", large="A text about quinces. " * 100)
    await Desk(base, clock, small_files(10_000)).add(folder)
    desk = Desk(base, clock, small_files(1000))
    planned = (await desk.plan(folder)).report
    for report in (planned, await desk.add(folder), (await desk.plan(folder)).report, await desk.add(folder)):
        assert (report.unchanged, report.still_failed, report.skipped) == (1, 0, {})
        assert [f.message for f in report.failed] == [
            "The file is larger than 0.001 MB, the limit that `max_file_mb` sets."
        ]
    labelled = await desk.add(folder, category="fruit")
    assert (labelled.updated, labelled.unchanged, len(labelled.failed)) == (1, 0, 1)


# What a folder may hold besides documents


async def test_only_regular_files_of_a_folder_are_taken(desk: Desk, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with socket(AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket.md"))
        (tmp_path / "linked.md").symlink_to(tmp_path / "pipe.md")
        (tmp_path / "good.md").write_text("Good.")
        assert await desk.add(tmp_path) == AddReport(added=1, failed=[], skipped={"not_a_file": 3})


async def test_a_pipe_that_is_named_fails_and_keeps_nobody_waiting(desk: Desk, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "good.md").write_text("Good.")
    report = await desk.add(tmp_path / "pipe.md", Path("/dev/zero"), tmp_path / "good.md")
    assert (report.added, [failed.code for failed in report.failed]) == (1, ["usage", "usage"])
    assert all("not a regular file" in failed.message for failed in report.failed)


async def test_a_link_that_leads_out_of_the_folder_is_not_followed(desk: Desk, tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    for folder in (outside, inside / "deep"):
        folder.mkdir(parents=True)
    (outside / "secret.md").write_text("Secret.")
    (inside / "deep" / "own.md").write_text("Own.")
    (inside / "secret.md").symlink_to(outside / "secret.md")
    (inside / "gone.md").symlink_to(outside / "gone.md")
    (inside / "chained.md").symlink_to(inside / "secret.md")
    (inside / "folder").symlink_to(outside)
    (inside / "sibling.md").symlink_to("../inside-not/a.md")
    report = await desk.add(inside)
    assert (report.added, report.failed, report.skipped) == (1, [], {"link": 5})
    assert (await desk.only()).content == "Own."


async def test_a_link_inside_the_folder_is_another_path_of_the_same_document(
    desk: Desk, tmp_path: Path
) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "own.md").write_text("Own.")
    (tmp_path / "own.md").symlink_to("deep/own.md")
    (tmp_path / "deep" / "round").symlink_to(tmp_path)
    assert await desk.add(tmp_path) == AddReport(added=1, duplicates=1, failed=[])
    assert set(await desk.paths()) == {"deep/own.md", "own.md"}


async def test_a_link_that_is_named_is_followed(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.md").write_text("Own.")
    (tmp_path / "folder").symlink_to("real")
    (tmp_path / "file.md").symlink_to("real/a.md")
    assert await desk.add(tmp_path / "folder") == AddReport(added=1, failed=[])
    assert await desk.add(tmp_path / "file.md") == AddReport(duplicates=1, failed=[])


async def test_what_belongs_to_the_base_is_not_added_with_the_folder_around_it(
    base: OpenBase, clock: FixedClock, tmp_path: Path
) -> None:
    kept = written(tmp_path / "base.db.files", upload="An upload.")
    desk = Desk(base, clock, IngestConfig(ScanLimits(excluded=[str(kept)])))
    written(tmp_path, one="One.")
    assert (await desk.add(tmp_path)).added == 1
