"""On both databases: what is wrong with a base is found, what follows from something else is put right, and no more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import anyio.to_thread
import apsw
import pytest
from tests import postgres_server

from sourcebook.model.documents import DocumentStatus
from sourcebook.model.health import Weight
from sourcebook.storage.maintenance.doctor import examine
from sourcebook.storage.maintenance.repair import OnNoVectors, Repairer
from sourcebook.testing.contract.chat import LOCAL, QUOTE
from sourcebook.testing.contract.drafts import SOURCE, approved, entry_of, put, revision, stale_drafts
from sourcebook.testing.contract.material import MODEL, SIZE, make_collection, prepared, state
from sourcebook.testing.crash import embedding_model, prepared_document
from sourcebook.testing.fakes import FakeEmbedder, FixedClock

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.model.documents import Chunk, EmbeddingModel
    from sourcebook.model.health import Finding, HealthReport, Repair
    from sourcebook.ports.providers import Embedder

pytestmark = pytest.mark.anyio

Spoil: TypeAlias = Callable[[str], Awaitable[None]]
PASSAGES = [
    "Raspberries fruit on canes. Canes are cut in autumn.",
    "Blueberries want acid soil. Sulphur helps.",
]


@pytest.fixture
def spoil(db: str) -> Spoil:
    """Run a statement that no program of ours would run."""

    async def on_the_server(statement: str) -> None:
        await anyio.to_thread.run_sync(postgres_server.execute, db, statement)

    async def in_the_file(statement: str) -> None:
        connection = apsw.Connection(db)
        connection.execute(statement)  # pyright: ignore[reportUnknownMemberType]
        connection.close()

    return on_the_server if "://" in db else in_the_file


@pytest.fixture
async def filled(base: OpenBase) -> OpenBase:
    """A base with two documents and a chunk that somebody brought."""
    await make_collection(base, model=MODEL)
    for document in (prepared("d", PASSAGES, title="Berries"), prepared("e", ["Currants. Gooseberries."])):
        await base.stores.writer.replace_document("c", document)
    return base


async def nobody(model: EmbeddingModel) -> Embedder | None:
    return None


class Same:
    """An embedder of the contract's model that gives every text the vector that the documents have."""

    model = MODEL

    async def choose(self, model: EmbeddingModel) -> Embedder | None:
        return FakeEmbedder(SIZE, "contract") if model == MODEL else None


async def look(base: OpenBase, now: int | None = None) -> HealthReport:
    return await examine(base.database, {}, now=now)


async def codes(base: OpenBase) -> set[str]:
    return {finding.code for finding in (await look(base)).faults}


async def repaired(base: OpenBase, clock: FixedClock) -> tuple[list[Repair], list[Finding]]:
    return await Repairer(base.database, clock.now(), nobody).run()


async def test_a_base_that_is_in_order_has_nothing_to_find_and_nothing_to_repair(
    filled: OpenBase, clock: FixedClock
) -> None:
    before = await state(filled)
    report = await look(filled, clock.now())
    assert report.ok
    assert list(report.findings) == []
    assert (report.counts["documents"], report.counts["chunks"]) == (2, 9)
    assert report.versions["base"].startswith("version")
    assert await repaired(filled, clock) == ([], [])
    assert await state(filled) == before


DERIVED = {
    "update collection_counters set chunk_count = chunk_count + 7": {"counters"},
    "delete from collection_counters": {"collections_without_counters"},
    "update terms set chunk_count = chunk_count + 1 where term = 'cane'": {"term_counts"},
    "delete from words where document_id = 'd'": {"passages_without_words", "counters", "term_counts"},
    "delete from document_words where document_id = 'd'": {
        "documents_without_words",
        "counters",
        "term_counts",
    },
    "update words set length = length + 1 where document_id = 'e'": {"wrong_words", "counters"},
    "insert into terms (collection_id, term, chunk_count, document_count) values ('c', 'zzz', 0, 0)": {
        "unused_terms"
    },
    "insert into chunk_ids (collection_id, chunk_id, document_id) values ('c', 'zzz', 'd')": {
        "chunk_ids_without_chunk"
    },
    "delete from chunk_ids where document_id = 'e'": {"chunks_without_chunk_id"},
    "delete from document_hashes": {"documents_without_hash"},
    "insert into document_hashes (collection_id, file_hash, document_id) values ('c', 'zzz', 'd')": {
        "hashes_without_document"
    },
    "insert into document_paths (collection_id, source_id, path, document_id, seen_at)"
    " values ('c', 's', 'gone.txt', 'gone', 0)": {"paths_without_document"},
    "update documents set chunk_count = 0 where id = 'e'": {
        "chunk_counts",
        "counters",
        "texts_without_chunks",
    },
    "update document_chunks set content = 'Sulphur hurts' where content = 'Sulphur helps.'": {"spans"},
    "update document_chunks set start_index = 3, end_index = 9 where content = 'Sulphur helps.'": {"spans"},
    "update documents set content = content || '' where id = 'd'": set[str](),
}


