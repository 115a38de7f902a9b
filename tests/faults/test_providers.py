"""F13: servers of embedding models that are slow, busy, broken or wrong, asked through the real client."""

from __future__ import annotations

import logging
import math
import socket
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, TypeAlias

import anyio
import numpy as np
import pytest
from tests.faults import servers
from tests.faults.servers import SIZE, Answer, Server, right_vectors, serving, status, vectors

from sourcebook.errors import (
    BadProviderAnswer,
    BadSetting,
    ProviderBusy,
    ProviderError,
    ProviderRefused,
    ProviderTimeout,
    ProviderUnreachable,
)
from sourcebook.ports.providers import TextRole
from sourcebook.providers.model_server_address import Address
from sourcebook.providers.ollama import OllamaEmbedder
from sourcebook.providers.openai_embedder import OpenAIEmbedder
from sourcebook.providers.remote_model import RemoteModel
from sourcebook.providers.retries import Patience

if TYPE_CHECKING:
    from sourcebook.providers.served_embedder import ServedEmbedder

pytestmark = pytest.mark.anyio

KEY = "sk-canary-4f1d9c"
TEXTS = ["Ремонтантную малину срезают под корень.", "Strawberry crowns stay level with the soil.", "pH"]
QUICK = Patience(seconds=30.0, attempts=3, first_wait=0.01, longest_wait=0.2)
Kind: TypeAlias = "type[OpenAIEmbedder] | type[OllamaEmbedder]"
KINDS: list[Kind] = [OpenAIEmbedder, OllamaEmbedder]


@asynccontextmanager
async def embedding(
    url: str,
    kind: Kind = OpenAIEmbedder,
    *,
    patience: Patience = QUICK,
    dimensions: int | None = SIZE,
    batch: int = 32,
) -> AsyncGenerator[ServedEmbedder]:
    embedder = kind(RemoteModel(Address(url, KEY), patience), "berry", dimensions=dimensions, batch=batch)
    try:
        yield embedder
    finally:
        await embedder.close()


async def failure(server: Server, kind: Kind = OpenAIEmbedder, patience: Patience = QUICK) -> ProviderError:
    """The error in which asking for three vectors ends."""
    async with embedding(server.url, kind, patience=patience) as embedder:
        with pytest.raises(ProviderError) as caught:
            await embedder.embed(TEXTS, TextRole.PASSAGE)
    assert server.url in caught.value.message
    assert KEY not in caught.value.message + caught.value.hint
    assert caught.value.hint
    return caught.value


@pytest.mark.parametrize("kind", KINDS)
async def test_vectors_come_back_in_the_order_of_the_texts(kind: Kind) -> None:
    texts = [f"{'word ' * (number % 7)}number {number}" for number in range(50)]
    with serving() as server:
        async with embedding(server.url, kind, batch=8) as embedder:
            found = await embedder.embed(texts, TextRole.PASSAGE)
    assert found == pytest.approx(np.array(right_vectors(texts)), abs=1e-6)
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(50))
    assert sorted(server.texts) == sorted(texts)
    assert max(len(exchange.texts) for exchange in server.exchanges) == 8


@pytest.mark.parametrize(
    ("kind", "path"), [(OpenAIEmbedder, "/v1/embeddings"), (OllamaEmbedder, "/v1/api/embed")]
)
async def test_a_server_is_asked_in_its_own_way_and_given_the_key(kind: Kind, path: str) -> None:
    with serving() as server:
        async with embedding(f"{server.url}/v1", kind) as embedder:
            await embedder.embed(TEXTS, TextRole.PASSAGE)
    [exchange] = server.exchanges
    assert exchange.path == path
    assert exchange.body["model"] == "berry"
    assert exchange.headers["authorization"] == f"Bearer {KEY}"


async def test_the_user_and_password_of_an_address_are_given_to_the_server() -> None:
    with serving() as server:
        async with embedding(server.url.replace("http://", "http://user:p%40ss@")) as embedder:
            await embedder.embed(TEXTS, TextRole.PASSAGE)
    [exchange] = server.exchanges
    assert exchange.headers["authorization"] == "Basic dXNlcjpwQHNz"


