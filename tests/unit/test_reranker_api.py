"""The reranker behind an address, against a real server on the loopback."""

from __future__ import annotations

import json
from threading import Event
from typing import Any

import anyio
import pytest
from tests.unit.rerank_server import behaving, judged, serving
from tests.unit.toy_stores import ToyVectors, ToyWords, embedded, ids, passage, report, retriever

from sourcebook.errors import (
    BadProviderAnswer,
    ProviderBusy,
    ProviderError,
    ProviderRefused,
    ProviderTimeout,
    ProviderUnreachable,
)
from sourcebook.model.search import (
    OnRerankFailure,
    RerankConfig,
    RerankProvider,
    RetrievalConfig,
    RetrievalMode,
    ScoreBreakdown,
    SearchResult,
    WarningCode,
)
from sourcebook.providers.api_reranker import ApiReranker
from sourcebook.providers.retries import Patience

KEY = "sk-very-secret-key"
TEXTS = ["one", "two", "three"]
RESULTS = [
    SearchResult(passage(name, content=text), 3.0 - n, ScoreBreakdown(0.5, 1.0))
    for n, (name, text) in enumerate(zip("abc", TEXTS, strict=True))
]


def reranker(url: str, key: str | None = KEY, seconds: float = 5.0) -> ApiReranker:
    patience = Patience(seconds, attempts=2, first_wait=0.01, longest_wait=0.02)
    return ApiReranker(url, "judge-1", api_key=key, patience=patience)


def rerank(url: str, top_k: int = 3, **others: Any) -> list[SearchResult]:
    async def run() -> list[SearchResult]:
        judge = reranker(url, **others)
        try:
            return await judge.rerank("which", RESULTS, top_k)
        finally:
            await judge.close()

    return anyio.run(run)


def test_the_server_is_asked_as_the_contract_says() -> None:
    with serving(judged((0, 0.1))) as server:
        rerank(server.url, top_k=2)
    assert server.paths == ["/v1/rerank"]
    assert server.bodies == [{"model": "judge-1", "query": "which", "documents": TEXTS, "top_n": 2}]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_results_come_in_the_order_of_the_servers_scores() -> None:
    with serving(judged((1, 0.2), (2, 0.9), (0, 0.5))) as server:
        results = rerank(server.url)
    assert [(r.chunk.id, r.score, r.score_breakdown.rerank_score) for r in results] == [
        ("c", 0.9, 0.9),
        ("a", 0.5, 0.5),
        ("b", 0.2, 0.2),
    ]
    assert {(r.score_breakdown.semantic_score, r.score_breakdown.keyword_score) for r in results} == {
        (0.5, 1.0)
    }


def test_what_the_server_leaves_out_follows_in_its_old_order() -> None:
    with serving(judged((2, -4.0))) as server:
        results = rerank(server.url)
    assert ids(results) == ["c", "a", "b"]
    assert [r.score_breakdown.rerank_score for r in results] == [-4.0, None, None]
    scores = [r.score for r in results]
    assert scores == sorted(scores, reverse=True)


def test_equal_scores_keep_the_old_order() -> None:
    with serving(judged((2, 0.5), (1, 0.5), (0, 0.5))) as server:
        assert ids(rerank(server.url)) == ["a", "b", "c"]


def test_nothing_to_judge_asks_nobody() -> None:
    async def run() -> list[SearchResult]:
        return await reranker("http://127.0.0.1:9/v1").rerank("which", [], 3)

    assert anyio.run(run) == []


