"""Adding files: what changed is known by its fingerprint, and only that is embedded."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from socket import AF_UNIX, socket
from typing import TYPE_CHECKING, Any

import pytest
from tests.unit.desk import COLLECTION, Desk, small_files, touch

from sourcebook.errors import BadMetadata, BadText, PathNotFound, TooManyRemovals
from sourcebook.ingest.choices import OnFailed, OnRemoval
from sourcebook.ingest.placing import parse_rules, subcategory_of, type_of
from sourcebook.ingest.report import AddReport, Progress
from sourcebook.ingest.scanning import Limits
from sourcebook.ingest.tools import IngestConfig
from sourcebook.model.documents import DocumentStatus, WriteOutcome, WriteReport
from sourcebook.testing.fakes import InlineParser

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.ingest.parsers.parsed import ParsedText
    from sourcebook.model.documents import JsonValue
    from sourcebook.testing.fakes import FixedClock

pytestmark = pytest.mark.anyio

LONG = "Малину обрезают осенью. Листья сжигают. Почву мульчируют торфом и опилками. " * 20
OLD = 1_700_000_000


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


def written(folder: Path, **texts: str) -> Path:
    """The folder with these texts as files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


def note_of(folder: Path, name: str = "note.txt") -> Path:
    return folder / "documents" / "малина_ремонтантная" / name


# New, changed, unchanged


async def test_a_folder_is_added_once_and_then_left_alone(desk: Desk, folder: Path) -> None:
    assert await desk.add(folder) == AddReport(added=2, failed=[], skipped={"unsupported": 1})
    assert desk.embedded() > 10
    assert await desk.add(folder) == AddReport(unchanged=2, failed=[], skipped={"unsupported": 1})
    assert desk.embedded() == 0
    await desk.require_sound()