@pytest.mark.parametrize("statement", DERIVED)
async def test_what_follows_from_something_else_is_found_and_made_again(
    filled: OpenBase, spoil: Spoil, clock: FixedClock, statement: str
) -> None:
    before = await state(filled)
    await spoil(statement)
    assert DERIVED[statement] <= await codes(filled)

    repairs, left = await repaired(filled, clock)
    assert bool(repairs) == bool(DERIVED[statement])
    assert left == []
    assert await codes(filled) == set()
    assert await state(filled) == before
    assert await repaired(filled, clock) == ([], [])


async def test_a_letter_that_changed_in_a_text_is_found_and_healed_by_its_passages(
    base: OpenBase, spoil: Spoil, clock: FixedClock
) -> None:
    await base.stores.library.open_collection("c", embedding_model())
    document = prepared_document(4)
    await base.stores.writer.replace_document("c", document)
    before = await state(base)
    await spoil("update documents set content = replace(content, 'mulch', 'mulsh')")
    (finding,) = (await look(base)).faults
    assert (finding.code, finding.rows) == ("changed_texts", [document.document.file_path])
    assert "sourcebook add" in finding.hint
    assert await repaired(base, clock) != ([], [])
    assert await state(base) == before


async def test_a_text_that_nothing_heals_is_marked_and_only_what_is_proven_is_found_of_it(
    base: OpenBase, spoil: Spoil, clock: FixedClock
) -> None:
    await base.stores.library.open_collection("c", embedding_model())
    document = prepared_document(4)
    await base.stores.writer.replace_document("c", document)
    # Both copies of the same letters, so that neither can heal the other.
    first = document.chunks[0].chunk.content[:9]
    for table in ("documents", "document_chunks"):
        await spoil(f"update {table} set content = replace(content, '{first}', 'XXXXXXXXX')")  # noqa: S608
    _, left = await repaired(base, clock)
    (finding,) = left
    assert (finding.code, finding.rows) == ("damaged_documents", [document.document.file_path])

    held = await base.stores.vectors.get_by_document("c", document.document.id)
    texts = {c.chunk.content for c in document.chunks}
    assert held
    assert {c.chunk.content for c in held} < texts
    stored = await base.stores.library.get_document("c", document.document.id)
    assert stored is not None
    assert (stored.status.value, stored.file_hash) == ("failed", None)
    assert await codes(base) == set()
    assert {f.code for f in (await look(base)).findings if f.weight is Weight.NOTE} == {"failed_documents"}
    # Adding it again makes it whole.
    await base.stores.writer.replace_document("c", document)
    assert len(await base.stores.vectors.get_by_document("c", document.document.id)) == len(document.chunks)
    assert (await look(base)).ok


async def test_a_damaged_chunk_is_known_before_it_is_cited(filled: OpenBase, spoil: Spoil) -> None:
    async def read() -> list[Chunk]:
        return [c.chunk for c in await filled.stores.vectors.get_by_document("c", "d")]

    library, chunks = filled.stores.library, await read()
    whole = await library.citable_documents("c", chunks)
    assert (whole.damaged, whole.documents["d"].content[:4]) == (frozenset(), chunks[0].content[:4])
    # One of a document that has gone since it was found is not to be cited either.
    gone = replace(chunks[0], id="unknown", document_id="unknown")
    assert (await library.citable_documents("c", [*chunks, gone])).damaged == {"unknown"}
    (hurt,) = [chunk.id for chunk in chunks if chunk.content == "Sulphur helps."]
    await spoil("update document_chunks set content = 'Sulphur hurts' where content = 'Sulphur helps.'")
    assert (await library.citable_documents("c", await read())).damaged == {hurt}
    # Nothing of a document is to be believed whose text is not what was written.
    await spoil("update documents set content = replace(content, 'acid', 'lime') where id = 'd'")
    spoiled = await library.citable_documents("c", chunks)
    assert (spoiled.damaged, dict(spoiled.documents)) == ({chunk.id for chunk in chunks}, {})


async def test_metadata_that_is_no_json_goes_and_the_text_stays(
    filled: OpenBase, spoil: Spoil, clock: FixedClock
) -> None:
    await spoil("update documents set metadata = '{\"a\": ' where id = 'd'")
    assert await codes(filled) == {"broken_metadata"}
    _, left = await repaired(filled, clock)
    assert [finding.rows for finding in left] == [["d.txt"]]
    document = await filled.stores.library.get_document("c", "d")
    assert document is not None
    assert (document.content, document.metadata) == ("\n\n".join(PASSAGES), {})
    assert await codes(filled) == set()


