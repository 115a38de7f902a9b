"""What documents are about: given, remembered, read off their place, said by themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.unit.desk import Desk, note_of, written

from sourcebook.ingest.add_tools import IngestConfig
from sourcebook.ingest.folder.type_rules import parse_rules, subcategory_of, type_of
from sourcebook.model.add_reports import AddReport

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.testing.fakes import FixedClock

pytestmark = pytest.mark.anyio


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
    again = await desk.add(folder, **{label: "given"})
    assert (again.unchanged, again.still_failed) == (2, 1)
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
    again = await other.add(folder)
    assert (again.unchanged, again.still_failed) == (2, 1)
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