async def test_only_the_changed_file_is_embedded_again(desk: Desk, folder: Path) -> None:
    await desk.add(folder)
    before = await desk.paths()
    desk.embedded()
    note_of(folder).write_text("Another short note.")
    report = await desk.add(folder)
    assert (report.updated, report.unchanged) == (1, 1)
    assert desk.embedded() == 2
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


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
async def test_what_cannot_be_looked_at_is_not_taken_for_gone(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", one="One.")
    written(folder / "closed", two="Two.")
    await desk.add(folder)
    (folder / "closed").chmod(0)
    try:
        report = await desk.add(folder)
    finally:
        (folder / "closed").chmod(0o700)
    assert (report.unchanged, report.removed, [f.code for f in report.failed]) == (2, 0, ["unreadable"])


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


# Labels


async def test_a_document_is_described_by_its_file_and_its_place(desk: Desk, folder: Path) -> None:
    await desk.add(note_of(folder, "уход.md"), category="ягоды")
    document = await desk.only()
    assert (document.title, document.type, document.language) == ("Уход", "document", "ru")
    assert (document.category, document.subcategory) == ("ягоды", "малина_ремонтантная")
    assert document.metadata == {"source": "garden"}
    assert document.content.startswith("# Уход")
    assert document.chunk_count > 2
    await desk.require_sound()


async def test_what_is_given_goes_before_the_folder_and_the_folder_before_the_file(
    desk: Desk, tmp_path: Path
) -> None:
    folder = tmp_path / "documents" / "from_folder"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("---\ncategory: own\nsubcategory: mine\nlanguage: pt\n---\nTexto")
    (tmp_path / "b.md").write_text("---\ncategory: own\nsubcategory: mine\n---\nOther text")
    await desk.add(tmp_path)
    documents = {Path(path).name: d for path, d in (await desk.documents()).items()}
    assert (documents["a.md"].category, documents["a.md"].subcategory) == ("own", "from_folder")
    assert documents["a.md"].language == "pt"
    assert (documents["b.md"].category, documents["b.md"].subcategory) == ("own", "mine")
    assert (await desk.add(tmp_path, category="given", subcategory="given")).updated == 2
    documents = {Path(path).name: d for path, d in (await desk.documents()).items()}
    assert {(d.category, d.subcategory) for d in documents.values()} == {("given", "given")}


@pytest.mark.parametrize("label", ["category", "subcategory"])
async def test_an_unchanged_file_takes_a_new_label_without_being_embedded(
    desk: Desk, folder: Path, label: str
) -> None:
    await desk.add(folder)
    desk.embedded()
    assert (await desk.add(folder, **{label: "given"})).updated == 2
    assert {getattr(d, label) for d in (await desk.documents()).values()} == {"given"}
    assert (await desk.add(folder, **{label: "given"})).unchanged == 2
    assert desk.embedded() == 0
    await desk.require_sound()


async def test_a_label_is_remembered_for_files_that_change_or_come_later(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", one="One.")
    await desk.add(folder, category="given")
    written(folder, one="One again.", two="Two.")
    assert await desk.add(folder) == AddReport(added=1, updated=1, failed=[])
    assert {d.category for d in (await desk.documents()).values()} == {"given"}


async def test_a_label_of_a_part_is_its_own_until_the_whole_is_given_another(
    desk: Desk, tmp_path: Path
) -> None:
    folder = written(tmp_path / "a", one="One.")
    written(folder / "inner", two="Two.")
    await desk.add(folder, category="outer")
    await desk.add(folder / "inner", category="inner")
    assert {d.content: d.category for d in (await desk.documents()).values()} == {
        "One.": "outer",
        "Two.": "inner",
    }
    assert (await desk.add(folder)).unchanged == 2
    await desk.add(folder, category="all")
    assert {d.category for d in (await desk.documents()).values()} == {"all"}


async def test_an_empty_label_takes_the_label_away(desk: Desk, tmp_path: Path) -> None:
    folder = written(tmp_path / "a", one="One.")
    await desk.add(folder, category="given")
    await desk.add(folder, category="")
    assert (await desk.only()).category is None


async def test_a_moved_file_takes_the_labels_of_its_new_place(desk: Desk, tmp_path: Path) -> None:
    root = tmp_path / "project"
    written(root / "documents" / "one", note="A note.")
    written(root / "docs")
    await desk.add(root)
    assert ((await desk.only()).type, (await desk.only()).subcategory) == ("document", "one")
    (root / "documents" / "one" / "note.txt").rename(root / "docs" / "note.txt")
    await desk.add(root)
    assert ((await desk.only()).type, (await desk.only()).subcategory) == ("documentation", None)
    await desk.require_sound()


async def test_other_rules_give_other_types_to_what_is_there(
    base: OpenBase, clock: FixedClock, folder: Path
) -> None:
    desk = Desk(base, clock)
    await desk.add(folder)
    other = Desk(base, clock, IngestConfig(rules="library/=book"))
    assert (await other.add(folder)).updated == 2
    assert {d.type for d in (await other.documents()).values()} == {"book"}
    assert (await other.add(folder)).unchanged == 2
    assert other.embedded() == 0


@pytest.mark.parametrize(
    ("path", "kind", "subcategory"),
    [
        ("/data/documents/клубника/a.pdf", "document", "клубника"),
        ("/data/documents/a.pdf", "document", None),
        ("/data/documents/x/documents/y/z/a.md", "document", "y"),
        ("/home/project/docs/guide/a.md", "documentation", None),
        ("/home/project/README.md", "readme", None),
        ("/home/project/src/README.md", "document", None),
        ("/home/notes/a.md", "document", None),
    ],
)
def test_the_place_of_a_file_tells_its_type_and_subcategory(
    tmp_path: Path, path: str, kind: str, subcategory: str | None
) -> None:
    location = tmp_path / path[1:]
    assert (type_of(location), subcategory_of(location)) == (kind, subcategory)


@pytest.mark.parametrize("text", ["=a", "docs/", "docs/=", "/=a"])
def test_a_rule_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a rule"):
        parse_rules(text)


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
    assert (report.unchanged, report.still_failed, report.failed, desk.parser.parsed) == (1, 1, [], tried)
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
    assert report == AddReport(failed=[], skipped={"unsupported": 2, "empty": 1, "too_large": 1, "link": 1})


async def test_a_file_that_is_named_and_not_read_has_failed(
    base: OpenBase, clock: FixedClock, tmp_path: Path
) -> None:
    desk = Desk(base, clock, small_files(1000))
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(50))
    (tmp_path / "d.txt").write_text("x" * 1001)
    report = await desk.add(tmp_path / "a.png", tmp_path / "d.txt")
    assert [f.code for f in report.failed] == ["unsupported_file", "file_over_limit"]
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
    assert (await desk.only()).content == "One."


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
    desk = Desk(base, clock, IngestConfig(Limits(excluded=[str(kept)])))
    written(tmp_path, one="One.")
    assert (await desk.add(tmp_path)).added == 1


# Hidden documents, notes, and how it is told


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
    assert [(progress.done, progress.total) for progress in adding] == [(1, 2), (2, 2)]
    assert {Path(progress.path).name for progress in adding} == {"note.txt", "уход.md"}
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


async def test_a_note_is_added_replaced_and_recognised(desk: Desk) -> None:
    note: dict[str, Any] = {"id": "n", "title": "T", "metadata": {"a": 1}}
    assert await desk.add_text("Text.", **note) == WriteReport(WriteOutcome.WRITTEN, "n")
    assert (await desk.add_text("Text.", **note)).outcome is WriteOutcome.UNCHANGED
    assert (await desk.add_text("Text.", **note | {"metadata": {"a": 2}})).outcome is WriteOutcome.WRITTEN
    assert (await desk.only()).metadata == {"a": 2}
    await desk.require_sound()


async def test_the_same_note_takes_a_new_label(desk: Desk) -> None:
    metadata = {"category": "a field of the caller"}
    await desk.add_text("Text.", id="n", metadata=metadata)
    assert await desk.add_text("Text.", id="n", metadata=metadata, category="given") == WriteReport(
        WriteOutcome.WRITTEN, "n"
    )
    assert (await desk.only()).category == "given"


async def test_a_note_says_all_of_its_labels(desk: Desk) -> None:
    given = {"id": "n", "category": "a", "subcategory": "b"}
    await desk.add_text("Text.", **given)
    assert (await desk.add_text("Text.", **given)).outcome is WriteOutcome.UNCHANGED
    assert (await desk.add_text("Text.", id="n", category="a")).outcome is WriteOutcome.WRITTEN
    assert (await desk.only()).subcategory is None


async def test_a_note_that_another_document_holds_is_reported_under_its_id(desk: Desk) -> None:
    await desk.add_text("Text.", id="first")
    assert await desk.add_text("Text.", id="second") == WriteReport(WriteOutcome.DUPLICATE, "first")


async def test_a_note_without_an_id_is_known_by_what_it_says(desk: Desk) -> None:
    first = await desk.add_text("Text.")
    assert await desk.add_text("Text.") == WriteReport(WriteOutcome.UNCHANGED, first.document_id)
    assert (await desk.add_text("Other.")).document_id != first.document_id


async def test_a_note_that_no_base_can_hold_is_refused(desk: Desk) -> None:
    with pytest.raises(BadText):
        await desk.add_text("\ud800")
    with pytest.raises(BadMetadata):
        await desk.add_text("a", metadata={"x": float("nan")})
    with pytest.raises(BadMetadata):
        await desk.add_text("a", metadata={"x": object()})
