"""Adding files: what changed is known by its fingerprint, and only that is embedded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from socket import AF_UNIX, socket
from typing import TYPE_CHECKING, Any, cast

import anyio
import numpy as np
import pytest

from sourcebook.errors import ActiveModelChanged, BadMetadata, BadText, DocumentChangedMeanwhile, PathNotFound
from sourcebook.ingest.placing import subcategory_of, type_of
from sourcebook.ingest.report import AddReport, Progress
from sourcebook.ingest.service import Ingest
from sourcebook.model.documents import (
    Collection,
    Document,
    DocumentPath,
    EmbeddingModel,
    PreparedDocument,
    WriteOutcome,
    WriteReport,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.ports.providers import TextRole

MODEL = EmbeddingModel("toy", 2)
LONG = "Малину обрезают осенью. Листья сжигают. Почву мульчируют торфом и опилками. " * 20


class ToyEmbedder:
    model = MODEL

    def __init__(self) -> None:
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        self.texts.extend(texts)
        return np.ones((len(texts), 2), dtype=np.float32)


class ToyBase:
    """Documents in a dictionary, with the writer's rules about hashes. `errors` are raised by the next writes."""

    def __init__(self) -> None:
        self.documents: dict[str, Document] = {}
        self.prepared: dict[str, PreparedDocument] = {}
        self.paths: dict[DocumentPath, str] = {}
        self.errors: list[Exception] = []

    async def open_collection(self, collection_id: str, model: EmbeddingModel) -> Collection:
        return Collection(collection_id, model.dimensions, model=model)

    async def list_documents(self, collection_id: str) -> list[Document]:
        return list(self.documents.values())

    async def get_document(self, collection_id: str, document_id: str) -> Document | None:
        return self.documents.get(document_id)

    async def get_document_by_hash(self, collection_id: str, file_hash: str) -> Document | None:
        return next((d for d in self.documents.values() if d.file_hash == file_hash), None)

    async def add_path(self, collection_id: str, file_hash: str, path: DocumentPath) -> str | None:
        owner = await self.get_document_by_hash(collection_id, file_hash)
        if owner is not None:
            self.paths[path] = owner.id
        return owner.id if owner else None

    async def replace_document(self, collection_id: str, prepared: PreparedDocument) -> WriteReport:
        if self.errors:
            raise self.errors.pop(0)
        document = prepared.document
        present = self.documents.get(document.id)
        if (present.file_hash if present else None) != prepared.expected_hash:
            raise DocumentChangedMeanwhile
        owner = await self.get_document_by_hash(collection_id, document.file_hash or "")
        if owner is not None and owner.id != document.id:
            self.documents.pop(document.id, None)
            self.paths.update(dict.fromkeys(prepared.paths, owner.id))
            return WriteReport(WriteOutcome.DUPLICATE, owner.id)
        self.documents[document.id] = document
        self.prepared[document.id] = prepared
        self.paths.update(dict.fromkeys(prepared.paths, document.id))
        return WriteReport(WriteOutcome.WRITTEN, document.id)


class Desk:
    """An ingest with its toys."""

    def __init__(self) -> None:
        self.base = ToyBase()
        self.embedder = ToyEmbedder()
        base = cast("Any", self.base)
        self.ingest = Ingest(library=base, writer=base, embedder=self.embedder)

    def add(self, *paths: Path, **options: Any) -> AddReport:
        async def run() -> AddReport:
            return await self.ingest.add(paths, **options)

        return anyio.run(run)

    def add_text(self, text: str, **options: Any) -> WriteReport:
        async def run() -> WriteReport:
            return await self.ingest.add_text(text, **options)

        return anyio.run(run)

    def embedded(self) -> int:
        count = len(self.embedder.texts)
        self.embedder.texts.clear()
        return count

    def only(self) -> Document:
        (document,) = self.base.documents.values()
        return document


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "library" / "documents" / "малина_ремонтантная"
    place.mkdir(parents=True)
    (place / "уход.md").write_text(f"---\nsource: garden\n---\n# Уход\n\n{LONG}")
    (place / "note.txt").write_text("A short note about berries.")
    (place / ".hidden.md").write_text("secret")
    (place / "photo.jpg").write_bytes(b"\xff\xd8")
    return tmp_path / "library"


def test_a_folder_is_added_once_and_then_left_alone(desk: Desk, folder: Path) -> None:
    assert desk.add(folder) == AddReport(added=2, failed=[])
    assert desk.embedded() > 10
    assert desk.add(folder) == AddReport(unchanged=2, failed=[])
    assert desk.embedded() == 0


def test_only_the_changed_file_is_embedded_again(desk: Desk, folder: Path) -> None:
    desk.add(folder)
    desk.embedded()
    next(folder.rglob("note.txt")).write_text("Another short note.")
    assert desk.add(folder) == AddReport(updated=1, unchanged=1, failed=[])
    assert desk.embedded() == 2


