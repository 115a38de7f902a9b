"""What every `FtsStore` promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sourcebook.errors import BadText, CollectionNotFound, DuplicateChunkId, UsageError
from sourcebook.model.search import Equals, Not
from sourcebook.testing.contract.material import chunk, make_collection, prepared, require_sound, state, unit

if TYPE_CHECKING:
    from sourcebook.assembly import OpenBase
    from sourcebook.model.documents import Chunk
    from sourcebook.model.search import MetadataFilter

RU = "Малину обрезают осенью. Побеги срезают у самой земли. Ремонтантную малину поливают летом."
EN = "Raspberries are pruned in autumn. The canes are cut at ground level. Water them in summer."
PT = "As framboesas são podadas no outono. Os ramos são cortados rente ao solo. Regue-as no verão."


def text(id: str, content: str, *, document: str | None = None, group: str = "") -> Chunk:
    metadata = {"group": group} if group else {}
    return chunk(id, document=document or f"of {id}", content=content, metadata=metadata).chunk


async def found(
    base: OpenBase, query: str, top_k: int = 10, filter: MetadataFilter | None = None
) -> list[str]:
    return [r.chunk_id for r in await base.stores.fts.search("c", query, top_k, filter)]


@pytest.mark.anyio
class FtsStoreContract:
    async def test_words_are_found_in_every_form(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.fts.index("c", [text("ru", RU), text("en", EN), text("pt", PT)])
        assert await found(base, "обрезка малины") == ["ru"]
        assert await found(base, "pruning a raspberry") == ["en"]
        assert await found(base, "podar framboesa") == ["pt"]
        await require_sound(base)

    async def test_one_word_of_many_is_enough_and_more_rank_higher(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.fts.index("c", [text("one", "apples and pears"), text("two", "apples and plums")])
        assert await found(base, "plums zebra") == ["two"]
        assert await found(base, "apples plums") == ["two", "one"]

    async def test_rare_words_count_more(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.fts.index(
            "c", [*[text(f"k{i}", "soil and water") for i in range(9)], text("rare", "soil and magnesium")]
        )
        assert (await found(base, "water magnesium"))[0] == "rare"

    async def test_a_word_that_is_said_again_counts_more_but_not_twice(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.fts.index("c", [text("one", "apples and pears"), text("two", "plums and soil")])
        once, again = [
            (await base.stores.fts.search("c", query, 1))[0].score for query in ("apples", "apples, apples")
        ]
        assert once < again < 2 * once

    async def test_case_stress_and_yo_do_not_matter(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.fts.index("c", [text("k", "Чёрная смородина любит солнце и тёплую почву")])
        assert await found(base, "ЧЕРНАЯ СМОРОДИНА") == ["k"]
        assert await found(base, "чёрная сморо́дина") == ["k"]

    async def test_a_star_matches_any_word_that_begins_so(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.fts.index(
            "c", [text("k", EN), text("x", "Strawberries like the sun and good soil.")]
        )
        assert await found(base, "rasp*") == ["k"]
        assert await found(base, "rasp") == []
        assert set(await found(base, "rasp* strawb*")) == {"k", "x"}

    async def test_a_language_that_nobody_knows_is_searched_as_it_stands(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.fts.index("c", [text("k", "XJ-900"), text("ru", RU)])
        assert await found(base, "xj-900") == ["k"]
        assert await found(base, "малина") == ["ru"]

    async def test_every_result_shows_up_to_three_sentences(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.fts.index(
            "c", [text("k", " ".join(f"Sentence {i} has water." for i in range(9)) + " " + EN)]
        )
        [result] = await base.stores.fts.search("c", "raspberry cane", 1)
        assert result.highlights == [
            "Raspberries are pruned in autumn.",
            "The canes are cut at ground level.",
        ]
        [result] = await base.stores.fts.search("c", "water", 1)
        assert len(result.highlights) == 3

    async def test_a_collection_finds_only_its_own(self, base: OpenBase) -> None:
        await make_collection(base)
        await make_collection(base, "other")
        await base.stores.fts.index("other", [text("k", EN)])
        assert await found(base, "raspberry") == []

    @pytest.mark.parametrize("query", ["", "   ", "!?", "\x00", "\ud800", "*", '"', "the"])
    async def test_a_question_without_words_finds_nothing_and_is_no_error(
        self, base: OpenBase, query: str
    ) -> None:
        await make_collection(base)
        await base.stores.fts.index("c", [text("k", RU)])
        assert await found(base, query) == []

    async def test_the_filter_applies_inside_the_search(self, base: OpenBase) -> None:
        await make_collection(base)
        chunks = [text(f"k{i:02}", "raspberry", group="a" if i >= 40 else "b") for i in range(50)]
        await base.stores.fts.index("c", chunks)
        assert await found(base, "raspberry", 10, Equals("group", "a")) == [f"k{i}" for i in range(40, 50)]
        assert len(await found(base, "raspberry", 40, Not(Equals("group", "a")))) == 40

    async def test_a_filter_never_takes_a_chunk_for_its_neighbour(self, base: OpenBase) -> None:
        """Of a document's chunks, one is found by words and another has what the filter wants."""
        await make_collection(base)
        await base.stores.fts.index("c", [text("a", "raspberry", document="d")])
        await base.stores.vectors.add("c", [chunk("b", document="d", content="other", metadata={"k": 1})])
        assert await found(base, "raspberry", 10, Equals("k", 1)) == []
        assert await found(base, "raspberry", 10, Not(Equals("k", 1))) == ["a"]

    async def test_a_filter_does_not_change_scores(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.fts.index("c", [text("k", EN, group="a"), text("x", "raspberry", group="b")])
        all_scores = {r.chunk_id: r.score for r in await base.stores.fts.search("c", "raspberry cane", 5)}
        [one] = await base.stores.fts.search("c", "raspberry cane", 5, Equals("group", "a"))
        assert one.score == all_scores["k"]

    async def test_the_document_counts_beside_the_chunk(self, base: OpenBase) -> None:
        """Of two equal chunks, the one comes first whose document speaks more of what is asked."""
        await make_collection(base)
        await base.stores.fts.index(
            "c",
            [
                text("a", "Cut the canes", document="other"),
                text("b", "Cut the canes", document="raspberry"),
                text("b2", "Raspberry plants need support", document="raspberry"),
                text("a2", "Kitchen chairs need support", document="other"),
            ],
        )
        assert await found(base, "raspberry canes") == ["b2", "b", "a"]

    async def test_the_title_of_a_document_is_found_through_its_passages(self, base: OpenBase) -> None:
        await make_collection(base, model=prepared("d", ["x"]).model)
        writer = base.stores.writer
        await writer.replace_document("c", prepared("d1", ["Cut the canes."], title="Raspberry"))
        await writer.replace_document("c", prepared("d2", ["Cut the canes!"], title="Chairs"))
        ranked = await base.stores.fts.search("c", "raspberry canes", 5)
        assert [r.chunk_id.split(":")[0] for r in ranked] == ["d1", "d2"]

    async def test_indexing_again_replaces(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.fts.index("c", [text("k", "strawberry")])
        await base.stores.fts.index("c", [text("k", "blueberry")])
        assert await found(base, "strawberry") == []
        assert await found(base, "blueberry") == ["k"]
        await require_sound(base)

    async def test_indexing_the_same_twice_changes_nothing(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.fts.index("c", [text("k", RU), text("x", EN)])
        before = await state(base)
        await base.stores.fts.index("c", [text("k", RU), text("x", EN)])
        assert await state(base) == before

    async def test_deleting_the_words_keeps_the_vector(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("k", unit(0), content=EN)])
        await base.stores.fts.index("c", [chunk("k", unit(0), content=EN).chunk])
        await base.stores.fts.delete("c", ["k"])
        assert await found(base, "raspberry") == []
        assert [r.chunk.id for r in await base.stores.vectors.search_semantic("c", unit(0), 1)] == ["k"]
        await require_sound(base)

    async def test_a_chunk_that_only_words_found_goes_with_them(self, base: OpenBase) -> None:
        await make_collection(base)
        empty = await state(base)
        await base.stores.fts.index("c", [text("k", EN), text("x", RU)])
        await base.stores.fts.delete_by_document("c", "of k")
        assert await base.stores.vectors.get("c", "k") is None
        await base.stores.fts.delete("c", ["x", "unknown"])
        assert await state(base) == empty

    async def test_a_vector_of_another_text_does_not_outlive_it(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("k", document="d", content="old text")])
        await base.stores.fts.index("c", [text("k", "new text", document="d")])
        assert await base.stores.vectors.search_semantic("c", unit(0), 5) == []
        await require_sound(base)

    async def test_replacing_a_chunk_by_its_vector_keeps_its_words_true(self, base: OpenBase) -> None:
        await make_collection(base)
        await base.stores.vectors.add("c", [chunk("k", content="strawberry")])
        await base.stores.fts.index("c", [chunk("k", content="strawberry").chunk])
        await base.stores.vectors.add("c", [chunk("k", content="blueberry")])
        assert await found(base, "strawberry") == []
        assert await found(base, "blueberry") == ["k"]
        await require_sound(base)

    async def test_errors_store_nothing(self, base: OpenBase) -> None:
        await make_collection(base)
        before = await state(base)
        with pytest.raises(DuplicateChunkId):
            await base.stores.fts.index("c", [text("k", RU), text("k", EN)])
        with pytest.raises(BadText):
            await base.stores.fts.index("c", [text("k", RU), text("x", "\x00")])
        with pytest.raises(CollectionNotFound):
            await base.stores.fts.index("no", [text("k", RU)])
        with pytest.raises(UsageError):
            await base.stores.fts.search("c", "x", 0)
        with pytest.raises(CollectionNotFound):
            await base.stores.fts.search("no", "x", 1)
        assert await state(base) == before
