"""What every `Sources` promises, and an `IndexWriter` about the places where documents lie."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from sourcebook.errors import AmbiguousName, DocumentChangedMeanwhile, DocumentNotFound
from sourcebook.model.documents import DocumentPath, DocumentStatus
from sourcebook.model.search import Equals
from sourcebook.model.sources import (
    Absorbed,
    DocumentState,
    Labelling,
    PathState,
    Placement,
    Rearrangement,
    Refusal,
    Refused,
    Source,
    SourceKind,
)
from sourcebook.testing.contract.material import (
    MODEL,
    hash_of,
    make_collection,
    prepared,
    require_sound,
    state,
    unit,
)

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase

ONE, TWO, THREE = ["The first text."], ["The second text."], ["The third text."]
FOLDER = Source("source", SourceKind.FOLDER, "/docs", {"shown": "docs"})


async def three_documents(base: OpenBase) -> None:
    await make_collection(base, model=MODEL)
    for name, text in (("d1", ONE), ("d2", TWO), ("d3", THREE)):
        await base.stores.writer.replace_document("c", prepared(name, text))


async def paths(base: OpenBase) -> dict[str, str]:
    return {state.path: state.document_id for state in await base.stores.sources.known_paths("c", "source")}


def placed(document: str, text: list[str], path: str) -> Placement:
    return Placement(document, hash_of(text), DocumentPath("source", path, "sub"), path, "note", "fruit")


def left(document: str, path: str) -> PathState:
    return PathState(path, document, None, None, 0)


@pytest.mark.anyio
class SourcesContract:
    async def test_a_source_is_written_and_found_again(self, base: OpenBase) -> None:
        sources = base.stores.sources
        await sources.put_source("c", FOLDER, (), ())
        assert await sources.list_sources("c") == [FOLDER]
        changed = replace(FOLDER, options={"shown": "docs", "labels": {"": {"category": "x"}}})
        await sources.put_source("c", changed, (), ["source"])
        await sources.set_scanned("c", "source")
        (found,) = await sources.list_sources("c")
        assert found.options == changed.options
        assert found.scanned_at is not None
        assert await sources.list_sources("other") == []

    async def test_who_comes_second_with_a_source_is_told(self, base: OpenBase) -> None:
        await base.stores.sources.put_source("c", FOLDER, (), ())
        other = replace(FOLDER, id="other", root="/docs/inner")
        with pytest.raises(DocumentChangedMeanwhile):
            await base.stores.sources.put_source("c", other, (), ())
        assert await base.stores.sources.list_sources("c") == [FOLDER]

    async def test_a_source_takes_in_another_with_its_paths(self, base: OpenBase) -> None:
        await three_documents(base)
        await base.stores.sources.put_source("c", FOLDER, (), ())
        outer = Source("outer", SourceKind.FOLDER, "/")
        await base.stores.sources.put_source("c", outer, [Absorbed("source", "docs/")], ["source"])
        assert await base.stores.sources.list_sources("c") == [outer]
        known = await base.stores.sources.known_paths("c", "outer")
        assert [(s.path, s.document_id) for s in known] == [
            ("docs/d1.txt", "d1"),
            ("docs/d2.txt", "d2"),
            ("docs/d3.txt", "d3"),
        ]
        assert await base.stores.sources.owner_of_path("c", "outer", "docs/d2.txt") == "d2"
        await require_sound(base)

    async def test_documents_are_known_by_what_they_hold_and_where_else_they_lie(
        self, base: OpenBase
    ) -> None:
        await three_documents(base)
        await base.stores.writer.add_path("c", hash_of(TWO), DocumentPath("elsewhere", "x.txt"))
        known = await base.stores.sources.known_documents("c", ["source"], ["d1", "d2", "unknown"])
        assert sorted(known) == [
            DocumentState("d1", hash_of(ONE)),
            DocumentState("d2", hash_of(TWO), is_elsewhere=True),
        ]
        owners = await base.stores.sources.owners("c", [hash_of(ONE), "nobody's"])
        assert owners == {hash_of(ONE): "d1"}
        heads = await base.stores.sources.heads("c", ["d3", "unknown"])
        assert [(head.id, head.content) for head in heads] == [("d3", "")]

    async def test_the_same_path_in_two_sources_is_shown_behind_the_name_of_each(
        self, base: OpenBase
    ) -> None:
        await make_collection(base, model=MODEL)
        other = Source("other", SourceKind.FOLDER, "/more", {"shown": "more"})
        await base.stores.sources.put_source("c", FOLDER, (), ())
        await base.stores.sources.put_source("c", other, (), ["source"])
        await base.stores.writer.replace_document("c", prepared("d1", ONE))
        own = {state.path for state in await base.stores.sources.known_paths("c", "source")}
        for source_id, path in (("source", "x.txt"), ("other", "x.txt"), ("other", "sub/x.txt")):
            await base.stores.writer.add_path("c", hash_of(ONE), DocumentPath(source_id, path))
        shown = await base.stores.library.shown_paths("c", DocumentStatus.COMPLETED)
        expected = {"docs/x.txt", "more/x.txt", "more/sub/x.txt", *(f"docs/{path}" for path in own)}
        assert (set(shown), set(shown["d1"])) == ({"d1"}, expected)
        assert await base.stores.library.shown_paths("c", DocumentStatus.FAILED) == {}

    async def test_many_paths_come_in_pages_and_in_order(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        many = [DocumentPath("source", f"{number:05d}.txt") for number in range(4100)]
        await base.stores.writer.replace_document("c", replace(prepared("d", ONE), paths=many))
        known = await base.stores.sources.known_paths("c", "source")
        assert [s.path for s in known] == [path.path for path in many]

    async def test_documents_change_places_in_a_circle(self, base: OpenBase) -> None:
        await three_documents(base)
        vectors = await base.stores.vectors.get_by_document("c", "d1")
        placements = [placed("d1", ONE, "d2.txt"), placed("d2", TWO, "d3.txt"), placed("d3", THREE, "d1.txt")]
        away = [left(name, f"{name}.txt") for name in ("d1", "d2", "d3")]
        assert await base.stores.writer.rearrange("c", Rearrangement("source", placements, away)) == []
        assert await paths(base) == {"d2.txt": "d1", "d3.txt": "d2", "d1.txt": "d3"}
        document = await base.stores.library.get_document("c", "d1")
        assert document is not None
        assert (document.file_path, document.type) == ("d2.txt", "note")
        assert (document.category, document.subcategory) == ("fruit", "sub")
        assert await base.stores.vectors.get_by_document("c", "d1") == vectors
        found = await base.stores.vectors.search_semantic("c", unit(0), 9, Equals("category", "fruit"))
        assert {r.document_path for r in found} == {"d1.txt", "d2.txt", "d3.txt"}
        await require_sound(base)

    async def test_a_document_that_is_driven_out_of_its_only_place_is_gone(self, base: OpenBase) -> None:
        await three_documents(base)
        wanted = Rearrangement("source", [placed("d1", ONE, "d2.txt")])
        assert await base.stores.writer.rearrange("c", wanted) == []
        assert await paths(base) == {"d1.txt": "d1", "d2.txt": "d1", "d3.txt": "d3"}
        assert await base.stores.library.get_document("c", "d2") is None
        document = await base.stores.library.get_document("c", "d1")
        assert document is not None
        assert document.file_path == "d1.txt"
        await require_sound(base)

    async def test_a_placement_that_no_longer_fits_comes_back(self, base: OpenBase) -> None:
        await three_documents(base)
        before = await state(base)
        unfit = [placed("d1", TWO, "new.txt"), placed("unknown", ONE, "other.txt")]
        assert await base.stores.writer.rearrange("c", Rearrangement("source", unfit)) == unfit
        assert await state(base) == before

    async def test_a_path_is_seen_again_and_only_its_own_document_s(self, base: OpenBase) -> None:
        await three_documents(base)
        seen = [PathState("d1.txt", "d1", 7, 8, 9), PathState("d2.txt", "somebody else", 7, 8, 9)]
        await base.stores.writer.rearrange("c", Rearrangement("source", seen=seen))
        known = {s.path: s for s in await base.stores.sources.known_paths("c", "source")}
        assert known["d1.txt"] == seen[0]
        assert known["d2.txt"].document_id == "d2"
        assert known["d2.txt"].mtime is None

    async def test_a_path_that_somebody_saw_meanwhile_is_not_forgotten(self, base: OpenBase) -> None:
        await three_documents(base)
        (before,) = [s for s in await base.stores.sources.known_paths("c", "source") if s.path == "d1.txt"]
        again = before._replace(seen_at=before.seen_at + 10)
        await base.stores.writer.rearrange("c", Rearrangement("source", seen=[again]))
        writer = base.stores.writer
        assert not await writer.forget_path("c", "source", "d1.txt", unless_seen_since=before)
        assert await writer.forget_path("c", "source", "d1.txt", unless_seen_since=again)
        assert await base.stores.library.get_document("c", "d1") is None
        await require_sound(base)

    async def test_newer_bytes_that_cannot_be_read_leave_the_text_until_they_are_taken_back(
        self, base: OpenBase
    ) -> None:
        await three_documents(base)
        before = await state(base)
        refused = Refused("newer", "1")
        refusal = Refusal(
            "d1",
            refused,
            DocumentStatus.FAILED,
            "bad_file: no",
            [DocumentPath("source", "d1.txt")],
            hash_of(ONE),
        )
        await base.stores.writer.refuse("c", refusal)
        document = await base.stores.library.get_document("c", "d1")
        assert document is not None
        assert (document.status, document.processing_error) == (DocumentStatus.FAILED, "bad_file: no")
        assert (document.content, document.file_hash) == ("The first text.", hash_of(ONE))
        assert len(await base.stores.fts.search("c", "first", 5)) == 1
        (known,) = await base.stores.sources.known_documents("c", ["source"], ["d1"])
        assert known.refused == refused
        moved = Rearrangement("source", [replace(placed("d1", ONE, "x.txt"), file_hash="newer")])
        assert await base.stores.writer.rearrange("c", moved) == []
        await base.stores.writer.forget_path("c", "source", "x.txt")
        await base.stores.writer.accept("c", ["d1", "d2"])
        assert await state(base) == before
        with pytest.raises(DocumentChangedMeanwhile):
            await base.stores.writer.refuse("c", replace(refusal, expected_hash="another"))

    async def test_labels_change_without_anything_else(self, base: OpenBase) -> None:
        await three_documents(base)
        labelling = Labelling("d1", "book", "Ягоды", "Малина Общая")
        path = DocumentPath("source", "d1.txt", "Малина Общая")
        await base.stores.writer.label("c", [labelling], [path])
        for field, value in (("category", "ягоды"), ("subcategory", "малина_общая"), ("type", "book")):
            found = await base.stores.vectors.search_semantic("c", unit(0), 9, Equals(field, value))
            assert {r.chunk.document_id for r in found} == {"d1"}
        details = await base.stores.library.get_details("c", "d1")
        assert details is not None
        assert [p.subcategory for p in details.paths] == ["Малина Общая"]
        await require_sound(base)

    async def test_only_a_document_that_waits_is_said_to_be_on_its_way(self, base: OpenBase) -> None:
        await three_documents(base)
        waiting = prepared("w", ["-"])
        document = replace(waiting.document, content="", status=DocumentStatus.PENDING)
        await base.stores.writer.replace_document("c", replace(waiting, document=document, chunks=()))
        assert await base.stores.writer.set_status("c", "w", DocumentStatus.PROCESSING)
        assert not await base.stores.writer.set_status("c", "d1", DocumentStatus.PROCESSING)
        assert not await base.stores.writer.set_status("c", "unknown", DocumentStatus.PROCESSING)
        found = await base.stores.library.get_document("c", "w")
        assert found is not None
        assert found.status is DocumentStatus.PROCESSING
        await require_sound(base)

    async def test_the_layout_and_the_stored_file_are_kept(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        given = prepared("d", ONE)
        layout = {"kind": "application/pdf", "pages": [[1, 0, 15]]}
        document = replace(given.document, layout=layout, stored_file="ab/cd")
        await base.stores.writer.replace_document("c", replace(given, document=document))
        found = await base.stores.library.get_document("c", "d")
        assert found is not None
        assert (found.layout, found.stored_file) == (layout, "ab/cd")
        await base.stores.jobs.enqueue("uploads", {"file": "ef/gh"})
        job = await base.stores.jobs.enqueue("uploads", {"file": "ij/kl"})
        assert await base.stores.sources.stored_files("uploads") == {"ab/cd", "ef/gh", "ij/kl"}
        assert await base.stores.sources.stored_files("uploads", besides=job.id) == {"ab/cd", "ef/gh"}

    async def test_a_document_is_found_by_its_id_its_path_or_the_end_of_its_path(
        self, base: OpenBase
    ) -> None:
        await make_collection(base, model=MODEL)
        for name, path in (("d1", "docs/a/x.txt"), ("d2", "docs/b/x.txt"), ("d3", "docs/100%_y.txt")):
            await base.stores.writer.replace_document("c", prepared(name, [f"Text of {name}."], path=path))
        library = base.stores.library
        for name, expected in (("d1", "d1"), ("docs/b/x.txt", "d2"), ("b/x.txt", "d2"), ("100%_y.txt", "d3")):
            assert (await library.find_document("c", name)).document.id == expected
        details = await library.find_document("c", "d1")
        assert (details.passages, details.document.content) == (1, "Text of d1.")
        assert [path.path for path in details.paths] == ["docs/a/x.txt"]
        with pytest.raises(AmbiguousName, match=r"docs/a/x\.txt"):
            await library.find_document("c", "x.txt")
        for unknown in ("y.txt", "%.txt", "", "nowhere"):
            with pytest.raises(DocumentNotFound):
                await library.find_document("c", unknown)
