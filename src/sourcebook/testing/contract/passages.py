"""What every `PassageSearch` promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from sourcebook.model.documents import Chunk, ChunkLevel, EmbeddedChunk
from sourcebook.model.search import Equals
from sourcebook.ports.storage import PassageSearch
from sourcebook.testing.contract.material import between, make_collection, unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.assembly import OpenBase
    from sourcebook.model.search import MetadataFilter, SearchResult


def part(
    id: str, vector: NDArray[np.float32] | None, parent: str | None = None, group: str = ""
) -> EmbeddedChunk:
    level = ChunkLevel.CHILD if parent else ChunkLevel.PARENT
    metadata = {"group": group} if group else {}
    chunk = Chunk(id, "d", f"text of {id}", end_index=9, level=level, parent_id=parent, metadata=metadata)
    return EmbeddedChunk(chunk, vector)


async def search(base: OpenBase, top_k: int = 5, filter: MetadataFilter | None = None) -> list[SearchResult]:
    store = cast("PassageSearch", base.stores.vectors)
    return await store.search_passages("c", unit(0), top_k, filter)


@pytest.mark.anyio
class PassageSearchContract:
    async def test_the_store_knows_passages(self, base: OpenBase) -> None:
        assert isinstance(base.stores.vectors, PassageSearch)

    async def test_a_passage_scores_the_mean_of_itself_and_its_best_child(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add(
            "c",
            [
                part("p", unit(1)),
                part("c1", unit(0), "p"),
                part("c2", between(0, 1, 0.5), "p"),
                part("c3", unit(2), "p"),
            ],
        )
        [result] = await search(base)
        assert (result.chunk.id, result.chunk.level) == ("p", ChunkLevel.PARENT)
        assert result.score == pytest.approx(0.5, abs=1e-3)
        assert [m.chunk_id for m in result.matched] == ["c1", "c2", "c3"]
        assert result.matched[0].score == pytest.approx(1.0, abs=1e-3)

    async def test_of_children_that_match_alike_those_with_the_first_ids_are_named(
        self, base: OpenBase
    ) -> None:
        await make_collection(base)
        children = [part(f"c{number}", unit(0), "p") for number in (5, 4, 3, 2, 1)]
        await base.stores.vectors.add("c", [part("p", unit(1)), *children])
        [result] = await search(base)
        assert [m.chunk_id for m in result.matched] == ["c1", "c2", "c3"]

    async def test_every_passage_comes_once(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add(
            "c",
            [
                c
                for i in range(5)
                for c in (part(f"p{i}", unit(i)), *(part(f"c{i}{j}", unit(0), f"p{i}") for j in range(4)))
            ],
        )
        found = await search(base, 5)
        assert [r.chunk.id for r in found] == ["p0", "p1", "p2", "p3", "p4"]
        assert len(await search(base, 2)) == 2

    async def test_what_there_is_counts_alone(self, base: OpenBase) -> None:
        """A passage without children scores its own vector, a child without a passage its own."""
        await make_collection(base)
        await base.stores.vectors.add(
            "c", [part("alone", between(0, 1, 0.5)), part("orphan", unit(0), "nowhere")]
        )
        found = await search(base)
        assert [r.chunk.id for r in found] == ["orphan", "alone"]
        assert [m.chunk_id for m in found[0].matched] == []

    async def test_the_filter_speaks_of_the_passage(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add(
            "c",
            [
                part("p", unit(1), group="a"),
                part("c1", unit(0), "p", group="b"),
                part("q", unit(2), group="b"),
            ],
        )
        [result] = await search(base, filter=Equals("group", "a"))
        assert result.chunk.id == "p"
        assert [m.chunk_id for m in result.matched] == ["c1"]
        assert [r.chunk.id for r in await search(base, filter=Equals("group", "b"))] == ["q"]

    async def test_results_name_their_document(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [part("p", unit(0))])
        [result] = await search(base)
        assert result.document_path == "d"
