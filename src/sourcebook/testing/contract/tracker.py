"""What every `DocumentTracker` promises."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from sourcebook.errors import CollectionNotFound
from sourcebook.model.documents import Document
from sourcebook.testing.contract.material import chunk, make_collection, require_sound, state

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase

DOCUMENT = Document(id="d1", content="Малина любит солнце.", title="Малина", file_path="a/b.md", mtime=100)


@pytest.mark.anyio
class DocumentTrackerContract:
    async def test_what_was_never_tracked_is_modified(self, base: OpenBase) -> None:
        await make_collection(base)
        assert await base.stores.tracker.is_modified(DOCUMENT, "c")

    async def test_what_was_tracked_is_not(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.tracker.track(DOCUMENT, "c", 3)
        assert not await base.stores.tracker.is_modified(DOCUMENT, "c")
        [tracked] = await base.stores.tracker.tracked("c")
        assert (tracked.document_id, tracked.file_path, tracked.file_modified_at) == ("d1", "a/b.md", 100)
        assert (tracked.chunk_count, len(tracked.content_hash)) == (3, 64)
        await require_sound(base)

    async def test_the_hash_decides_and_not_the_time(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.tracker.track(DOCUMENT, "c", 3)
        assert not await base.stores.tracker.is_modified(replace(DOCUMENT, mtime=999), "c")
        assert await base.stores.tracker.is_modified(replace(DOCUMENT, content="другое"), "c")

    async def test_collections_track_apart(self, base: OpenBase) -> None:
        await make_collection(base)
        await make_collection(base, "other")
        await base.stores.tracker.track(DOCUMENT, "c", 3)
        assert await base.stores.tracker.is_modified(DOCUMENT, "other")

    async def test_untracking_forgets_but_keeps_chunks(self, base: OpenBase) -> None:
        await make_collection(base)
        empty = await state(base)
        await base.stores.tracker.track(DOCUMENT, "c", 1)
        await base.stores.vectors.add("c", [chunk("k")])
        await base.stores.tracker.untrack("d1", "c")
        assert await base.stores.tracker.is_modified(DOCUMENT, "c")
        assert await base.stores.tracker.tracked("c") == []
        assert await base.stores.vectors.get("c", "k") is not None
        await base.stores.vectors.delete("c", ["k"])
        assert await state(base) == empty

    async def test_untracking_what_is_unknown_is_silent(self, base: OpenBase) -> None:
        await make_collection(base)
        before = await state(base)
        await base.stores.tracker.untrack("unknown", "c")
        assert await state(base) == before

    async def test_a_tracked_document_outlives_its_chunks(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.tracker.track(DOCUMENT, "c", 1)
        await base.stores.vectors.add("c", [chunk("k")])
        await base.stores.vectors.delete_by_document("c", "d1")
        assert not await base.stores.tracker.is_modified(DOCUMENT, "c")

    async def test_tracking_leaves_the_chunk_counts_true(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("k")])
        await base.stores.tracker.track(DOCUMENT, "c", 5)
        [tracked] = await base.stores.tracker.tracked("c")
        assert tracked.chunk_count == 1
        await require_sound(base)

    async def test_an_unknown_collection_is_an_error(self, base: OpenBase) -> None:
        with pytest.raises(CollectionNotFound):
            await base.stores.tracker.track(DOCUMENT, "no", 1)
        with pytest.raises(CollectionNotFound):
            await base.stores.tracker.is_modified(DOCUMENT, "no")
        with pytest.raises(CollectionNotFound):
            await base.stores.tracker.tracked("no")