async def test_vectors_are_put_where_their_index_says() -> None:
    def backwards(exchange: servers.Exchange) -> None:
        made = right_vectors(exchange.texts)
        entries = [{"index": i, "embedding": made[i]} for i in reversed(range(len(made)))]
        exchange.answer(200, servers.json.dumps({"data": entries}))

    with serving(backwards) as server:
        async with embedding(server.url) as embedder:
            found = await embedder.embed(TEXTS, TextRole.PASSAGE)
    assert found == pytest.approx(np.array(right_vectors(TEXTS)), abs=1e-6)


PASSING: dict[str, Answer] = {
    "429": status(429, Retry_After="0.05"),
    "408": status(408),
    "500": status(500),
    "502": status(502, "<html>bad gateway</html>"),
    "503": status(503, Retry_After="0"),
    "529": status(529),
    "hung up": servers.hang_up,
    "cut short": servers.cut_short,
    "not JSON": servers.raw('{"data": [{"index": 0, "embed'),
    "no JSON at all": servers.raw("hello"),
}
LASTING: dict[str, tuple[Answer, type[ProviderError]]] = {
    "429": (status(429), ProviderBusy),
    "500": (status(500), ProviderBusy),
    "hung up": (servers.hang_up, ProviderUnreachable),
    "cut short": (servers.cut_short, ProviderUnreachable),
    "not JSON": (servers.raw('{"data": ['), BadProviderAnswer),
}
FINAL: dict[str, tuple[Answer, type[ProviderError]]] = {
    "400": (status(400), ProviderRefused),
    "401": (status(401, f'{{"error": {{"message": "Incorrect API key provided: {KEY}"}}}}'), ProviderRefused),
    "403": (status(403), ProviderRefused),
    "404": (status(404), ProviderRefused),
    "413": (status(413), ProviderRefused),
    "422": (status(422), ProviderRefused),
    "no credit": (
        status(429, '{"error": {"code": "insufficient_quota", "message": "paid?"}}'),
        ProviderRefused,
    ),
    "a page": (servers.raw("<html>welcome</html>", "text/html"), BadProviderAnswer),
    "a number": (servers.raw("17"), BadProviderAnswer),
    "an empty object": (servers.raw("{}"), BadProviderAnswer),
    "no vectors": (vectors(lambda texts: []), BadProviderAnswer),
    "one too few": (vectors(lambda texts: right_vectors(texts[1:])), BadProviderAnswer),
    "one too many": (vectors(lambda texts: right_vectors([*texts, "more"])), BadProviderAnswer),
    "another size": (vectors(lambda texts: right_vectors(texts, SIZE + 1)), BadProviderAnswer),
    "mixed sizes": (
        vectors(lambda texts: [*right_vectors(texts[1:]), *right_vectors(["x"], 3)]),
        BadProviderAnswer,
    ),
    "empty vectors": (vectors(lambda texts: [[] for _ in texts]), BadProviderAnswer),
    "NaN": (servers.with_one(math.nan), BadProviderAnswer),
    "infinity": (servers.with_one(-math.inf), BadProviderAnswer),
    "null": (vectors(lambda texts: [[None] * SIZE for _ in texts]), BadProviderAnswer),
    "words": (vectors(lambda texts: [["a"] * SIZE for _ in texts]), BadProviderAnswer),
    "zeros": (vectors(servers.zeros), BadProviderAnswer),
    "numbers for vectors": (vectors(lambda texts: [1.0 for _ in texts]), BadProviderAnswer),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING.keys())
async def test_what_may_pass_is_tried_again(kind: Kind, fault: Answer) -> None:
    with serving(fault, fault) as server:
        async with embedding(server.url, kind) as embedder:
            found = await embedder.embed(TEXTS, TextRole.PASSAGE)
    assert found == pytest.approx(np.array(right_vectors(TEXTS)), abs=1e-6)
    assert server.asked == 3


