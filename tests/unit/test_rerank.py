"""The rerankers that need no server."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from sourcebook.model.documents import Chunk
from sourcebook.model.search import ScoreBreakdown, SearchResult
from sourcebook.retrieve.rerank.local_rerankers import LocalReranker, SimpleReranker

pytestmark = pytest.mark.anyio


def found(*texts: str, titles: Sequence[str | None] = (), scores: Sequence[float] = ()) -> list[SearchResult]:
    """Results in the order of a search, all of one score if none are given."""
    return [
        SearchResult(
            Chunk(str(place), "d", text, place, 0, len(text)),
            scores[place] if scores else 0.5,
            ScoreBreakdown(keyword_score=1.0),
            document_title=titles[place] if titles else None,
        )
        for place, text in enumerate(texts)
    ]


async def order(query: str, results: Sequence[SearchResult], top_k: int = 10) -> list[str]:
    return [result.chunk.id for result in await LocalReranker().rerank(query, results, top_k)]


async def test_words_in_one_sentence_beat_the_same_words_apart() -> None:
    results = found(
        "Raspberries grow well in sun. The soil is light. Old canes are pruned. Winter comes late.",
        "Raspberries are pruned in winter. The soil is light and the sun is warm.",
    )
    assert await order("when are raspberries pruned in winter", results) == ["1", "0"]


async def test_words_side_by_side_beat_the_same_words_in_one_sentence() -> None:
    results = found(
        "A bridge of steel crosses the wide river near the old suspension works.",
        "A suspension bridge of steel crosses the wide river near the old works.",
    )
    assert await order("suspension bridge", results) == ["1", "0"]


async def test_a_document_named_after_what_is_asked_comes_first() -> None:
    text = "It flows from the hills into the sea and is long."
    results = found(text, text, titles=["Rivers and lakes of the far north", "Volga"])
    assert await order("how long is the Volga", results) == ["1", "0"]


async def test_forms_of_a_word_count_as_the_word() -> None:
    results = found("Сроки полива весной указаны ниже.", "Договор на поставку подписан, поставок было две.")
    assert await order("условия поставок", results) == ["1", "0"]


async def test_a_word_that_all_results_hold_does_not_tell_them_apart() -> None:
    results = found(
        "Malina malina malina rośnie tutaj.",
        "Malina rośnie tutaj obok studni.",
        "Malina rośnie tutaj.",
        "Malina rośnie tutaj.",
    )
    assert (await order("malina studni", results))[0] == "1"


async def test_what_the_search_found_to_be_far_better_stays_first() -> None:
    results = found("The soil is light.", "Raspberries like the sun.", scores=[0.9, 0.1])
    assert await order("raspberries", results) == ["0", "1"]


async def test_equals_stay_in_their_order() -> None:
    results = found("The same text.", "The same text.", "The same text.")
    assert await order("text", results) == ["0", "1", "2"]


async def test_at_most_top_k_come_back() -> None:
    assert len(await order("text", found("a text", "b text", "c text"), top_k=2)) == 2


@pytest.mark.parametrize("reranker", [LocalReranker(), SimpleReranker()])
async def test_the_breakdown_keeps_the_arms_and_gains_the_score(
    reranker: LocalReranker | SimpleReranker,
) -> None:
    judged = await reranker.rerank("light soil", found("The soil is light.", "Nothing.", "Soil."), 3)
    for result in judged:
        assert result.score == result.score_breakdown.rerank_score
        assert result.score_breakdown.keyword_score == 1.0
        assert 0 <= result.score <= 1
    assert [r.score for r in judged] == sorted((r.score for r in judged), reverse=True)


@pytest.mark.parametrize("reranker", [LocalReranker(), SimpleReranker()])
@pytest.mark.parametrize("query", ["", "?!", "\x00\ud800", "the of and", "文書 ไทย", "word " * 300_000])
async def test_any_question_is_safe(reranker: LocalReranker | SimpleReranker, query: str) -> None:
    results = found("The soil is light.", "", "この文書を読む", titles=["", None, "文書"])
    assert {r.chunk.id for r in await reranker.rerank(query, results, 10)} == {"0", "1", "2"}
    assert await reranker.rerank(query, [], 10) == []


async def test_a_hundred_passages_are_read_in_a_blink() -> None:
    sentences = [
        f"Раствор номер {n} готовят из воды и удобрения в пропорции {n} к десяти." for n in range(300)
    ]
    results = found(*(" ".join(sentences[n : n + 10]) for n in range(100)))
    await order("пропорция раствора", results)
    times: list[float] = []
    for _ in range(3):
        start = time.process_time()
        await order("в какой пропорции готовят раствор", results)
        times.append(time.process_time() - start)
    # The least of them: something else may have been at work.
    assert min(times) < 0.5


async def test_plain_overlap_counts_words_as_they_are() -> None:
    results = found("Raspberries are pruned.", "prune the raspberry in winter", "Winter!")
    judged = await SimpleReranker().rerank("prune raspberry winter", results, 3)
    assert [(r.chunk.id, round(r.score, 2)) for r in judged] == [("1", 1.0), ("2", 0.33), ("0", 0.0)]