@pytest.mark.parametrize(
    "answer",
    [
        judged((3, 0.5)),
        judged((-1, 0.5)),
        judged((0, 0.5), (0, 0.4)),
        judged((0, float("nan"))),
        judged((0, float("inf"))),
        judged((0, "0.5")),
        judged((0, None)),
        judged((0, True)),
        judged((True, 0.5)),
        judged((0.0, 0.5)),
        judged(("0", 0.5)),
        {"results": [{"index": 0}]},
        {"results": [{"relevance_score": 1.0}]},
        {"results": [[0, 1.0]]},
        {"results": {"0": 1.0}},
        {"results": None},
        {"data": []},
        [],
        "yes",
        None,
        7,
    ],
    ids=lambda answer: json.dumps(answer)[:50],
)
def test_an_answer_that_makes_no_sense_is_a_typed_error(answer: object) -> None:
    with serving(answer) as server, pytest.raises(BadProviderAnswer) as caught:
        rerank(server.url)
    assert "rerank_base_url" in caught.value.hint


@pytest.mark.parametrize(
    "answer", [b"", b"{", b"<html>busy</html>", b"\xff\xfe", b'{"results": [{"index": 0']
)
def test_an_answer_that_is_no_json_is_a_typed_error(answer: bytes) -> None:
    with behaving(lambda _: (200, answer)) as server, pytest.raises(BadProviderAnswer):
        rerank(server.url)


def test_a_server_that_does_not_answer_in_time_is_a_typed_error() -> None:
    given_up = Event()

    def slow(_: object) -> tuple[int, bytes]:
        given_up.wait(200)
        return 200, b"{}"

    with behaving(slow) as server:
        with pytest.raises(ProviderTimeout):
            rerank(server.url, seconds=0.2)
        assert not given_up.is_set()
        given_up.set()


def test_a_server_that_is_not_there_is_a_typed_error() -> None:
    with pytest.raises(ProviderUnreachable):
        rerank("http://127.0.0.1:9/v1")


@pytest.mark.parametrize(
    ("status", "error"),
    [(401, ProviderRefused), (404, ProviderRefused), (429, ProviderBusy), (500, ProviderBusy)],
)
def test_a_refusal_is_a_typed_error_without_the_key(status: int, error: type[ProviderError]) -> None:
    said = json.dumps({"error": {"message": f"bad key {KEY}"}}).encode()
    with behaving(lambda _: (status, said)) as server, pytest.raises(error) as caught:
        rerank(server.url)
    assert KEY not in str(caught.value) + repr(caught.value) + caught.value.hint


def test_a_passing_failure_is_tried_again() -> None:
    tries: list[object] = []

    def recovering(body: object) -> tuple[int, bytes]:
        tries.append(body)
        return (503, b"{}") if len(tries) == 1 else (200, json.dumps(judged((1, 1.0))).encode())

    with behaving(recovering) as server:
        assert ids(rerank(server.url)) == ["b", "a", "c"]


# In a search


def searched(url: str, **policy: Any) -> Any:
    vectors = ToyVectors(
        [embedded(passage(name, content=text), None) for name, text in zip("abc", TEXTS, strict=True)]
    )
    service = retriever(
        vectors,
        ToyWords({"a": 3.0, "b": 2.0, "c": 1.0}),
        reranker=reranker(url),
        **policy,
    )
    config = RetrievalConfig(
        mode=RetrievalMode.KEYWORD, rerank_config=RerankConfig(provider=RerankProvider.API)
    )
    return report(service, config)


def test_a_search_is_reranked_by_the_server() -> None:
    with serving(judged((2, 0.9), (0, 0.1))) as server:
        found = searched(server.url)
    assert ids(found.results) == ["c", "a", "b"]
    assert found.warnings == ()
    assert server.bodies[0]["top_n"] == 3


def test_a_reranker_that_fails_is_an_error_unless_the_fused_order_will_do() -> None:
    with serving(judged((0, 0.5), (0, 0.5))) as server:
        with pytest.raises(BadProviderAnswer, match="twice"):
            searched(server.url)
        found = searched(server.url, on_rerank_failure=OnRerankFailure.FUSED)
    assert ids(found.results) == ["a", "b", "c"]
    (warning,) = found.warnings
    assert warning.code is WarningCode.RERANKER_FAILED
    assert "twice" in warning.message