@pytest.mark.parametrize(("fault", "error"), LASTING.values(), ids=LASTING.keys())
async def test_what_does_not_pass_ends_after_the_last_try(fault: Answer, error: type[ProviderError]) -> None:
    with serving(*[fault] * 10) as server:
        assert type(await failure(server)) is error
    assert server.asked == QUICK.attempts


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("fault", "error"), FINAL.values(), ids=FINAL.keys())
async def test_what_cannot_pass_is_not_tried_again(
    kind: Kind, fault: Answer, error: type[ProviderError]
) -> None:
    with serving(*[fault] * 10) as server:
        assert type(await failure(server, kind)) is error
    assert server.asked == 1


async def test_a_server_that_asks_to_wait_is_waited_for() -> None:
    patience = Patience(seconds=30.0, attempts=2, first_wait=0.001, longest_wait=1.0)
    with serving(status(429, Retry_After="0.3")) as server:
        async with embedding(server.url, patience=patience) as embedder:
            start = time.monotonic()
            await embedder.embed(TEXTS, TextRole.PASSAGE)
    assert time.monotonic() - start >= 0.3


async def test_a_server_that_asks_to_wait_too_long_is_not_waited_for() -> None:
    with serving(*[status(429, Retry_After="3600")] * 3) as server:
        error = await failure(server)
    assert isinstance(error, ProviderBusy)
    assert "3600" in error.message
    assert server.asked == 1


@pytest.mark.parametrize("slow", [servers.silence(60), servers.drip(60)], ids=["silence", "drip"])
async def test_a_server_that_is_too_slow_is_a_time_out(slow: Answer) -> None:
    patience = Patience(seconds=1.0, attempts=2, first_wait=0.01)
    with serving(slow, slow) as server:
        error = await failure(server, patience=patience)
        assert isinstance(error, ProviderTimeout)
        # Its threads may hear of a request only after it was given up.
        with anyio.fail_after(200):
            while server.asked < 2:  # noqa: ASYNC110 - it tells nobody
                await anyio.sleep(0.02)
    assert server.asked == 2


@pytest.mark.parametrize("kind", KINDS)
async def test_a_server_that_is_not_there_is_named(kind: Kind) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        async with embedding(url, kind) as embedder:
            with pytest.raises(ProviderUnreachable) as caught:
                await embedder.embed(TEXTS, TextRole.PASSAGE)
    assert url in caught.value.message


async def test_a_question_is_given_up_sooner_than_a_document() -> None:
    patience = Patience(seconds=30.0, attempts=5, first_wait=0.001, longest_wait=0.01)
    with serving(*[status(500)] * 20) as server:
        async with embedding(server.url, patience=patience) as embedder:
            with pytest.raises(ProviderBusy):
                await embedder.embed(["when?"], TextRole.QUESTION)
            assert server.asked == 2
            with pytest.raises(ProviderBusy):
                await embedder.embed(["then"], TextRole.PASSAGE)
    assert server.asked == 2 + 5


async def test_one_batch_that_fails_stops_the_others() -> None:
    texts = [f"text {number}" for number in range(400)]
    with serving(status(400)) as server:
        async with embedding(server.url, batch=4) as embedder:
            with pytest.raises(ProviderRefused):
                await embedder.embed(texts, TextRole.PASSAGE)
    assert server.asked < 50


async def test_the_size_of_the_vectors_is_asked_for_once() -> None:
    with serving(size=12) as server:
        async with embedding(server.url, dimensions=None) as embedder:
            with pytest.raises(BadSetting):
                _ = embedder.model
            async with anyio.create_task_group() as tasks:
                for text in TEXTS:
                    tasks.start_soon(embedder.embed, [text], TextRole.PASSAGE)
            assert embedder.model.dimensions == 12
            assert (await embedder.discover()).name == "openai:berry"
    assert server.asked == 1 + len(TEXTS)


async def test_a_known_size_is_not_asked_for() -> None:
    with serving() as server:
        openai = OpenAIEmbedder(RemoteModel(Address(server.url)), "text-embedding-3-small")
        ollama = OllamaEmbedder(RemoteModel(Address(server.url)), "nomic-embed-text:latest")
        assert (await openai.discover()).dimensions == 1536
        assert ollama.model.dimensions == 768
    assert server.asked == 0


