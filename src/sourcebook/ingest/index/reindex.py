"""Reindex: rebuilds the words and vectors of collections from the stored text.

With another model, a second set of vectors grows beside the first, which goes on to serve; when nothing lacks a vector
any more, the collection switches over at one moment. The work may be stopped at any moment, and goes on where it was.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sourcebook.errors import CollectionNotFound, UsageError
from sourcebook.ingest.index.embedding import leaning
from sourcebook.model.documents import EmbeddingModel
from sourcebook.model.reindexing import (
    EmbeddingNeed,
    ReindexedCollection,
    ReindexPlan,
    ReindexProgress,
    ReindexReport,
    ReindexScope,
    ReindexWay,
)
from sourcebook.ports.providers import TextRole, known_model
from sourcebook.ports.reindexing import START

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.documents import Collection
    from sourcebook.ports.providers import Embedder
    from sourcebook.ports.reindexing import CuratedToEmbed, Place, Reindexing, TextToEmbed, WordingToEmbed
    from sourcebook.ports.storage import VectorStore

TEXTS_AT_ONCE = 128
"""Read, embed, write: so many at a time, which is also what a sudden end can cost."""
_SAMPLE = 32
_PAID = "openai:"

OnProgress: TypeAlias = Callable[[ReindexProgress], None]


class Reindex:
    """Reindexes collections with one model, or (None) each with its own, as far as `embedder_of` has it at hand."""

    def __init__(
        self,
        *,
        store: Reindexing,
        vector_store: VectorStore,
        embedder: Embedder | None,
        embedder_of: Callable[[EmbeddingModel], Awaitable[Embedder | None]],
        scope: ReindexScope = ReindexScope.EVERYTHING,
        texts_at_once: int = TEXTS_AT_ONCE,
    ) -> None:
        if embedder is not None and scope is ReindexScope.WORDS:
            raise UsageError("Words have no model.", hint="Leave out either the model or `--words`.")
        self._store = store
        self._vectors = vector_store
        self._embedder = embedder
        self._embedder_of = embedder_of
        self._scope = scope
        self._texts_at_once = texts_at_once

    async def plan(self, collections: Sequence[str] | None = None) -> list[ReindexPlan]:
        """What a run would do with the named collections, or with all. Nothing is changed."""
        return [await self._planned(collection) for collection in await self._chosen(collections)]

    async def estimate(self, plan: ReindexPlan) -> float | None:
        """About how many seconds the plan takes, tried on some of its texts where that costs nothing."""
        embedder = await self._at_hand(plan)
        if embedder is None or plan.is_paid or not plan.need.text_bytes:
            return None
        sample = await self._store.everything(plan.collection_id, START, _SAMPLE)
        if not sample:
            return None
        await embedder.embed(["."], TextRole.PASSAGE)  # loads the model, which is not to be counted
        start = time.perf_counter()
        await embed_texts(embedder, sample)
        seconds = time.perf_counter() - start
        return seconds * plan.need.text_bytes / sum(len(text.content.encode()) for text in sample)

    async def run(
        self, collections: Sequence[str] | None = None, on_progress: OnProgress | None = None
    ) -> ReindexReport:
        """Do what the plan says. Done again after a stop, what was finished is not done again."""
        plans = await self.plan(collections)
        done = [await self._carry_out(plan, on_progress) for plan in plans]
        if collections is None and all(plan.way in (ReindexWay.REBUILD, ReindexWay.WORDS) for plan in plans):
            await self._store.note_analyser()
        return ReindexReport(done)

    async def _chosen(self, names: Sequence[str] | None) -> list[Collection]:
        known = {collection.id: collection for collection in await self._vectors.list_collections()}
        if names is None:
            if self._embedder is not None and len(known) > 1:
                raise UsageError(
                    f"There are {len(known)} collections: say which of them should switch models.",
                    hint=f"Name them with `--collection`: {', '.join(sorted(known))}.",
                )
            return list(known.values())
        for name in names:
            if name not in known:
                raise CollectionNotFound.named(name)
        return [known[name] for name in dict.fromkeys(names)]

    async def _planned(self, collection: Collection) -> ReindexPlan:
        old = collection.model or EmbeddingModel.of_caller(collection.embedding_dimensions)
        if self._embedder is None:
            new = old
            is_at_hand = self._scope is ReindexScope.EVERYTHING and await self._embedder_of(old) is not None
            way = ReindexWay.REBUILD if is_at_hand else ReindexWay.WORDS
        else:
            new = await known_model(self._embedder)
            way = ReindexWay.NOTHING if new == old else ReindexWay.CHANGE
        need = await self._need(collection.id, way, new)
        is_paid = new.name.startswith(_PAID) and need.vectors > 0
        return ReindexPlan(collection.id, way, old, new, need, is_paid)

    async def _need(self, collection_id: str, way: ReindexWay, model: EmbeddingModel) -> EmbeddingNeed:
        match way:
            case ReindexWay.CHANGE:
                return await self._store.need(collection_id, model)
            case ReindexWay.REBUILD:
                return await self._store.need(collection_id, None, await self._store.mark(collection_id))
            case _:
                return EmbeddingNeed()

    async def _at_hand(self, plan: ReindexPlan) -> Embedder | None:
        match plan.way:
            case ReindexWay.CHANGE:
                return self._embedder
            case ReindexWay.REBUILD:
                return await self._embedder_of(plan.new)
            case _:
                return None

    async def _carry_out(self, plan: ReindexPlan, on_progress: OnProgress | None) -> ReindexedCollection:
        embedder = await self._at_hand(plan)
        run = _Run(self._store, plan, embedder, on_progress, self._texts_at_once)
        vectors = texts = 0
        match plan.way:
            case ReindexWay.CHANGE:
                vectors = await run.change()
            case ReindexWay.REBUILD:
                texts = await run.rebuild_words()
                vectors = await run.rebuild_vectors()
            case ReindexWay.WORDS:
                texts = await run.rebuild_words()
            case ReindexWay.NOTHING:
                await self._store.remove_unused(plan.collection_id)
        return ReindexedCollection(plan.collection_id, plan.way, plan.new.name, vectors, texts)


class _Run:
    """The work on one collection."""

    def __init__(
        self,
        store: Reindexing,
        plan: ReindexPlan,
        embedder: Embedder | None,
        on_progress: OnProgress | None,
        texts_at_once: int,
    ) -> None:
        self._store = store
        self._plan = plan
        self._at_once = texts_at_once
        self._id = plan.collection_id
        self._model = plan.new
        self._given = embedder
        self._on_progress = on_progress
        self._done = 0

    @property
    def _embedder(self) -> Embedder:
        assert self._given is not None, "only what needs no vectors is planned without an embedder"  # noqa: S101
        return self._given

    async def change(self) -> int:
        """Build the second set and switch to it."""
        await self._store.begin(self._id, self._model)
        self._advance(0)
        is_complete = False
        while not is_complete:
            # What was added or changed during a round is found by the next.
            await self._embed_lacking()
            await self._embed_lacking_curated()
            await self._embed_lacking_wordings()
            is_complete = await self._store.switch(self._id, self._model)
        await self._store.remove_unused(self._id)
        return self._done

    async def rebuild_words(self) -> int:
        return await self._store.rebuild_words(self._id, lambda done, total: self._show("words", done, total))

    async def rebuild_vectors(self) -> int:
        """Rebuild every vector of the current set in place."""
        self._advance(0)
        after = await self._store.mark(self._id)
        while texts := await self._store.everything(self._id, after, self._at_once):
            await self._embed(texts)
            after = texts[-1].place
            await self._store.put_mark(self._id, after)
        last = 0
        while entries := await self._store.every_curated(self._id, last, self._at_once):
            await self._embed_curated(entries)
            last = entries[-1].id
        last = 0
        while wordings := await self._store.every_wording(self._id, last, self._at_once):
            await self._embed_wordings(wordings)
            last = wordings[-1].id
        await self._store.put_mark(self._id, None)
        await self._store.remove_unused(self._id)
        return self._done

    async def _embed_lacking(self) -> None:
        after: Place = START
        while texts := await self._store.lacking(self._id, self._model, after, self._at_once):
            await self._embed(texts)
            after = texts[-1].place

    async def _embed_lacking_curated(self) -> None:
        last = 0
        while entries := await self._store.lacking_curated(self._id, self._model, last, self._at_once):
            await self._embed_curated(entries)
            last = entries[-1].id

    async def _embed_lacking_wordings(self) -> None:
        last = 0
        while wordings := await self._store.lacking_wordings(self._id, self._model, last, self._at_once):
            await self._embed_wordings(wordings)
            last = wordings[-1].id

    async def _embed(self, texts: Sequence[TextToEmbed]) -> None:
        vectors = await embed_texts(self._embedder, texts)
        self._advance(await self._store.put(self._id, self._model, texts, vectors))

    async def _embed_curated(self, entries: Sequence[CuratedToEmbed]) -> None:
        vectors = await embed_curated(self._embedder, entries)
        self._advance(await self._store.put_curated(self._id, self._model, entries, vectors))

    async def _embed_wordings(self, wordings: Sequence[WordingToEmbed]) -> None:
        vectors = await self._embedder.embed([wording.question for wording in wordings], TextRole.QUESTION)
        self._advance(await self._store.put_wordings(self._id, self._model, wordings, vectors))

    def _advance(self, count: int) -> None:
        self._done += count
        self._show("vectors", self._done, max(self._plan.need.vectors, self._done))

    def _show(self, stage: str, done: int, total: int) -> None:
        if self._on_progress is not None:
            self._on_progress(ReindexProgress(self._id, stage, done, total))


async def embed_texts(embedder: Embedder, texts: Sequence[TextToEmbed]) -> NDArray[np.float32]:
    """The vectors of chunks of any documents, composed as they are when a document is added."""
    titles = list(dict.fromkeys(text.leans_to for text in texts if text.leans_to is not None))
    made = await embedder.embed([*(text.content for text in texts), *titles], TextRole.PASSAGE)
    vectors, of_titles = made[: len(texts)], made[len(texts) :]
    for title, vector in zip(titles, of_titles, strict=True):
        rows = [row for row, text in enumerate(texts) if text.leans_to == title]
        vectors[rows] = leaning(vectors[rows], vector)
    return vectors


async def embed_curated(embedder: Embedder, entries: Sequence[CuratedToEmbed]) -> NDArray[np.float32]:
    """The vectors of curated answers. One is found by its question, as people ask alike; without one, by its answer."""
    vectors = np.empty((len(entries), embedder.model.dimensions), dtype=np.float32)
    asked = [row for row, entry in enumerate(entries) if entry.question is not None]
    others = [row for row, entry in enumerate(entries) if entry.question is None]
    for rows, role in ((asked, TextRole.QUESTION), (others, TextRole.PASSAGE)):
        if rows:
            texts = [entries[row].question or entries[row].answer for row in rows]
            vectors[rows] = await embedder.embed(texts, role)
    return vectors
