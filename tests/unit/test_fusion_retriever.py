"""The retriever over stores of somebody's own: all it needs is a handful of methods."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import product
from typing import Any, cast

import pytest
from tests.unit.toy_stores import (
    MODEL,
    ToyEmbedder,
    ToyLookup,
    ToyVectors,
    ToyWords,
    child,
    embedded,
    ids,
    passage,
    report,
    retriever,
    search,
)

from sourcebook.errors import CollectionNotFound, NoEmbedder, UsageError
from sourcebook.model.documents import Chunk, EmbeddedChunk, EmbeddingModel
from sourcebook.model.search import (
    DiversityConfig,
    Equals,
    FusionMethod,
    HybridConfig,
    MetadataFilter,
    OnMissingEmbedder,
    RankedWords,
    RerankConfig,
    RetrievalConfig,
    RetrievalMode,
    ReturnLevel,
    SearchResult,
    WarningCode,
)

KEYWORD = RetrievalConfig(mode=RetrievalMode.KEYWORD)
SEMANTIC = RetrievalConfig(mode=RetrievalMode.SEMANTIC)


def shelf(**scores: float | None) -> ToyVectors:
    return ToyVectors([embedded(passage(name), score) for name, score in scores.items()])


class ToyPassages(ToyVectors):
    async def search_passages(
        self, collection_id: str, query: Any, top_k: int, filter: MetadataFilter | None = None
    ) -> list[SearchResult]:
        return [SearchResult(Chunk("passage", "d", "whole"), 1.0)]


class ToyRankedWords(ToyWords):
    async def rank_words(
        self,
        collection_id: str,
        query: str,
        top_k: int,
        filter: MetadataFilter | None = None,
        *,
        languages: Sequence[str] | None = None,
    ) -> RankedWords:
        found = await self.search(collection_id, query, top_k, filter)
        return RankedWords([one.chunk_id for one in found], [one.score for one in found])


# The arms


def test_both_arms_are_asked_inside_the_filter_for_enough_candidates() -> None:
    marked = {"Type": "x"}
    chunks = [embedded(passage(name, metadata=marked), score) for name, score in (("a", 0.9), ("b", 0.1))]
    vectors, words = ToyVectors(chunks), ToyWords({"b": 5.0, "a": 1.0, "c": 0.5})
    config = RetrievalConfig(filter=Equals("Type", "x"))
    results = search(retriever(vectors, words, embedder=ToyEmbedder()), config)
    assert words.asked == [(200, Equals("Type", "x"))]
    assert {asked[1] for asked in vectors.asked} == {Equals("Type", "x")}
    assert sorted(ids(results)) == ["a", "b"]


def test_what_only_the_words_found_is_completed_with_its_chunk() -> None:
    service = retriever(shelf(a=0.9, b=0.1, c=None), ToyWords({"c": 5.0, "a": 1.0}), embedder=ToyEmbedder())
    results = search(service)
    assert {result.chunk.content for result in results} == {"text of a", "text of b", "text of c"}
    by_id = {result.chunk.id: result.score_breakdown for result in results}
    assert (by_id["c"].keyword_score, by_id["c"].semantic_score) == (5.0, None)


def test_a_chunk_removed_meanwhile_makes_room_for_the_next() -> None:
    service = retriever(shelf(b=None), ToyWords({"gone": 5.0, "b": 1.0}), embedder=ToyEmbedder())
    assert ids(search(service, RetrievalConfig(top_k=1))) == ["b"]


def test_a_store_that_knows_its_documents_is_asked_once_for_all() -> None:
    vectors = ToyLookup([embedded(passage("a"), None), embedded(passage("b"), None)])
    service = retriever(vectors, ToyWords({"a": 5.0, "gone": 4.0, "b": 1.0}))
    results = search(service, KEYWORD)
    assert [(r.chunk.id, r.document_path, r.score) for r in results] == [
        ("a", "d-a.md", 5.0),
        ("b", "d-b.md", 1.0),
    ]
    assert vectors.looked_up == [["a", "gone", "b"]]


def test_words_alone_need_no_embedder() -> None:
    words = ToyWords({"a": 5.0, "b": 1.0})
    results = search(
        retriever(shelf(a=None, b=None), words), RetrievalConfig(top_k=1, mode=RetrievalMode.KEYWORD)
    )
    assert [(result.chunk.id, result.score) for result in results] == [("a", 5.0)]


def test_a_search_by_words_embeds_nothing() -> None:
    embedder = ToyEmbedder()
    search(retriever(shelf(a=0.5), ToyWords({"a": 1.0}), embedder=embedder), KEYWORD)
    assert embedder.asked == []


@pytest.mark.parametrize("mode", [RetrievalMode.SEMANTIC, RetrievalMode.HYBRID])
def test_meaning_needs_an_embedder(mode: RetrievalMode) -> None:
    with pytest.raises(NoEmbedder):
        search(retriever(shelf(a=0.5), ToyWords({})), RetrievalConfig(mode=mode))


def test_without_an_embedder_a_hybrid_search_may_go_on_by_words_and_says_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    service = retriever(shelf(a=None), ToyWords({"a": 1.0}), on_missing_embedder=OnMissingEmbedder.WORDS)
    found = report(service)
    assert ids(found.results) == ["a"]
    assert [(w.code, w.collection_id) for w in found.warnings] == [(WarningCode.NO_EMBEDDER, "c")]
    with caplog.at_level(logging.WARNING, "sourcebook"):
        search(service)
    assert "searched by words alone" in caplog.text
    with pytest.raises(NoEmbedder):
        search(service, SEMANTIC)


def test_vectors_of_another_model_are_never_compared() -> None:
    other = ToyVectors([embedded(passage("a"), 1.0)], EmbeddingModel("other", 2))
    with pytest.raises(NoEmbedder, match="other"):
        search(retriever(other, ToyWords({}), embedder=ToyEmbedder()))
    brought = ToyVectors([embedded(passage("a"), 1.0)], EmbeddingModel.of_caller(2))
    assert search(retriever(brought, ToyWords({}), embedder=ToyEmbedder()))


def test_an_unknown_collection_is_a_plain_error() -> None:
    with pytest.raises(CollectionNotFound):
        search(retriever(shelf(), ToyWords({}), embedder=ToyEmbedder()), collection="x")


def test_a_store_that_answers_in_passages_is_asked_for_them() -> None:
    service = retriever(ToyPassages([embedded(passage("a"), 1.0)]), ToyWords({}), embedder=ToyEmbedder())
    assert ids(search(service, SEMANTIC)) == ["passage"]


def test_the_fusion_can_be_chosen() -> None:
    service = retriever(shelf(a=0.9, b=0.1), ToyWords({"b": 5.0}), embedder=ToyEmbedder())
    equal = HybridConfig(1.0, 1.0, FusionMethod.RRF)
    results = search(service, RetrievalConfig(hybrid_config=equal))
    assert [result.score for result in results] == [1 / 62 + 1 / 61, 1 / 61]


def test_the_weights_of_the_model_are_the_default() -> None:
    def first(model: EmbeddingModel) -> str:
        chunks = [embedded(passage("a"), 0.9), embedded(passage("b"), 0.1)]
        service = retriever(
            ToyVectors(chunks, model), ToyWords({"b": 2.0, "a": 1.0}), embedder=ToyEmbedder(model)
        )
        return search(service)[0].chunk.id

    # Of two arms that disagree, words win where the model is known to be the weaker arm; else the first id.
    assert first(EmbeddingModel("use-multilingual-v3", 2)) == "b"
    assert first(MODEL) == "a"


# Questions


@pytest.mark.parametrize("mode", list(RetrievalMode))
@pytest.mark.parametrize("query", ["", " \n", "?!", "\x00", "\u200b\u200d", "((( )))"])
def test_a_question_without_anything_to_search_for_says_so(mode: RetrievalMode, query: str) -> None:
    service = retriever(shelf(a=1.0), ToyWords({"a": 1.0}), embedder=ToyEmbedder())
    found = report(service, RetrievalConfig(mode=mode), query)
    assert found.results == []
    assert [warning.code for warning in found.warnings] == [WarningCode.NOTHING_TO_SEARCH_FOR]


def test_a_question_of_signs_is_searched_by_meaning_alone() -> None:
    words = ToyWords({"b": 9.0})
    service = retriever(shelf(a=1.0, b=0.5), words, embedder=ToyEmbedder())
    found = report(service, query="🍓")
    assert ids(found.results) == ["a", "b"]
    assert words.asked == []
    assert [warning.code for warning in found.warnings] == [WarningCode.NO_WORDS]
    assert report(service, KEYWORD, "🍓").results == []


def test_a_question_of_signs_without_an_embedder_is_told_about_once() -> None:
    service = retriever(shelf(a=1.0), ToyWords({"a": 1.0}), on_missing_embedder=OnMissingEmbedder.WORDS)
    found = report(service, query="🍓")
    assert found.results == []
    (warning,) = found.warnings
    assert warning.code is WarningCode.NO_EMBEDDER
    assert "not searched: no words to search for" in warning.message


def test_a_long_question_is_cut_before_it_is_embedded() -> None:
    embedder = ToyEmbedder()
    search(retriever(shelf(a=1.0), ToyWords({}), embedder=embedder), query="raspberries \ud800\x00" * 100_000)
    assert len(embedder.asked[0]) <= 4096
    assert embedder.asked[0].encode()


# Passages and children


def family(name: str, own: float | None, **children: float) -> list[EmbeddedChunk]:
    parent = passage(name, content=f"{name} begins. " * 30)
    small = [embedded(child(c, parent, 10 * n), score) for n, (c, score) in enumerate(children.items())]
    return [embedded(parent, own), *small]


def test_a_store_of_chunks_answers_in_passages() -> None:
    vectors = ToyVectors([*family("a", 0.2, a1=0.9, a2=0.3), *family("b", 0.6, b1=0.4)])
    results = search(retriever(vectors, ToyWords({}), embedder=ToyEmbedder()), SEMANTIC)
    assert [(r.chunk.id, pytest.approx(r.score)) for r in results] == [("a", 0.55), ("b", 0.5)]
    assert [match.chunk_id for match in results[0].matched] == ["a1", "a2"]
    assert results[0].score_breakdown.semantic_score == results[0].score


def test_words_of_a_child_count_for_its_passage() -> None:
    vectors = ToyVectors([*family("a", 0.2, a1=0.9), *family("b", 0.6, b1=0.4)])
    words = ToyWords({"b1": 5.0, "b": 3.0, "a": 1.0})
    results = search(retriever(vectors, words), KEYWORD)
    assert [(r.chunk.id, r.score) for r in results] == [("b", 5.0), ("a", 1.0)]
    assert [match.chunk_id for match in results[0].matched] == ["b1"]


def test_words_of_a_child_count_for_its_passage_in_a_store_that_only_ranks() -> None:
    vectors = ToyVectors([*family("a", 0.2, a1=0.9), *family("b", 0.6, b1=0.4)])
    results = search(retriever(vectors, ToyRankedWords({"b1": 5.0, "b": 3.0, "a": 1.0})), KEYWORD)
    assert ids(results) == ["b", "a"]


def test_children_come_back_with_the_beginning_of_their_passage() -> None:
    vectors = ToyVectors([*family("a", 0.2, a1=0.9, a2=0.3), *family("b", 0.6, b1=0.4)])
    service = retriever(vectors, ToyWords({}), embedder=ToyEmbedder())
    config = RetrievalConfig(mode=RetrievalMode.SEMANTIC, return_level=ReturnLevel.CHILD)
    results = search(service, config)
    assert ids(results) == ["a1", "b1"]
    context = vectors.chunks["a"].chunk.content[:200]
    assert (results[0].parent_context, results[0].chunk.section) == (context, context)
    plain = search(
        service,
        RetrievalConfig(
            mode=RetrievalMode.SEMANTIC, return_level=ReturnLevel.CHILD, include_parent_context=False
        ),
    )
    assert [(r.parent_context, r.chunk.section) for r in plain] == [(None, None)] * 2


def test_a_child_keeps_a_section_of_its_own() -> None:
    parent = passage("a", section="Pruning")
    vectors = ToyVectors([embedded(parent, 0.5), embedded(child("a1", parent, section="Pruning"), 0.9)])
    config = RetrievalConfig(mode=RetrievalMode.SEMANTIC, return_level=ReturnLevel.CHILD)
    (result,) = search(retriever(vectors, ToyWords({}), embedder=ToyEmbedder()), config)
    assert (result.chunk.section, result.parent_context) == ("Pruning", "text of a")


def test_of_a_passage_found_by_words_the_child_with_most_of_them_comes_back() -> None:
    parent = passage("a", content="Plant in spring. Prune the old canes in autumn. Water daily.")
    children = [
        child("a1", parent, 0, "Plant in spring."),
        child("a2", parent, 17, "Prune the old canes in autumn."),
        child("a3", parent, 48, "Water daily."),
    ]
    vectors = ToyVectors([embedded(chunk, None) for chunk in (parent, *children)])
    config = RetrievalConfig(mode=RetrievalMode.KEYWORD, return_level=ReturnLevel.CHILD)
    (result,) = search(retriever(vectors, ToyWords({"a": 2.0})), config, "pruning canes")
    assert result.chunk.id == "a2"


def test_a_passage_without_children_stays_when_children_are_asked_for() -> None:
    config = RetrievalConfig(mode=RetrievalMode.SEMANTIC, return_level=ReturnLevel.CHILD)
    results = search(retriever(shelf(a=0.5), ToyWords({}), embedder=ToyEmbedder()), config)
    assert [(r.chunk.id, r.parent_context) for r in results] == [("a", None)]


# Crowding


def overlapping() -> ToyVectors:
    """Two passages of one document that share most of their text, and one of another."""
    return ToyVectors(
        [
            embedded(passage("a", "d", 0, "x" * 100), 0.9),
            embedded(passage("b", "d", 30, "x" * 100), 0.8),
            embedded(passage("c", "e", 30, "x" * 100), 0.7),
        ]
    )


def test_a_passage_that_overlaps_a_better_one_goes_behind_the_others() -> None:
    service = retriever(overlapping(), ToyWords({}), embedder=ToyEmbedder())
    results = search(service, SEMANTIC)
    assert ids(results) == ["a", "c", "b"]
    scores = [result.score for result in results]
    assert scores == sorted(scores, reverse=True)
    assert ids(search(service, RetrievalConfig(top_k=2, mode=RetrievalMode.SEMANTIC))) == ["a", "c"]


def test_overlaps_may_stay_where_they_are() -> None:
    service = retriever(overlapping(), ToyWords({}), embedder=ToyEmbedder())
    config = RetrievalConfig(mode=RetrievalMode.SEMANTIC, diversity=DiversityConfig(overlap=1.0))
    assert ids(search(service, config)) == ["a", "b", "c"]


def test_a_document_may_be_limited_to_a_number_of_passages() -> None:
    chunks = [embedded(passage(f"a{n}", "d", 1000 * n), 0.9 - n / 100) for n in range(20)]
    vectors = ToyVectors([*chunks, embedded(passage("z", "e"), 0.1)])
    service = retriever(vectors, ToyWords({}), embedder=ToyEmbedder())
    config = RetrievalConfig(
        top_k=3, mode=RetrievalMode.SEMANTIC, diversity=DiversityConfig(max_per_document=2)
    )
    assert ids(search(service, config)) == ["a0", "a1", "z"]


def test_novelty_prefers_what_was_not_said_yet() -> None:
    vectors = ToyVectors(
        [
            embedded(passage("a", content="prune the canes in late autumn"), 0.90),
            embedded(passage("b", content="prune the canes in late autumn too"), 0.89),
            embedded(passage("c", content="mulch with straw against frost"), 0.80),
            embedded(passage("d", content="nothing about it"), 0.0),
        ]
    )
    service = retriever(vectors, ToyWords({}), embedder=ToyEmbedder())
    by_score = RetrievalConfig(top_k=2, mode=RetrievalMode.SEMANTIC)
    assert ids(search(service, by_score)) == ["a", "b"]
    unlike = RetrievalConfig(top_k=2, mode=RetrievalMode.SEMANTIC, diversity=DiversityConfig(novelty=0.5))
    assert ids(search(service, unlike)) == ["a", "c"]


def test_a_choice_that_is_written_as_plain_text_is_the_same_choice() -> None:
    words = ToyWords({"a": 2.0, "b": 1.0, "c": 0.1}, [passage(name) for name in "abc"])
    service = retriever(shelf(c=0.9, b=0.8, a=0.1), words, embedder=ToyEmbedder())
    for mode, method in product(RetrievalMode, FusionMethod):
        named = RetrievalConfig(mode=mode, hybrid_config=HybridConfig(fusion_method=method))
        plain = RetrievalConfig(
            mode=cast("Any", mode.value),
            hybrid_config=HybridConfig(fusion_method=cast("Any", method.value)),
            return_level=cast("Any", "passage"),
        )
        assert [(r.chunk.id, r.score) for r in search(service, plain)] == [
            (r.chunk.id, r.score) for r in search(service, named)
        ]


# Refused


@pytest.mark.parametrize(
    "config",
    [
        RetrievalConfig(diversity=DiversityConfig(overlap=1.5)),
        RetrievalConfig(diversity=DiversityConfig(novelty=float("nan"))),
        RetrievalConfig(diversity=DiversityConfig(max_per_document=0)),
        RetrievalConfig(subcategory=" "),
        RetrievalConfig(subcategory="a\x00"),
        RetrievalConfig(mode=cast("Any", "words")),
        RetrievalConfig(return_level=cast("Any", "CHILD")),
        RetrievalConfig(hybrid_config=HybridConfig(fusion_method=cast("Any", "sum"))),
        RetrievalConfig(rerank_config=RerankConfig(provider=cast("Any", "cloud"))),
        cast("Any", 3),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(config: RetrievalConfig) -> None:
    with pytest.raises(UsageError):
        search(retriever(shelf(a=1.0), ToyWords({}), embedder=ToyEmbedder()), config)


@pytest.mark.parametrize("question", [None, 5, b"bytes"])
def test_a_question_that_is_no_text_is_refused(question: Any) -> None:
    with pytest.raises(UsageError, match="text"):
        search(retriever(shelf(a=1.0), ToyWords({}), embedder=ToyEmbedder()), query=question)


@pytest.mark.parametrize("collections", [[], ()])
def test_a_search_in_no_collection_is_refused(collections: Sequence[str]) -> None:
    with pytest.raises(UsageError, match="collection"):
        report(retriever(shelf(a=1.0), ToyWords({}), embedder=ToyEmbedder()), collection=collections)