async def test_shorter_vectors_are_asked_for_where_the_model_can_make_them() -> None:
    with serving() as server:
        for name in ("text-embedding-3-large", "berry"):
            embedder = OpenAIEmbedder(RemoteModel(Address(server.url)), name, dimensions=SIZE)
            await embedder.embed(TEXTS, TextRole.PASSAGE)
            await embedder.close()
    assert [exchange.body.get("dimensions") for exchange in server.exchanges] == [SIZE, None]


async def test_prefixes_are_put_before_questions_and_passages_and_belong_to_the_model() -> None:
    with serving() as server:
        e5 = OpenAIEmbedder(
            RemoteModel(Address(server.url)), "intfloat/multilingual-e5-small", dimensions=SIZE
        )
        await e5.embed(["when?"], TextRole.QUESTION)
        await e5.embed(["then"], TextRole.PASSAGE)
        await e5.close()
        plain = OpenAIEmbedder(RemoteModel(Address(server.url)), "berry", dimensions=SIZE)
    assert server.texts == ["query: when?", "passage: then"]
    assert e5.model.recipe != plain.model.recipe


async def test_texts_that_a_server_would_refuse_are_made_readable() -> None:
    with serving() as server:
        async with embedding(server.url) as embedder:
            found = await embedder.embed(["", " \n", "\ud800", "a" * 100_000], TextRole.PASSAGE)
            assert (await embedder.embed([], TextRole.PASSAGE)).shape == (0, SIZE)
    assert found.shape == (4, SIZE)
    assert all(text.strip() and len(text) <= 8192 for text in server.texts)


async def test_the_event_loop_goes_on_while_a_server_is_slow() -> None:
    went_on = Event()

    async def tick() -> None:
        for _ in range(10):
            await anyio.sleep(0.01)
        went_on.set()

    def slow(exchange: servers.Exchange) -> None:
        assert went_on.wait(200)
        exchange.answer_vectors(right_vectors(exchange.texts))

    with serving(slow) as server:
        async with embedding(server.url) as embedder, anyio.create_task_group() as tasks:
            tasks.start_soon(tick)
            await embedder.embed(TEXTS, TextRole.PASSAGE)
            assert went_on.is_set()


async def test_a_call_that_is_given_up_leaves_the_embedder_usable() -> None:
    with serving(*[servers.silence(60)] * 4) as server:
        async with embedding(server.url, batch=1) as embedder:
            with anyio.move_on_after(0.1) as scope:
                await embedder.embed(TEXTS, TextRole.PASSAGE)
            assert scope.cancelled_caught
            server.planned.clear()
            found = await embedder.embed(TEXTS, TextRole.PASSAGE)
    assert found == pytest.approx(np.array(right_vectors(TEXTS)), abs=1e-6)


def test_an_embedder_outlives_its_event_loop() -> None:
    with serving() as server:
        embedder = OpenAIEmbedder(RemoteModel(Address(server.url)), "berry", dimensions=SIZE)

        async def once() -> None:
            await embedder.embed(TEXTS, TextRole.PASSAGE)
            await embedder.close()

        anyio.run(once)
        anyio.run(once)
    assert server.asked == 2


REPEATS_THE_KEY = status(
    401, f'{{"error": {{"message": "Incorrect API key provided: {KEY}. Try another."}}}}'
)


@pytest.mark.parametrize("fault", [REPEATS_THE_KEY, status(500, KEY), servers.raw(f'{{"{KEY}": ')])
async def test_the_key_is_shown_nowhere(fault: Answer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(*[fault] * 5) as server:
        url = server.url.replace("http://", f"http://user:{KEY}@")
        async with embedding(url) as embedder:
            with pytest.raises(ProviderError) as caught:
                await embedder.embed(TEXTS, TextRole.PASSAGE)
            assert KEY not in repr(embedder) + repr(vars(embedder))
    shown: list[Callable[[], str]] = [partial(str, caught.value), lambda: str(caught.value.as_dict())]
    assert all(KEY not in show() for show in shown)
    assert KEY not in "".join(caught.exconly()) + str(caught.getrepr(style="native"))
    assert KEY not in caplog.text