async def test_a_document_that_lost_chunks_is_to_be_added_again_and_keeps_the_others(
    filled: OpenBase, spoil: Spoil, clock: FixedClock
) -> None:
    await spoil(
        "delete from vectors where chunk_id in (select id from document_chunks where level = 'PARENT')"
    )
    await spoil("delete from words where document_id = 'd'")
    await spoil(
        "delete from document_chunks where level = 'PARENT' and start_index = 0 and document_id = 'd'"
    )
    assert {"children_without_passage", "chunk_counts"} <= await codes(filled)
    _, left = await repaired(filled, clock)
    assert [finding.rows for finding in left] == [["d.txt"]]
    held = await filled.stores.vectors.get_by_document("c", "d")
    assert [c.chunk.content for c in held] == [PASSAGES[1], "Blueberries want acid soil", "Sulphur helps."]
    found = await filled.stores.fts.search("c", "sulphur", 5)
    assert [r.chunk_id for r in found] == [held[0].chunk.id]


async def test_vectors_that_are_missing_are_made_again_by_the_embedder_of_their_model(
    filled: OpenBase, spoil: Spoil, clock: FixedClock
) -> None:
    await spoil(
        "delete from vectors where chunk_id = (select min(chunk_id) from vectors where document_id = 'd')"
    )
    assert await codes(filled) == {"chunks_missing_a_vector"}
    # Nobody here has the model: the fault stays, and is said.
    assert await repaired(filled, clock) == ([], [])
    assert await codes(filled) == {"chunks_missing_a_vector"}
    repairs, _ = await Repairer(filled.database, clock.now(), Same().choose).run()
    assert [(repair.code, repair.count) for repair in repairs] == [("insert_vector", 1)]
    assert await codes(filled) == set()
    assert all(c.embedding is not None for c in await filled.stores.vectors.get_by_document("c", "d"))


async def test_a_document_without_any_vector_is_left_so_unless_vectors_were_lost(
    filled: OpenBase, spoil: Spoil, clock: FixedClock
) -> None:
    await spoil("delete from vectors where document_id = 'd'")
    assert await codes(filled) == set()
    assert await Repairer(filled.database, clock.now(), Same().choose).run() == ([], [])
    embedding = Repairer(filled.database, clock.now(), Same().choose, on_no_vectors=OnNoVectors.EMBED)
    repairs, _ = await embedding.run()
    assert [(repair.code, repair.count) for repair in repairs] == [("insert_vector", 6)]


async def test_jobs_of_a_worker_that_fell_silent_are_found_and_given_back(
    filled: OpenBase, clock: FixedClock
) -> None:
    await filled.stores.jobs.enqueue("read", {})
    job = await filled.stores.jobs.claim(["read"], "worker", 60)
    assert job is not None
    assert (await look(filled, clock.now())).ok
    clock.wait(61)
    (finding,) = (await look(filled, clock.now())).faults
    assert (finding.code, finding.count) == ("stuck_jobs", 1)
    repairs, _ = await repaired(filled, clock)
    assert [repair.code for repair in repairs] == ["sweep_jobs"]
    assert (await look(filled, clock.now())).ok
    assert await filled.stores.jobs.claim(["read"], "other", 60) is not None


async def test_money_is_never_touched(filled: OpenBase, spoil: Spoil, clock: FixedClock) -> None:
    await spoil("update users set token_balance = 5 where id = 1")
    assert await codes(filled) == {"ledger"}
    assert await repaired(filled, clock) == ([], [])
    assert await codes(filled) == {"ledger"}


async def test_what_only_waits_for_somebody_is_a_note_and_no_fault(
    filled: OpenBase, clock: FixedClock
) -> None:
    picture = prepared("f", ["A picture."])
    document = replace(picture.document, content="", status=DocumentStatus.NEEDS_OCR)
    await filled.stores.writer.replace_document("c", replace(picture, document=document, chunks=[]))
    report = await look(filled, clock.now())
    assert report.ok
    assert [(f.code, f.weight) for f in report.findings] == [("needs_ocr_documents", Weight.NOTE)]
    assert report.findings[0].message.startswith("1 × documents are scans without text")


async def test_an_answer_whose_source_was_lost_says_which(
    base: OpenBase, spoil: Spoil, clock: FixedClock
) -> None:
    await put(base, QUOTE, "b")
    await put(base, QUOTE, "f", document_id="other")
    made = await approved(
        base, sources=(SOURCE, replace(SOURCE, document_id="other", document_path="other.md"))
    )
    await base.stores.moderation.propose(made.id, LOCAL, revision(answer="Better."))
    await spoil("delete from document_chunks where document_id = 'other'")
    await spoil("delete from documents where id = 'other'")
    await repaired(base, clock)
    (draft,) = await stale_drafts(base)
    told = [(await entry_of(base, made)).stale_reason, draft.details["reason"]]
    assert told == ["a source was removed: other.md"] * 2
