"""The default embedder, as it comes from the package index."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event
from typing import TYPE_CHECKING, Any

import anyio
import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from sourcebook.ingest.index.embedding import embed_chunks, leaning
from sourcebook.model.documents import Chunk, ChunkLevel
from sourcebook.ports.providers import TextRole
from sourcebook.providers import embedding_batches
from sourcebook.providers.running_calls import RUNNING_CALLS
from sourcebook.providers.universal_sentence_encoder import UniversalSentenceEncoder

if TYPE_CHECKING:
    from numpy.typing import NDArray

TEXTS = [
    "Ремонтантную малину срезают под корень поздней осенью.",
    "Everbearing raspberries are cut to the ground in late autumn.",
    "O mirtilo precisa de solo ácido, com pH entre 4,5 e 5,5.",
    "Strawberry crowns stay level with the soil. " * 12,
    "pH",
]


@pytest.fixture(scope="module")
def embedder() -> UniversalSentenceEncoder:
    return UniversalSentenceEncoder()


def embed(embedder: UniversalSentenceEncoder, texts: Sequence[str]) -> NDArray[np.float32]:
    return anyio.run(embedder.embed, texts, TextRole.PASSAGE)


def test_the_model_says_where_vectors_come_from(embedder: UniversalSentenceEncoder) -> None:
    model = embedder.model
    assert (model.name, model.dimensions) == ("use-multilingual-v3", 512)
    assert model.version
    assert len(model.tokenizer_hash) == 16


def test_a_model_is_loaded_ahead_once() -> None:
    embedder = UniversalSentenceEncoder()
    anyio.run(embedder.load_ahead)
    loaded = vars(embedder)["_encoder"]
    assert loaded is not None
    anyio.run(embedder.load_ahead)
    embed(embedder, ["pH"])
    assert vars(embedder)["_encoder"] is loaded


def test_vectors_are_finite_and_of_length_one(embedder: UniversalSentenceEncoder) -> None:
    vectors = embed(embedder, TEXTS)
    assert vectors.shape == (len(TEXTS), 512)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-6)


def test_the_same_meaning_in_another_language_is_near(embedder: UniversalSentenceEncoder) -> None:
    vectors = embed(embedder, TEXTS)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.1


def test_a_vector_hardly_depends_on_its_neighbours(embedder: UniversalSentenceEncoder) -> None:
    together = embed(embedder, TEXTS * 20)
    alone = np.concatenate([embed(embedder, [text]) for text in TEXTS])
    assert np.abs(together - np.tile(alone, (20, 1))).max() < 1e-6


def test_the_same_call_gives_the_same_bits(embedder: UniversalSentenceEncoder) -> None:
    assert np.array_equal(embed(embedder, TEXTS), embed(embedder, TEXTS))


def test_any_text_is_safe(embedder: UniversalSentenceEncoder) -> None:
    vectors = embed(embedder, ["", "  \n", "\x00", "\ud800", "🍓", "a" * 1_000_000])
    assert np.isfinite(vectors).all()
    assert embed(embedder, []).shape == (0, 512)


def test_parallel_questions_do_not_disturb_each_other(embedder: UniversalSentenceEncoder) -> None:
    results: dict[int, NDArray[np.float32]] = {}

    async def ask(index: int) -> None:
        results[index] = await embedder.embed([TEXTS[index]], TextRole.QUESTION)

    async def run() -> None:
        async with anyio.create_task_group() as group:
            for index in range(len(TEXTS)):
                group.start_soon(ask, index)

    anyio.run(run)
    for index, text in enumerate(TEXTS):
        assert np.array_equal(results[index], embed(embedder, [text]))


def test_the_event_loop_goes_on_and_a_call_can_be_given_up(embedder: UniversalSentenceEncoder) -> None:
    """To embed all of them would take many times as long as the ticks after which the call is given up."""
    texts = [f"{number} {TEXTS[number % 4]}" for number in range(4_000)]

    async def run() -> bool:
        scope = anyio.CancelScope()

        async def tick() -> None:
            for _ in range(5):
                await anyio.sleep(0.01)
            scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(tick)
            with scope:
                await embedder.embed(texts, TextRole.PASSAGE)
            group.cancel_scope.cancel()
        return scope.cancelled_caught

    assert anyio.run(run)
    assert np.array_equal(embed(embedder, TEXTS), embed(embedder, TEXTS))


def test_products_stay_on_the_thread_that_needs_them(embedder: UniversalSentenceEncoder) -> None:
    """Were each product spread over the cores, two texts at once would take five times as long as one by one."""
    controller: Any = ThreadpoolController()

    def threads() -> set[int]:
        return {library.num_threads for library in controller.lib_controllers if library.user_api == "blas"}

    # What an earlier test gave up may still be computing, and holds them meanwhile.
    while not RUNNING_CALLS.wait():
        pass
    before = threads()
    embed(embedder, TEXTS)
    during: list[set[int]] = []
    encoder: Any = vars(embedder)["_encoder"]
    encode: Callable[[list[str]], object] = encoder.encode

    def watched(texts: list[str]) -> object:
        made = encode(texts)
        during.append(threads())
        return made

    encoder.encode = watched
    try:
        for _ in range(3):
            embed(embedder, TEXTS * 40)
            assert threads() == before
    finally:
        encoder.encode = encode
    assert len(during) > 10
    assert all(seen == {1} for seen in during)


class _Held:
    """An encoder that keeps every batch until it may go on, but for a question."""

    def __init__(self) -> None:
        self.goes_on = Event()
        self.held: list[int] = []

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        if texts != ["Why?"]:
            self.held.append(len(texts))
            self.goes_on.wait()
        return np.ones((len(texts), 512), np.float32)


def test_calls_at_once_share_the_cores_and_a_question_does_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding_batches, "cores", lambda: 1)
    embedder, held = UniversalSentenceEncoder(), _Held()
    vars(embedder)["_encoder"] = held

    async def run() -> None:
        async with anyio.create_task_group() as calls:
            for _ in range(2):
                calls.start_soon(embedder.embed, ["text"] * 100, TextRole.PASSAGE)
            try:
                with anyio.fail_after(60):
                    while not held.held or embedding_batches.turns().statistics().tasks_waiting == 0:  # noqa: ASYNC110 - a thread tells
                        await anyio.sleep(0.01)
                    await embedder.embed(["Why?"], TextRole.QUESTION)
                assert len(held.held) == 1
            finally:
                held.goes_on.set()

    anyio.run(run)
    assert sum(held.held) == 200


def test_a_child_leans_towards_the_title_and_a_passage_does_not(embedder: UniversalSentenceEncoder) -> None:
    parent = Chunk("p", "d", TEXTS[0])
    child = Chunk("c", "d", TEXTS[1], level=ChunkLevel.CHILD, parent_id="p")
    plain = embed(embedder, [TEXTS[0], TEXTS[1], "Малина"])
    titled = anyio.run(embed_chunks, embedder, [parent, child], "Малина")
    untitled = anyio.run(embed_chunks, embedder, [parent, child], " ")
    expected = plain[1] + 0.5 * plain[2]
    assert np.asarray(titled[0].embedding) == pytest.approx(plain[0], abs=1e-6)
    assert np.asarray(titled[1].embedding) == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
    assert np.asarray(untitled[1].embedding) == pytest.approx(plain[1], abs=1e-6)
    nothing: list[Chunk] = []
    assert anyio.run(embed_chunks, embedder, nothing, "Малина") == []


def test_a_child_opposite_to_its_title_keeps_a_vector() -> None:
    child = np.array([[1.0, 0.0]], dtype=np.float32)
    assert np.isfinite(leaning(child, np.array([-2.0, 0.0], dtype=np.float32))).all()