def test_a_document_is_described_by_its_file_and_its_place(desk: Desk, folder: Path) -> None:
    desk.add(next(folder.rglob("уход.md")), category="ягоды")
    document = desk.only()
    assert (document.title, document.type, document.language) == ("Уход", "document", "ru")
    assert (document.category, document.subcategory) == ("ягоды", "малина_ремонтантная")
    assert document.metadata == {"source": "garden"}
    assert document.content.startswith("# Уход")
    prepared = desk.base.prepared[document.id]
    assert document.chunk_count == len(prepared.chunks) > 2
    assert all(
        document.content[c.chunk.start_index : c.chunk.end_index] == c.chunk.content for c in prepared.chunks
    )


def test_a_file_speaks_for_itself_first(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ncategory: own\nsubcategory: mine\nlanguage: pt\n---\nTexto")
    desk.add(tmp_path, category="given", subcategory="given")
    document = desk.only()
    assert (document.category, document.subcategory, document.language) == ("own", "mine", "pt")


def test_a_file_added_alone_is_the_same_document_as_in_its_folder(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One text.")
    assert desk.add(tmp_path / "a.txt") == AddReport(added=1, failed=[])
    assert desk.add(tmp_path, tmp_path / "a.txt") == AddReport(unchanged=1, failed=[])


def test_the_same_bytes_at_another_path_are_one_document(desk: Desk, tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("The same text.")
    assert desk.add(tmp_path) == AddReport(added=1, unchanged=1, failed=[])
    desk.embedded()
    assert desk.add(tmp_path) == AddReport(unchanged=2, failed=[])
    assert desk.embedded() == 0
    assert {path.path for path in desk.base.paths} == {"a.txt", "b.txt"}


def test_one_bad_file_does_not_stop_the_others(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Ёлка".encode("cp1251"))
    (tmp_path / "b.txt").write_text("Good.")
    (tmp_path / "c.pdf").write_bytes(b"%PDF")
    (tmp_path / "d.txt").symlink_to(tmp_path / "nowhere")
    report = desk.add(tmp_path, tmp_path / "c.pdf")
    assert report.added == 1
    assert [(failed.path.rpartition("/")[2], failed.code) for failed in report.failed] == [
        ("a.txt", "bad_text"),
        ("d.txt", "path_not_found"),
        ("c.pdf", "usage"),
    ]


def test_only_regular_files_of_a_folder_are_taken(desk: Desk, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    with socket(AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket.md"))
        (tmp_path / "linked.md").symlink_to(tmp_path / "pipe.md")
        (tmp_path / "good.md").write_text("Good.")
        assert desk.add(tmp_path) == AddReport(added=1, failed=[])


def test_a_pipe_that_is_named_fails_and_keeps_nobody_waiting(desk: Desk, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "good.md").write_text("Good.")
    report = desk.add(tmp_path / "pipe.md", Path("/dev/zero"), tmp_path / "good.md")
    assert (report.added, [failed.code for failed in report.failed]) == (1, ["usage", "usage"])
    assert all("not a regular file" in failed.message for failed in report.failed)


def test_a_link_that_leads_out_of_the_folder_is_not_followed(desk: Desk, tmp_path: Path) -> None:
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
    assert desk.add(inside) == AddReport(added=1, failed=[])
    assert desk.only().content == "Own."


def test_a_link_inside_the_folder_is_another_path_of_the_same_document(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "own.md").write_text("Own.")
    (tmp_path / "own.md").symlink_to("deep/own.md")
    (tmp_path / "deep" / "round").symlink_to(tmp_path)
    assert desk.add(tmp_path) == AddReport(added=1, unchanged=1, failed=[])
    assert {path.path for path in desk.base.paths} == {"deep/own.md", "own.md"}


def test_a_link_that_is_named_is_followed(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.md").write_text("Own.")
    (tmp_path / "folder").symlink_to("real")
    (tmp_path / "file.md").symlink_to("real/a.md")
    assert desk.add(tmp_path / "folder") == AddReport(added=1, failed=[])
    assert desk.add(tmp_path / "file.md") == AddReport(unchanged=1, failed=[])


@pytest.mark.parametrize("label", ["category", "subcategory"])
def test_an_unchanged_file_takes_a_new_label(desk: Desk, folder: Path, label: str) -> None:
    desk.add(folder)
    assert desk.add(folder, **{label: "given"}) == AddReport(updated=2, failed=[])
    assert {getattr(document, label) for document in desk.base.documents.values()} == {"given"}
    assert desk.add(folder, **{label: "given"}) == AddReport(unchanged=2, failed=[])


def test_a_label_that_is_not_given_asks_for_nothing(desk: Desk, folder: Path) -> None:
    desk.add(folder, category="given")
    assert desk.add(folder) == AddReport(unchanged=2, failed=[])
    assert {document.category for document in desk.base.documents.values()} == {"given"}


def test_a_label_that_the_file_overrules_changes_nothing(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ncategory: own\n---\nText")
    desk.add(tmp_path)
    assert desk.add(tmp_path, category="given") == AddReport(unchanged=1, failed=[])
    assert desk.only().category == "own"


def test_a_hidden_document_stays_hidden_when_its_label_changes(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Text.")
    desk.add(tmp_path)
    hidden = replace(desk.only(), is_active=False)
    desk.base.documents[hidden.id] = hidden
    assert desk.add(tmp_path, category="given") == AddReport(updated=1, failed=[])
    assert not desk.only().is_active


def test_a_missing_path_is_an_error_before_anything_is_written(desk: Desk, folder: Path) -> None:
    with pytest.raises(PathNotFound):
        desk.add(folder, folder / "nowhere")
    assert not desk.base.documents


def test_a_file_is_planned_anew_when_somebody_was_faster(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Text.")
    desk.base.errors = [DocumentChangedMeanwhile(), ActiveModelChanged()]
    assert desk.add(tmp_path) == AddReport(added=1, failed=[])


def test_after_three_attempts_the_file_has_failed(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Text.")
    (tmp_path / "b.txt").write_text("Other.")
    desk.base.errors = [DocumentChangedMeanwhile() for _ in range(3)]
    report = desk.add(tmp_path)
    assert (report.added, [failed.code for failed in report.failed]) == (1, ["document_changed_meanwhile"])


def test_a_hidden_document_stays_hidden_when_its_file_changes(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Text.")
    desk.add(tmp_path)
    hidden = replace(desk.only(), is_active=False)
    desk.base.documents[hidden.id] = hidden
    (tmp_path / "a.txt").write_text("Other text.")
    desk.add(tmp_path)
    assert not desk.only().is_active


def test_progress_is_told_for_each_file(desk: Desk, folder: Path) -> None:
    told: list[Progress] = []
    desk.add(folder, on_progress=told.append)
    assert [(progress.done, progress.total) for progress in told] == [(1, 2), (2, 2)]
    assert told[0].path.endswith("documents/малина_ремонтантная/note.txt")


def test_a_note_is_added_replaced_and_recognised(desk: Desk) -> None:
    assert desk.add_text("Text.", id="n", title="T", metadata={"a": 1}) == WriteReport(
        WriteOutcome.WRITTEN, "n"
    )
    assert desk.add_text("Text.", id="n", title="T", metadata={"a": 1}).outcome is WriteOutcome.UNCHANGED
    assert desk.add_text("Text.", id="n", title="T", metadata={"a": 2}).outcome is WriteOutcome.WRITTEN
    assert desk.only().metadata == {"a": 2}


def test_the_same_note_takes_a_new_label(desk: Desk) -> None:
    desk.add_text("Text.", id="n", metadata={"category": "a field of the caller"})
    assert desk.add_text(
        "Text.", id="n", metadata={"category": "a field of the caller"}, category="given"
    ) == WriteReport(WriteOutcome.WRITTEN, "n")
    assert desk.only().category == "given"


def test_a_note_says_all_of_its_labels(desk: Desk) -> None:
    given = {"id": "n", "category": "a", "subcategory": "b"}
    desk.add_text("Text.", **given)
    assert desk.add_text("Text.", **given).outcome is WriteOutcome.UNCHANGED
    assert desk.add_text("Text.", id="n", category="a").outcome is WriteOutcome.WRITTEN
    assert desk.only().subcategory is None


def test_a_note_that_another_document_holds_is_reported_under_its_id(desk: Desk) -> None:
    desk.add_text("Text.", id="first")
    assert desk.add_text("Text.", id="second") == WriteReport(WriteOutcome.DUPLICATE, "first")


def test_a_note_without_an_id_is_known_by_what_it_says(desk: Desk) -> None:
    first = desk.add_text("Text.")
    assert desk.add_text("Text.") == WriteReport(WriteOutcome.UNCHANGED, first.document_id)
    assert desk.add_text("Other.").document_id != first.document_id


def test_a_note_that_no_base_can_hold_is_refused(desk: Desk) -> None:
    with pytest.raises(BadText):
        desk.add_text("\ud800")
    with pytest.raises(BadMetadata):
        desk.add_text("a", metadata={"x": float("nan")})
    with pytest.raises(BadMetadata):
        desk.add_text("a", metadata={"x": object()})


def test_the_report_has_the_shape_that_programs_read(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff")
    report = desk.add(tmp_path).as_dict()
    (failed,) = cast("list[dict[str, str]]", report.pop("failed"))
    assert report == {"added": 0, "updated": 0, "unchanged": 0, "moved": 0, "removed": 0}
    assert set(failed) == {"path", "code", "message"}


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
