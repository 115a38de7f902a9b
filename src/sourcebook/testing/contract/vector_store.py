"""What every `VectorStore` promises."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from sourcebook.errors import (
    BadMetadata,
    BadText,
    BadVector,
    ChunkNotFound,
    CollectionConflict,
    CollectionNotFound,
    DuplicateChunkId,
    EmbeddingSizeMismatch,
    SourcebookError,
    UsageError,
)
from sourcebook.model.documents import ChunkLevel, Collection, DistanceMetric, EmbeddedChunk
from sourcebook.testing.contract.material import between, chunk, make_collection, require_sound, state, unit

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase


@pytest.mark.anyio
class VectorStoreContract:
    async def test_a_new_collection_is_empty_and_described(self, base: OpenBase) -> None:
        wanted = Collection("c", 8, name="Ягоды", description="all about berries")
        made = await base.stores.vectors.create_collection(wanted)
        found = await base.stores.vectors.get_collection("c")
        assert found == made
        assert (made.name, made.description, made.embedding_dimensions) == ("Ягоды", "all about berries", 8)
        assert (made.distance_metric, made.document_count, made.chunk_count) == (DistanceMetric.COSINE, 0, 0)
        assert made.model is not None
        assert made.model.is_callers

    async def test_creating_the_same_collection_again_keeps_what_it_holds(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("k")])
        await make_collection(base)
        assert await base.stores.vectors.get("c", "k") is not None

    @pytest.mark.parametrize(
        "other",
        [Collection("c", 9), Collection("c", 8, distance_metric=DistanceMetric.DOT)],
        ids=["size", "metric"],
    )
    async def test_creating_it_differently_is_a_conflict(self, base: OpenBase, other: Collection) -> None:
        await make_collection(base)
        with pytest.raises(CollectionConflict):
            await base.stores.vectors.create_collection(other)

    async def test_collections_are_listed_by_id(self, base: OpenBase) -> None:
        for name in ("b", "a", "я"):
            await make_collection(base, name)
        assert [c.id for c in await base.stores.vectors.list_collections()] == ["a", "b", "я"]

    async def test_an_unknown_collection_is_none_to_get_and_an_error_to_use(self, base: OpenBase) -> None:
        vectors = base.stores.vectors
        assert await vectors.get_collection("no") is None
        for use in (
            vectors.add("no", [chunk("k")]),
            vectors.update("no", [chunk("k")]),
            vectors.delete("no", ["k"]),
            vectors.delete_by_document("no", "d"),
            vectors.get("no", "k"),
            vectors.get_by_document("no", "d"),
            vectors.search_semantic("no", unit(0), 1),
        ):
            with pytest.raises(CollectionNotFound):
                await use

    async def test_a_chunk_comes_back_as_it_was_given(self, base: OpenBase) -> None:
        await make_collection(base)
        metadata = {"z": 1, "a": [1, 2.5, None, True, "x"], "вложено": {"б": {"в": "г"}}, "large": 2**70}
        given = replace(
            chunk("k", metadata=metadata).chunk,
            content="Текст 🍓",
            chunk_index=7,
            start_index=3,
            end_index=10,
            level=ChunkLevel.CHILD,
            parent_id="p",
            section="A > B",
            page=4,
            token_count=2,
        )
        await base.stores.vectors.add("c", [EmbeddedChunk(given, unit(3))])
        found = await base.stores.vectors.get("c", "k")
        assert found is not None
        assert replace(found.chunk, created_at=0) == given
        assert found.chunk.created_at > 0
        assert list(found.chunk.metadata) == list(metadata)
        assert found.embedding is not None
        assert np.allclose(found.embedding, unit(3))

    async def test_adding_again_replaces(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("k", unit(0), content="old")])
        await base.stores.vectors.add("c", [chunk("k", unit(1), content="new")])
        found = await base.stores.vectors.search_semantic("c", unit(1), 5)
        assert [(r.chunk.content, round(r.score, 3)) for r in found] == [("new", 1.0)]
        await require_sound(base)

    async def test_adding_an_id_under_another_document_moves_it(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("k", document="d1")])
        await base.stores.vectors.add("c", [chunk("k", document="d2")])
        assert await base.stores.vectors.get_by_document("c", "d1") == []
        collection = await base.stores.vectors.get_collection("c")
        assert collection is not None
        assert (collection.document_count, collection.chunk_count) == (1, 1)
        await require_sound(base)

    async def test_the_same_id_lives_in_two_collections(self, base: OpenBase) -> None:
        await make_collection(base, "one")
        await make_collection(base, "two")
        await base.stores.vectors.add("one", [chunk("k", content="first")])
        await base.stores.vectors.add("two", [chunk("k", content="second")])
        await base.stores.vectors.delete("one", ["k"])
        left = await base.stores.vectors.get("two", "k")
        assert left is not None
        assert left.chunk.content == "second"
        await require_sound(base)

    async def test_update_changes_what_exists_and_nothing_else(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("k", content="old")])
        await base.stores.vectors.update("c", [chunk("k", content="new")])
        before = await state(base)
        with pytest.raises(ChunkNotFound):
            await base.stores.vectors.update("c", [chunk("k", content="newer"), chunk("unknown")])
        assert await state(base) == before

    async def test_deleting_unknown_ids_is_silent(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("k")])
        before = await state(base)
        await base.stores.vectors.delete("c", ["unknown"])
        await base.stores.vectors.delete_by_document("c", "unknown")
        await base.stores.vectors.delete_collection("unknown")
        assert await state(base) == before

    async def test_deleting_removes_vectors_and_words(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("k", content="raspberry canes")])
        await base.stores.fts.index("c", [chunk("k", content="raspberry canes").chunk])
        await base.stores.vectors.delete("c", ["k"])
        assert await base.stores.vectors.get("c", "k") is None
        assert await base.stores.vectors.search_semantic("c", unit(0), 5) == []
        assert await base.stores.fts.search("c", "raspberry", 5) == []
        await require_sound(base)

    async def test_deleting_by_document_leaves_the_others(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("a", document="d1"), chunk("b", document="d2")])
        await base.stores.vectors.delete_by_document("c", "d1")
        assert [r.chunk.id for r in await base.stores.vectors.search_semantic("c", unit(0), 5)] == ["b"]
        collection = await base.stores.vectors.get_collection("c")
        assert collection is not None
        assert (collection.document_count, collection.chunk_count) == (1, 1)
        await require_sound(base)

    async def test_deleting_a_collection_leaves_nothing_of_it(self, base: OpenBase) -> None:
        await make_collection(base, "other")
        empty = await state(base)
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("k", content="raspberry")])
        await base.stores.fts.index("c", [chunk("k", content="raspberry").chunk])
        await base.stores.vectors.delete_collection("c")
        assert await base.stores.vectors.get_collection("c") is None
        assert await state(base) == empty
        await make_collection(base)
        assert await base.stores.vectors.search_semantic("c", unit(0), 5) == []
        await require_sound(base)

    async def test_chunks_of_a_document_come_in_their_order(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk(f"k{i}", index=9 - i) for i in range(10)])
        found = await base.stores.vectors.get_by_document("c", "d1")
        assert [c.chunk.chunk_index for c in found] == list(range(10))

    async def test_counts_follow_every_change(self, base: OpenBase) -> None:
        vectors = base.stores.vectors
        await make_collection(base)
        counts: list[tuple[int, int]] = []
        for change in (
            vectors.add(
                "c", [chunk("a", document="d1"), chunk("b", document="d1"), chunk("x", document="d2")]
            ),
            vectors.add("c", [chunk("a", document="d2")]),
            vectors.delete("c", ["b"]),
            vectors.delete("c", ["a", "x"]),
        ):
            await change
            collection = await vectors.get_collection("c")
            assert collection is not None
            counts.append((collection.document_count, collection.chunk_count))
        assert counts == [(2, 3), (2, 3), (1, 2), (0, 0)]

    async def test_the_nearest_come_first_with_their_cosine(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk(f"k{i}", between(0, 1, i / 4)) for i in range(5)])
        found = await base.stores.vectors.search_semantic("c", 3 * unit(0), 3)
        assert [r.chunk.id for r in found] == ["k0", "k1", "k2"]
        for result, share in zip(found, (0, 0.25, 0.5), strict=True):
            exact = (1 - share) / math.hypot(1 - share, share)
            assert result.score == pytest.approx(exact, abs=1e-3)
            assert result.score_breakdown.semantic_score == result.score

    async def test_equal_scores_are_ordered_by_id(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk(name) for name in ("b", "я", "a", "ab")])
        found = await base.stores.vectors.search_semantic("c", unit(0), 3)
        assert [r.chunk.id for r in found] == ["a", "ab", "b"]

    async def test_a_zero_vector_is_similar_to_nothing(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("zero", 0 * unit(0)), chunk("one", unit(1))])
        assert [
            (r.chunk.id, r.score) for r in await base.stores.vectors.search_semantic("c", unit(0), 5)
        ] == [
            ("one", 0.0),
            ("zero", 0.0),
        ]
        assert {r.score for r in await base.stores.vectors.search_semantic("c", 0 * unit(0), 5)} == {0.0}

    @pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
    async def test_cosine_does_not_depend_on_length(self, base: OpenBase, scale: float) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("k", scale * between(0, 1, 0.5))])
        [found] = await base.stores.vectors.search_semantic("c", scale * unit(0), 1)
        assert found.score == pytest.approx(math.sqrt(0.5), abs=1e-3)

    async def test_the_inner_product_keeps_lengths(self, base: OpenBase) -> None:
        await base.stores.vectors.create_collection(Collection("c", 8, distance_metric=DistanceMetric.DOT))
        await base.stores.vectors.add("c", [chunk("short", unit(0)), chunk("long", 30 * unit(0))])
        found = await base.stores.vectors.search_semantic("c", 2 * unit(0), 2)
        assert [(r.chunk.id, r.score) for r in found] == [("long", 60.0), ("short", 2.0)]

    async def test_one_huge_vector_does_not_hide_the_others(self, base: OpenBase) -> None:
        await base.stores.vectors.create_collection(Collection("c", 2, distance_metric=DistanceMetric.DOT))
        vectors = {"huge": [3e38, -3e38], "small": [1.0, 1.0], "large": [3e20, 3e20]}
        await base.stores.vectors.add("c", [chunk(name, vector) for name, vector in vectors.items()])
        found = await base.stores.vectors.search_semantic("c", [5.0, 5.0], 3)
        assert [r.chunk.id for r in found] == ["large", "small", "huge"]
        assert [r.chunk.id for r in await base.stores.vectors.search_semantic("c", [1.0, 0.0], 1)] == ["huge"]

    async def test_the_euclidean_score_falls_with_the_distance(self, base: OpenBase) -> None:
        await base.stores.vectors.create_collection(
            Collection("c", 8, distance_metric=DistanceMetric.EUCLIDEAN)
        )
        await base.stores.vectors.add(
            "c", [chunk("far", 30 * unit(0)), chunk("near", unit(0)), chunk("at", 3 * unit(0))]
        )
        found = await base.stores.vectors.search_semantic("c", 3 * unit(0), 3)
        expected = [("at", 1.0), ("near", pytest.approx(1 / 3)), ("far", pytest.approx(1 / 28))]
        assert [(r.chunk.id, r.score) for r in found] == expected

    async def test_never_fewer_than_asked_for(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk(f"k{i:03}", between(0, 1, i / 300)) for i in range(300)])
        assert len(await base.stores.vectors.search_semantic("c", unit(2), 250)) == 250
        assert len(await base.stores.vectors.search_semantic("c", unit(2), 10**9)) == 300

    @pytest.mark.parametrize("top_k", [0, -1])
    async def test_top_k_is_at_least_one(self, base: OpenBase, top_k: int) -> None:
        await make_collection(base)
        with pytest.raises(UsageError):
            await base.stores.vectors.search_semantic("c", unit(0), top_k)

    @pytest.mark.parametrize(
        ("bad", "error"),
        [
            (chunk("x", [1.0, 2.0]), EmbeddingSizeMismatch),
            (chunk("x", [math.nan, *[0.0] * 7]), BadVector),
            (chunk("x", [math.inf, *[0.0] * 7]), BadVector),
            (chunk("x", [1e300, *[0.0] * 7]), BadVector),
            (EmbeddedChunk(chunk("x").chunk, None), BadVector),
            (chunk("good"), DuplicateChunkId),
            (chunk("x", content="a\x00b"), BadText),
            (chunk("x", content="a\ud800b"), BadText),
            (chunk("", content="no id"), UsageError),
            (chunk("x", metadata={"n": math.nan}), BadMetadata),
            (chunk("x", metadata={"n": "\x00"}), BadMetadata),
        ],
        ids=lambda value: value.__name__ if isinstance(value, type) else "",
    )
    async def test_one_bad_chunk_stores_nothing(
        self, base: OpenBase, bad: EmbeddedChunk, error: type[SourcebookError]
    ) -> None:
        await make_collection(base)
        before = await state(base)
        with pytest.raises(error) as raised:
            await base.stores.vectors.add("c", [chunk("good"), bad])
        assert raised.value.hint
        assert await state(base) == before

    async def test_the_error_of_a_wrong_size_names_both_sizes(self, base: OpenBase) -> None:
        await make_collection(base)
        with pytest.raises(EmbeddingSizeMismatch, match=r"(?=.*\b2\b)(?=.*\b8\b)"):
            await base.stores.vectors.search_semantic("c", [1.0, 2.0], 1)

    @pytest.mark.parametrize("metadata", [{1: "x"}, {"x": {1, 2}}, {"x": object()}, {"x": b"bytes"}])
    async def test_metadata_must_be_json(self, base: OpenBase, metadata: Any) -> None:
        await make_collection(base)
        with pytest.raises(BadMetadata):
            await base.stores.vectors.add("c", [chunk("k", metadata=metadata)])

    async def test_adding_nothing_changes_nothing(self, base: OpenBase) -> None:
        await make_collection(base)
        before = await state(base)
        await base.stores.vectors.add("c", [])
        assert await state(base) == before
