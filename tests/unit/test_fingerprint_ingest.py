"""Adding files: what changed is known by its fingerprint, and only that is embedded."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from tests.unit.desk import COLLECTION, OLD, Desk, note_of, touch, written

from sourcebook.errors import PathNotFound, TooManyRemovals
from sourcebook.ingest.add_request import OnRemoval
from sourcebook.model.add_reports import AddReport, Progress

if TYPE_CHECKING:
    from pathlib import Path


pytestmark = pytest.mark.anyio


# New, changed, unchanged


async def test_a_folder_is_added_once_and_then_left_alone(desk: Desk, folder: Path) -> None:
    assert await desk.add(folder) == AddReport(added=2, failed=[], skipped={"needs_ocr": 1})
    assert desk.embedded() > 10
    assert await desk.add(folder) == AddReport(unchanged=2, failed=[], still_failed=1)
    assert desk.embedded() == 0
    await desk.require_sound()


async def test_only_the_changed_file_is_embedded_again(desk: Desk, folder: Path) -> None:
    await desk.add(folder)
    before = await desk.paths()
    desk.embedded()
    note_of(folder).write_text("Another short note.")
    report = await desk.add(folder)
    assert (report.updated, report.unchanged, report.still_failed) == (1, 1, 1)
    # A short note is a passage and its only sentence, which are the same text.
    assert desk.embedded() == 1
    assert await desk.paths() == before


async def test_a_file_that_was_only_touched_is_unchanged(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", one="One.", two="Two.")
    await desk.add(folder)
    before = await desk.documents()
    desk.embedded()
    touch(folder / "one.txt", OLD)
    assert await desk.add(folder) == AddReport(unchanged=2, failed=[])
    assert desk.embedded() == 0
    assert await desk.documents() == before


async def test_a_change_within_the_same_second_and_of_the_same_size_is_noticed(
    desk: Desk, tmp_path: Path
) -> None:
    folder = written(tmp_path / "a", one="One.")
    now = desk.clock.now()
    touch(folder / "one.txt", now)
    await desk.add(folder)
    (folder / "one.txt").write_text("Two.")
    touch(folder / "one.txt", now)
    assert (await desk.add(folder)).updated == 1
    assert (await desk.only()).content == "Two."


async def test_a_change_that_restores_the_time_of_the_file_is_noticed(desk: Desk, tmp_path: Path) -> None:
    """Programs that copy keep the time of a file; that the entry changed shows all the same."""
    folder = written(tmp_path / "a", one="One.")
    touch(folder / "one.txt", OLD)
    await desk.add(folder)
    (folder / "one.txt").write_text("Two.")
    touch(folder / "one.txt", OLD)
    assert (await desk.add(folder)).updated == 1


async def test_files_that_are_known_are_not_even_opened(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", one="One.")
    desk.clock.wait(10)
    await desk.add(folder)
    looked: list[Progress] = []
    await desk.add(folder, on_progress=looked.append)
    assert looked == []


# Moved, copied, gone


async def test_a_renamed_file_is_moved_and_not_embedded(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", one="One.", two="Two.")
    await desk.add(folder)
    before = await desk.paths()
    desk.embedded()
    (folder / "deep").mkdir()
    (folder / "one.txt").rename(folder / "deep" / "uno.txt")
    assert await desk.add(folder) == AddReport(moved=1, unchanged=1, failed=[])
    assert desk.embedded() == 0
    assert await desk.paths() == {"deep/uno.txt": before["one.txt"], "two.txt": before["two.txt"]}
    assert f"{folder}/deep/uno.txt" in await desk.documents()
    await desk.require_sound()


async def test_files_that_change_places_keep_their_documents(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", one="One.", two="Two.", three="Three.")
    await desk.add(folder)
    before = await desk.paths()
    desk.embedded()
    for old, new in (("one", "x"), ("two", "one"), ("three", "two"), ("x", "three")):
        (folder / f"{old}.txt").rename(folder / f"{new}.txt")
    assert await desk.add(folder) == AddReport(moved=3, failed=[])
    assert desk.embedded() == 0
    assert await desk.paths() == {
        "three.txt": before["one.txt"],
        "one.txt": before["two.txt"],
        "two.txt": before["three.txt"],
    }
    documents = await desk.documents()
    assert documents[f"{folder}/one.txt"].content == "Two."
    await desk.require_sound()


async def test_a_new_file_at_the_path_of_one_that_moved_is_a_document_of_its_own(
    desk: Desk, tmp_path: Path
) -> None:
    folder = written(tmp_path / "a", one="One.")
    await desk.add(folder)
    first = (await desk.only()).id
    (folder / "one.txt").rename(folder / "two.txt")
    (folder / "one.txt").write_text("New.")
    report = await desk.add(folder)
    assert (report.moved, report.updated) == (1, 1)
    documents = await desk.documents()
    assert documents[f"{folder}/two.txt"].id == first
    assert documents[f"{folder}/one.txt"].content == "New."
    assert len({d.id for d in documents.values()}) == 2


async def test_the_same_bytes_at_another_path_are_one_document(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", a="The same text.", b="The same text.")
    assert await desk.add(folder) == AddReport(added=1, duplicates=1, failed=[])
    desk.embedded()
    assert await desk.add(folder) == AddReport(unchanged=2, failed=[])
    assert desk.embedded() == 0
    assert set(await desk.paths()) == {"a.txt", "b.txt"}


async def test_of_two_copies_one_may_go_and_the_document_stays(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", a="The same text.", b="The same text.")
    await desk.add(folder)
    (folder / "a.txt").unlink()
    assert await desk.add(folder) == AddReport(unchanged=1, removed=1, failed=[])
    assert (await desk.only()).file_path == f"{folder}/b.txt"
    await desk.require_sound()


async def test_of_two_copies_one_may_change(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", a="The same text.", b="The same text.")
    await desk.add(folder)
    (folder / "a.txt").write_text("Another text.")
    assert await desk.add(folder) == AddReport(updated=1, unchanged=1, failed=[])
    documents = await desk.documents()
    assert {path.rpartition("/")[2]: d.content for path, d in documents.items()} == {
        "a.txt": "Another text.",
        "b.txt": "The same text.",
    }
    await desk.require_sound()


async def test_a_copy_has_the_subcategory_of_its_own_folder(desk: Desk, folder: Path) -> None:
    text = note_of(folder).read_text()
    written(folder / "documents" / "ежевика", note=text)
    await desk.add(folder)
    document = next(d for d in (await desk.documents()).values() if d.content == text)
    details = await desk.base.stores.library.get_details(COLLECTION, document.id)
    assert details is not None
    assert {path.subcategory for path in details.paths} == {"малина_ремонтантная", "ежевика"}


async def test_what_is_gone_is_removed(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", one="One.", two="Two.")
    await desk.add(folder)
    (folder / "one.txt").unlink()
    assert await desk.add(folder) == AddReport(unchanged=1, removed=1, failed=[])
    assert set(await desk.paths()) == {"two.txt"}
    await desk.require_sound()


async def test_a_file_that_moved_between_two_named_folders_is_not_embedded_again(
    desk: Desk, tmp_path: Path
) -> None:
    a, b = written(tmp_path / "a", one="One.", x="X."), written(tmp_path / "b", two="Two.")
    await desk.add(a, b)
    first = (await desk.paths())["one.txt"]
    desk.embedded()
    (a / "one.txt").rename(b / "one.txt")
    report = await desk.add(a, b)
    assert (report.duplicates, report.removed, desk.embedded()) == (1, 1, 0)
    assert (await desk.paths())["one.txt"] == first


async def test_a_source_removes_only_what_is_its_own(desk: Desk, tmp_path: Path) -> None:
    a, b = written(tmp_path / "a", one="One."), written(tmp_path / "b", two="Two.")
    await desk.add(a, b)
    (a / "one.txt").unlink()
    written(a, three="Three.")
    assert (await desk.add(a)).removed == 1
    assert {d.content for d in (await desk.documents()).values()} == {"Two.", "Three."}


# Too much gone


@pytest.mark.parametrize("how", ["missing", "empty", "most"])
async def test_when_most_is_gone_nothing_is_removed_unless_that_is_allowed(
    desk: Desk, tmp_path: Path, how: str
) -> None:
    folder = written(tmp_path / "a", **{f"n{number}": f"Text {number}." for number in range(10)})
    await desk.add(folder)
    before = await desk.paths()
    for number in range(6 if how == "most" else 10):
        (folder / f"n{number}.txt").unlink()
    if how == "missing":
        folder.rmdir()
    with pytest.raises(TooManyRemovals):
        await desk.add(folder)
    assert (await desk.plan(folder)).refused is not None
    assert await desk.paths() == before
    report = await desk.add(folder, on_removal=OnRemoval.ALLOW)
    assert report.removed == (6 if how == "most" else 10)
    await desk.require_sound()


async def test_half_of_a_folder_may_go_without_a_question(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", **{f"n{number}": f"Text {number}." for number in range(10)})
    await desk.add(folder)
    for number in range(5):
        (folder / f"n{number}.txt").unlink()
    assert (await desk.add(folder)).removed == 5


async def test_many_files_that_moved_are_not_gone(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", **{f"n{number}": f"Text {number}." for number in range(10)})
    await desk.add(folder)
    folder.rename(tmp_path / "b")
    (tmp_path / "a" / "deep").mkdir(parents=True)
    (tmp_path / "b").rename(tmp_path / "a" / "deep" / "deeper")
    assert await desk.add(folder) == AddReport(moved=10, failed=[])


async def test_a_file_that_is_named_and_gone_is_removed_only_if_that_is_allowed(
    desk: Desk, tmp_path: Path
) -> None:
    folder = written(tmp_path / "a", one="One.", two="Two.")
    await desk.add(folder)
    (folder / "one.txt").unlink()
    with pytest.raises(TooManyRemovals):
        await desk.add(folder / "one.txt")
    assert (await desk.add(folder / "one.txt", on_removal=OnRemoval.ALLOW)).removed == 1
    assert set(await desk.paths()) == {"two.txt"}


async def test_what_cannot_be_looked_at_is_not_taken_for_gone(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path / "a", one="One.")
    written(folder / "closed", two="Two.")
    await desk.add(folder)
    list_folder = os.scandir

    def refuse(path: str) -> Any:
        """As the system answers who lacks the permission; who runs the tests may be allowed everything."""
        if path.rstrip("/").endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return list_folder(path)

    monkeypatch.setattr(os, "scandir", refuse)
    report = await desk.add(folder)
    assert (report.unchanged, report.removed, [f.code for f in report.failed]) == (2, 0, ["unreadable"])
    assert len(await desk.documents()) == 2


async def test_a_file_that_cannot_be_opened_keeps_its_text(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", one="One.", two="Two.")
    await desk.add(folder)
    (folder / "one.txt").unlink()
    (folder / "one.txt").symlink_to(folder / "one.txt")
    report = await desk.add(folder)
    assert (report.removed, [f.code for f in report.failed]) == (0, ["unreadable"])
    assert len(await desk.documents()) == 2


async def test_a_missing_path_is_an_error_before_anything_is_written(desk: Desk, folder: Path) -> None:
    with pytest.raises(PathNotFound):
        await desk.add(folder, folder / "nowhere")
    assert await desk.base.stores.sources.list_sources(COLLECTION) == []


async def test_what_the_base_never_knew_is_not_found_also_inside_of_what_it_knows(
    desk: Desk, tmp_path: Path
) -> None:
    folder = written(tmp_path / "a", one="One.")
    await desk.add(folder)
    with pytest.raises(PathNotFound):
        await desk.add(folder / "nowhere")


# Files and folders inside of each other


async def test_a_file_added_alone_is_the_same_document_as_in_its_folder(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", a="One text.")
    assert await desk.add(folder / "a.txt") == AddReport(added=1, failed=[])
    assert await desk.add(folder, folder / "a.txt") == AddReport(unchanged=1, failed=[])
    assert len(await desk.base.stores.sources.list_sources(COLLECTION)) == 1


async def test_named_files_are_the_business_of_nobody_else_s_removal(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", a="One.", b="Two.", c="Three.")
    assert (await desk.add(folder / "a.txt", folder / "b.txt")).added == 2
    (folder / "a.txt").unlink()
    assert await desk.add(folder / "b.txt") == AddReport(unchanged=1, failed=[])
    assert len(await desk.documents()) == 2
    assert await desk.add(folder) == AddReport(unchanged=1, added=1, removed=1, failed=[])


async def test_a_folder_inside_of_a_known_one_is_looked_at_as_a_part_of_it(
    desk: Desk, tmp_path: Path
) -> None:
    folder = written(tmp_path / "a", one="One.")
    inner = written(folder / "inner", two="Two.", three="Three.")
    await desk.add(folder)
    desk.embedded()
    (folder / "one.txt").unlink()
    (inner / "two.txt").unlink()
    assert await desk.add(inner) == AddReport(unchanged=1, removed=1, failed=[])
    assert set(await desk.paths()) == {"one.txt", "inner/three.txt"}
    assert desk.embedded() == 0


async def test_a_folder_around_known_ones_takes_them_in(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", one="One.", four="Four.")
    inner = written(folder / "inner", two="Two.", three="Three.")
    await desk.add(inner, category="c")
    await desk.add(folder / "one.txt")
    before = {d.content: d.id for d in (await desk.documents()).values()}
    desk.embedded()
    assert await desk.add(folder) == AddReport(unchanged=3, added=1, failed=[])
    assert len(await desk.base.stores.sources.list_sources(COLLECTION)) == 1
    documents = {d.content: d for d in (await desk.documents()).values()}
    assert before.items() <= {text: d.id for text, d in documents.items()}.items()
    (inner / "two.txt").write_text("Two again.")
    await desk.add(folder)
    documents = {d.content: d for d in (await desk.documents()).values()}
    assert documents["Two again."].category == "c"
    assert documents["One."].category is None
    await desk.require_sound()
