"""What every base promises to whoever makes its vectors and words anew."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest

from sourcebook.errors import ReindexOverrun
from sourcebook.ingest.index.embedding import embed_chunks
from sourcebook.ingest.index.reindex import Reindex, embed_texts
from sourcebook.model.documents import EmbeddingModel
from sourcebook.model.reindexing import ReindexWay
from sourcebook.ports.moderation import Embedded
from sourcebook.ports.providers import TextRole
from sourcebook.ports.reindexing import START
from sourcebook.testing.contract.chat import LOCAL
from sourcebook.testing.contract.material import (
    MODEL,
    SIZE,
    chunk,
    hash_of,
    make_collection,
    prepared,
    require_sound,
    state,
    unit,
)
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.model.reindexing import ReindexProgress, ReindexReport
    from sourcebook.ports.providers import Embedder

RASPBERRY = ["Raspberries are pruned in autumn. Cut the canes.", "Water them in summer."]
BLUEBERRY = ["Blueberries want acid soil. Test it every spring.", "Feed them sulphate of ammonia."]
STRAWBERRY = ["Strawberry crowns stay level with the soil.", "Straw keeps the fruit clean. Slugs hate it."]
LATER = EmbeddingModel(name="later", dimensions=12, version="1")


async def filled(base: OpenBase) -> None:
    await make_collection(base, model=MODEL)
    await base.stores.writer.replace_document("c", prepared("raspberry", RASPBERRY, title="Raspberry"))
    await base.stores.writer.replace_document("c", prepared("blueberry", BLUEBERRY))
    await base.stores.vectors.add("c", [chunk("bare", document="e", content="own text")])
    await base.stores.fts.index("c", [chunk("bare", document="e", content="own text").chunk])


def embedder(dimensions: int = 12, name: str = "later") -> FakeEmbedder:
    return FakeEmbedder(dimensions, name)


async def _none(model: EmbeddingModel) -> Embedder | None:
    return None


async def reindexed(
    base: OpenBase,
    made_by: Embedder | None,
    *,
    own: Callable[[EmbeddingModel], Awaitable[Embedder | None]] = _none,
    on_progress: Callable[[ReindexProgress], None] | None = None,
) -> ReindexReport:
    work = Reindex(
        store=base.stores.reindexing,
        vector_store=base.stores.vectors,
        embedder=made_by,
        embedder_of=own,
        texts_at_once=3,
    )
    return await work.run(["c"], on_progress)


async def require_vectors(base: OpenBase, made_by: Embedder) -> None:
    """Every chunk has the vector that it would have, had its document been added with this embedder."""
    for document in await base.stores.library.list_documents("c"):
        held = await base.stores.vectors.get_by_document("c", document.id)
        expected = await embed_chunks(made_by, [c.chunk for c in held], document.title)
        for found, right in zip(held, expected, strict=True):
            assert np.asarray(found.embedding) == pytest.approx(np.asarray(right.embedding), abs=2e-3)


async def models_in_use(base: OpenBase) -> set[int]:
    rows = await base.database.fetch("digest_vectors")
    return {len(row["vector"]) // 2 for row in rows}


@pytest.mark.anyio
class ReindexingContract:
    async def test_a_changed_model_leaves_what_adding_with_it_would_have_left(self, base: OpenBase) -> None:
        await filled(base)
        later = embedder()
        report = await reindexed(base, later)
        assert [(done.way, done.vectors) for done in report.collections] == [(ReindexWay.CHANGE, 11)]
        collection = await base.stores.vectors.get_collection("c")
        assert collection is not None
        assert (collection.model, collection.embedding_dimensions) == (LATER, 12)
        await require_vectors(base, later)
        assert await models_in_use(base) == {12}
        await require_sound(base)

    async def test_the_old_set_serves_until_the_switch_and_the_new_one_after_it(self, base: OpenBase) -> None:
        await filled(base)
        later, store = embedder(), base.stores.reindexing
        before = await base.stores.vectors.search_semantic("c", unit(1), 10)
        await store.begin("c", LATER)
        texts = await store.lacking("c", LATER, START, 100)
        assert not await store.switch("c", LATER)
        vectors = await embed_texts(later, texts)
        assert await store.put("c", LATER, texts[:4], vectors[:4]) == 4
        assert not await store.switch("c", LATER)
        assert await base.stores.vectors.search_semantic("c", unit(1), 10) == before
        await require_sound(base)
        assert await store.put("c", LATER, texts, vectors) == len(texts)
        assert await base.stores.vectors.search_semantic("c", unit(1), 10) == before
        assert await store.switch("c", LATER)
        [question] = await later.embed([RASPBERRY[1]], TextRole.QUESTION)
        found = await base.stores.vectors.search_semantic("c", question, 1)
        assert found[0].chunk.content == RASPBERRY[1]
        await require_sound(base)

    async def test_what_changes_meanwhile_is_covered(self, base: OpenBase) -> None:
        await filled(base)
        store, later = base.stores.reindexing, embedder()
        await store.begin("c", LATER)
        texts = await store.lacking("c", LATER, START, 100)
        vectors = await embed_texts(later, texts)
        writer = base.stores.writer
        await writer.replace_document("c", prepared("blueberry", STRAWBERRY, expected=hash_of(BLUEBERRY)))
        await writer.replace_document("c", prepared("new", BLUEBERRY))
        await writer.remove_document("c", "raspberry")
        await base.stores.vectors.update("c", [chunk("bare", document="e", content="another text")])
        assert await store.put("c", LATER, texts, vectors) == 0
        await reindexed(base, later)
        await require_vectors(base, later)
        assert {d.id for d in await base.stores.library.list_documents("c")} == {"blueberry", "new", "e"}
        await require_sound(base)

    async def test_a_new_title_is_a_change(self, base: OpenBase) -> None:
        await filled(base)
        store, later = base.stores.reindexing, embedder()
        await store.begin("c", LATER)
        texts = await store.lacking("c", LATER, START, 100)
        vectors = await embed_texts(later, texts)
        titled = prepared("raspberry", RASPBERRY, title="Rubus idaeus", expected=hash_of(RASPBERRY))
        await base.stores.writer.replace_document("c", titled)
        await store.put("c", LATER, texts, vectors)
        assert {text.place[0] for text in await store.lacking("c", LATER, START, 100)} == {"raspberry"}
        await reindexed(base, later)
        await require_vectors(base, later)

    async def test_documents_that_come_during_the_work_are_in_the_new_set(self, base: OpenBase) -> None:
        await filled(base)
        later, store = embedder(), base.stores.reindexing
        await store.begin("c", LATER)
        texts = await store.lacking("c", LATER, START, 100)
        vectors = await embed_texts(later, texts)
        await store.put("c", LATER, texts, vectors)
        await base.stores.writer.replace_document("c", prepared("late", STRAWBERRY))
        assert not await store.switch("c", LATER)
        report = await reindexed(base, later)
        assert report.collections[0].vectors == 5
        await require_vectors(base, later)
        await require_sound(base)

    async def test_work_goes_on_where_it_was(self, base: OpenBase) -> None:
        await filled(base)
        later, store = embedder(), base.stores.reindexing
        await store.begin("c", LATER)
        texts = await store.lacking("c", LATER, START, 4)
        vectors = await embed_texts(later, texts)
        await store.put("c", LATER, texts, vectors)
        assert (await store.need("c", LATER)).vectors == 7
        assert (await store.need("c", None)).vectors == 11
        assert (await reindexed(base, later)).collections[0].vectors == 7

    async def test_a_model_that_is_in_use_already_needs_nothing(self, base: OpenBase) -> None:
        await filled(base)
        await reindexed(base, embedder())
        before = await state(base)
        again = embedder()
        report = await reindexed(base, again)
        assert (report.collections[0].way, again.embedded) == (ReindexWay.NOTHING, 0)
        assert await state(base) == before

    async def test_there_and_back_again_shows_nothing_of_before(self, base: OpenBase) -> None:
        await filled(base)
        first = embedder(name="first")
        await reindexed(base, first)
        [question] = await first.embed([RASPBERRY[1]], TextRole.QUESTION)
        assert (await base.stores.vectors.search_semantic("c", question, 1))[0].chunk.content == RASPBERRY[1]
        await reindexed(base, embedder(20))
        await base.stores.writer.remove_document("c", "raspberry")
        await reindexed(base, first)
        found = await base.stores.vectors.search_semantic("c", question, 20)
        assert {result.chunk.document_id for result in found} == {"blueberry", "e"}
        await require_vectors(base, first)
        await require_sound(base)

    async def test_a_set_that_was_given_up_is_removed(self, base: OpenBase) -> None:
        await filled(base)
        store, later = base.stores.reindexing, embedder()
        await store.begin("c", LATER)
        texts = await store.lacking("c", LATER, START, 100)
        vectors = await embed_texts(later, texts)
        await store.put("c", LATER, texts, vectors)
        assert await models_in_use(base) == {SIZE, 12}
        await reindexed(base, embedder(20, "latest"))
        assert await models_in_use(base) == {20}
        with pytest.raises(ReindexOverrun):
            await store.put("c", LATER, texts, vectors)
        with pytest.raises(ReindexOverrun):
            await store.switch("c", LATER)
        assert await models_in_use(base) == {20}
        await require_sound(base)

    async def test_curated_answers_change_with_their_collection(self, base: OpenBase) -> None:
        await filled(base)
        curated = base.stores.curated
        asked = await curated.kb_insert(
            collection_id="c", category="k", question="When to prune?", answer="Autumn.", embedding=unit(0)
        )
        told = await curated.kb_insert(
            collection_id="c", category="k", answer="Mulch in winter.", embedding=unit(1)
        )
        worded = Embedded(unit(2), MODEL)
        await curated.kb_add_wording(asked.id, "In which month are canes cut?", LOCAL, worded)
        later = embedder()
        assert (await reindexed(base, later)).collections[0].vectors == 14
        for text, role, entry in (
            ("When to prune?", TextRole.QUESTION, asked),
            ("In which month are canes cut?", TextRole.QUESTION, asked),
            ("Mulch in winter.", TextRole.PASSAGE, told),
        ):
            [question] = await later.embed([text], role)
            found = await curated.kb_search("k", question, collection_id="c", distance_threshold=0.01)
            assert [match.entry.id for match in found] == [entry.id]
        await require_sound(base)

    async def test_rebuilding_makes_words_and_vectors_anew(self, base: OpenBase) -> None:
        await filled(base)
        later, store = embedder(), base.stores.reindexing
        await reindexed(base, later)
        right = await state(base)
        texts = await store.everything("c", START, 100)
        await store.put("c", LATER, texts, np.tile(unit(3, 12), (len(texts), 1)))
        assert await state(base) != right

        async def own(model: EmbeddingModel) -> Embedder | None:
            return later if model == LATER else None

        report = await reindexed(base, None, own=own)
        [done] = report.collections
        assert (done.way, done.vectors, done.texts) == (ReindexWay.REBUILD, 11, 3)
        assert await state(base) == right
        assert {r.chunk_id for r in await base.stores.fts.search("c", "canes text", 9)} == {
            "bare",
            "raspberry:P0-48",
        }
        [question] = await later.embed([BLUEBERRY[1]], TextRole.QUESTION)
        assert (await base.stores.vectors.search_semantic("c", question, 1))[0].chunk.content == BLUEBERRY[1]
        await require_sound(base)

    async def test_a_rebuild_goes_on_where_it_stopped(self, base: OpenBase) -> None:
        await filled(base)
        later, store = embedder(), base.stores.reindexing
        await reindexed(base, later)
        texts = await store.everything("c", START, 100)
        await store.put_mark("c", texts[3].place)

        async def own(model: EmbeddingModel) -> Embedder | None:
            return later

        assert (await reindexed(base, None, own=own)).collections[0].vectors == 11 - 4
        assert await store.mark("c") == START

    async def test_a_mark_of_another_model_is_not_believed(self, base: OpenBase) -> None:
        await filled(base)
        store = base.stores.reindexing
        await store.put_mark("c", ("raspberry", "x"))
        assert await store.mark("c") == ("raspberry", "x")
        await reindexed(base, embedder())
        assert await store.mark("c") == START

    async def test_without_its_model_a_collection_gets_its_words_anew(self, base: OpenBase) -> None:
        await filled(base)
        before = await state(base)
        report = await reindexed(base, None)
        assert report.collections[0].way is ReindexWay.WORDS
        assert await state(base) == before
        await require_sound(base)

    async def test_other_collections_are_left_alone(self, base: OpenBase) -> None:
        await filled(base)
        await make_collection(base, "other", model=MODEL)
        await base.stores.writer.replace_document("other", prepared("raspberry", RASPBERRY))
        before = await base.stores.vectors.get_by_document("other", "raspberry")
        await reindexed(base, embedder())
        await reindexed(base, None)
        assert await base.stores.vectors.get_by_document("other", "raspberry") == before
        assert len(await base.stores.fts.search("other", "canes", 5)) == 1
        await require_sound(base)
