"""What every `IndexWriter` promises."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from sourcebook.errors import (
    ActiveModelChanged,
    CollectionNotFound,
    DocumentChangedMeanwhile,
    DocumentNotFound,
    EmbeddingSizeMismatch,
    UsageError,
)
from sourcebook.model.documents import DocumentPath, EmbeddedChunk, WriteOutcome
from sourcebook.model.search import Equals
from sourcebook.testing.contract.material import (
    MODEL,
    chunk,
    hash_of,
    make_collection,
    prepared,
    require_sound,
    state,
    unit,
)

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.model.documents import PreparedDocument, WriteReport

OLD = ["Raspberries are pruned in autumn. Cut the canes.", "Water them in summer."]
NEW = ["Raspberries are pruned in spring. Cut the canes.", "Mulch them in winter."]


async def write(base: OpenBase, document: PreparedDocument) -> WriteReport:
    return await base.stores.writer.replace_document("c", document)


async def words(base: OpenBase, query: str) -> set[str]:
    return {r.chunk_id.split(":")[0] for r in await base.stores.fts.search("c", query, 50)}


@pytest.mark.anyio
class IndexWriterContract:
    async def test_a_document_is_found_by_words_and_vectors(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        report = await write(base, prepared("d", OLD, title="Raspberry", metadata={"year": 2024}))
        assert (report.outcome, report.document_id) == (WriteOutcome.WRITTEN, "d")
        assert await words(base, "canes") == {"d"}
        found = await base.stores.vectors.search_semantic("c", unit(1), 10, Equals("year", 2024))
        assert found[0].chunk.content == "Water them in summer."
        assert (found[0].document_path, found[0].document_title) == ("d.txt", "Raspberry")
        document = await base.stores.library.get_document("c", "d")
        assert document is not None
        assert (document.title, document.file_hash, document.chunk_count) == ("Raspberry", hash_of(OLD), 5)
        await require_sound(base)

    async def test_only_passages_are_found_by_words(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        await write(base, prepared("d", OLD))
        assert [r.chunk_id for r in await base.stores.fts.search("c", "canes", 50)] == ["d:P0-48"]

    async def test_replacing_leaves_nothing_of_the_old_text(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        await write(base, prepared("d", NEW))
        fresh = await state(base)
        await base.stores.writer.remove_document("c", "d")
        await write(base, prepared("d", OLD))
        await write(base, prepared("d", NEW, expected=hash_of(OLD)))
        assert await words(base, "autumn") == set()
        assert await words(base, "spring") == {"d"}
        assert await state(base) == fresh
        await require_sound(base)

    async def test_removing_leaves_nothing(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        empty = await state(base)
        await write(base, prepared("d", OLD))
        assert await base.stores.writer.remove_document("c", "d")
        assert not await base.stores.writer.remove_document("c", "d")
        assert await state(base) == empty
        await require_sound(base)

    async def test_what_somebody_else_wrote_already_is_unchanged(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        await write(base, prepared("d", OLD))
        before = await state(base)
        assert (await write(base, prepared("d", OLD))).outcome is WriteOutcome.UNCHANGED
        assert await state(base) == before

    async def test_what_changed_meanwhile_is_not_overwritten(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        await write(base, prepared("d", OLD))
        before = await state(base)
        with pytest.raises(DocumentChangedMeanwhile):
            await write(base, prepared("d", NEW, expected="what it never was"))
        with pytest.raises(DocumentChangedMeanwhile):
            await write(base, prepared("d", NEW))
        assert await state(base) == before

    async def test_vectors_of_another_model_are_refused(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        before = await state(base)
        with pytest.raises(ActiveModelChanged):
            await write(base, replace(prepared("d", OLD), model=replace(MODEL, version="2")))
        assert await state(base) == before

    async def test_the_same_bytes_elsewhere_are_one_document_with_two_paths(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        await write(base, prepared("d1", OLD))
        report = await write(base, prepared("d2", OLD))
        assert (report.outcome, report.document_id) == (WriteOutcome.DUPLICATE, "d1")
        assert await words(base, "canes") == {"d1"}
        assert [d.id for d in await base.stores.library.list_documents("c")] == ["d1"]
        assert await base.stores.writer.forget_path("c", "source", "d1.txt")
        document = await base.stores.library.get_document("c", "d1")
        assert document is not None
        assert document.file_path == "d2.txt"
        assert await base.stores.writer.forget_path("c", "source", "d2.txt")
        assert await base.stores.library.list_documents("c") == []
        assert not await base.stores.writer.forget_path("c", "source", "d2.txt")
        await require_sound(base)

    async def test_a_document_that_becomes_like_another_joins_it(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        await write(base, prepared("d1", OLD))
        await write(base, prepared("d2", NEW))
        report = await write(base, prepared("d2", OLD, expected=hash_of(NEW)))
        assert (report.outcome, report.document_id) == (WriteOutcome.DUPLICATE, "d1")
        assert await words(base, "spring") == set()
        assert [d.id for d in await base.stores.library.list_documents("c")] == ["d1"]
        await require_sound(base)

    async def test_the_same_bytes_may_be_in_two_collections(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        await make_collection(base, "other", model=MODEL)
        await write(base, prepared("d", OLD))
        report = await base.stores.writer.replace_document("other", prepared("d", OLD))
        assert report.outcome is WriteOutcome.WRITTEN
        await require_sound(base)

    async def test_a_path_that_another_document_takes_over_is_lost_to_the_first(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        await write(base, prepared("d1", OLD, path="same.txt"))
        await write(base, prepared("d2", NEW, path="same.txt"))
        assert [d.id for d in await base.stores.library.list_documents("c")] == ["d2"]
        await require_sound(base)

    async def test_a_successor_takes_over_the_text_that_a_document_gives_up(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        writer, successor = base.stores.writer, prepared("e", OLD)
        await write(base, prepared("d", OLD))
        await writer.add_path("c", hash_of(OLD), DocumentPath("source", "e.txt"))
        await writer.replace_document("c", prepared("d", NEW, expected=hash_of(OLD)), successor=successor)
        assert await words(base, "autumn") == {"e"}
        assert await words(base, "spring") == {"d"}
        await require_sound(base)

    async def test_no_path_is_left_behind_when_a_successor_takes_over(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        writer, successor = base.stores.writer, prepared("e", OLD)
        await write(base, prepared("d", OLD))
        for path in ("e.txt", "came meanwhile.txt"):
            await writer.add_path("c", hash_of(OLD), DocumentPath("source", path))
        with pytest.raises(DocumentChangedMeanwhile):
            await writer.replace_document("c", prepared("d", NEW, expected=hash_of(OLD)), successor=successor)
        with pytest.raises(DocumentChangedMeanwhile):
            await writer.remove_document("c", "d", successor=successor)
        assert await words(base, "autumn") == {"d"}
        await writer.forget_path("c", "source", "came meanwhile.txt")
        assert await writer.remove_document("c", "d", successor=successor)
        assert await words(base, "autumn") == {"e"}
        await require_sound(base)

    async def test_moving_changes_the_path_and_nothing_else(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        await write(base, prepared("d", OLD))
        vectors = await base.stores.vectors.get_by_document("c", "d")
        await base.stores.writer.move_document(
            "c",
            "d",
            DocumentPath("source", "d.txt"),
            DocumentPath("source", "sub/e.txt", "Малина Общая"),
            "sub/e.txt",
        )
        document = await base.stores.library.get_document("c", "d")
        assert document is not None
        assert (document.file_path, document.subcategory) == ("sub/e.txt", "Малина Общая")
        found = await base.stores.vectors.search_semantic(
            "c", unit(0), 1, Equals("subcategory", "малина_общая")
        )
        assert [r.document_path for r in found] == ["sub/e.txt"]
        assert await base.stores.vectors.get_by_document("c", "d") == vectors
        assert not await base.stores.writer.forget_path("c", "source", "d.txt")
        await require_sound(base)

    async def test_a_hidden_document_is_found_by_no_way_until_it_is_shown_again(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        await write(base, prepared("d", OLD))
        await base.stores.writer.set_active("c", "d", active=False)
        assert await words(base, "canes") == set()
        assert await base.stores.vectors.search_semantic("c", unit(0), 10) == []
        await write(base, prepared("d", NEW, expected=hash_of(OLD)))
        assert await words(base, "canes") == set()
        await base.stores.writer.set_active("c", "d", active=True)
        assert await words(base, "canes") == {"d"}
        await require_sound(base)

    async def test_documents_are_found_by_hash_and_listed_by_path(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        await write(base, prepared("d1", OLD, path="z.txt"))
        await write(base, prepared("d2", NEW, path="a.txt", language="ru"))
        found = await base.stores.library.get_document_by_hash("c", hash_of(OLD))
        assert found is not None
        assert found.id == "d1"
        assert await base.stores.library.get_document_by_hash("c", "unknown") is None
        assert [(d.file_path, d.content) for d in await base.stores.library.list_documents("c")] == [
            ("a.txt", ""),
            ("z.txt", ""),
        ]
        assert await base.stores.library.languages("c") == ["en", "ru"]

    async def test_taking_over_a_document_that_was_known_by_its_chunks(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        await base.stores.vectors.add("c", [chunk("k", document="d")])
        await base.stores.fts.index("c", [chunk("k", document="d").chunk])
        assert (await write(base, prepared("d", OLD))).outcome is WriteOutcome.WRITTEN
        assert await base.stores.vectors.get("c", "k") is None
        await require_sound(base)

    async def test_a_passage_may_be_without_a_vector(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        document = prepared("d", OLD)
        chunks = [EmbeddedChunk(c.chunk) for c in document.chunks]
        await write(base, replace(document, chunks=chunks))
        assert await words(base, "canes") == {"d"}
        assert await base.stores.vectors.search_semantic("c", unit(0), 5) == []
        await require_sound(base)

    async def test_bad_documents_store_nothing(self, base: OpenBase) -> None:
        await make_collection(base, model=MODEL)
        before = await state(base)
        good = prepared("d", OLD)
        first = good.chunks[0]
        shifted = EmbeddedChunk(replace(first.chunk, start_index=1), first.embedding)
        with pytest.raises(UsageError, match="is not at"):
            await write(base, replace(good, chunks=[shifted]))
        with pytest.raises(UsageError, match="belongs to"):
            await write(base, replace(good, chunks=[EmbeddedChunk(replace(first.chunk, document_id="x"))]))
        with pytest.raises(EmbeddingSizeMismatch):
            await write(base, replace(good, chunks=[*good.chunks[1:], EmbeddedChunk(first.chunk, [1.0])]))
        with pytest.raises(CollectionNotFound):
            await base.stores.writer.replace_document("no", good)
        with pytest.raises(DocumentNotFound):
            await base.stores.writer.set_active("c", "no", active=False)
        with pytest.raises(DocumentNotFound):
            await base.stores.writer.move_document("c", "no", good.paths[0], good.paths[0], "x")
        assert await state(base) == before
