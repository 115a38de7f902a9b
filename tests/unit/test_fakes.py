"""The stand-ins that come with the package."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import anyio
import numpy as np
import pytest

from sourcebook.ports.providers import TextRole
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def embed(embedder: FakeEmbedder, texts: Sequence[str]) -> NDArray[np.float32]:
    return anyio.run(embedder.embed, texts, TextRole.PASSAGE)


def test_texts_that_share_words_are_near() -> None:
    embedder = FakeEmbedder()
    vectors = embed(embedder, ["red apples fall", "Apples fall red", "a blue boat", "", "\ud800"])
    assert vectors.shape == (5, 64)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(5), abs=1e-6)
    assert vectors[0] @ vectors[1] == pytest.approx(1)
    assert vectors[0] @ vectors[2] < 0.8
    assert embedder.embedded == 5
    assert embed(embedder, []).shape == (0, 64)


def test_the_same_text_has_the_same_vector_in_every_embedder() -> None:
    texts = ["red apples fall", "a blue boat"]
    assert np.array_equal(embed(FakeEmbedder(), texts), embed(FakeEmbedder(), texts))
    assert embed(FakeEmbedder(8), texts).shape == (2, 8)


def test_the_loop_runs_on_while_a_long_text_is_embedded() -> None:
    text = " ".join(f"word{number % 500}" for number in range(300_000))
    ticks = 0

    async def run() -> None:
        async def tick() -> None:
            nonlocal ticks
            while True:
                await anyio.sleep(0.001)
                ticks += 1

        async with anyio.create_task_group() as group:
            group.start_soon(tick)
            await anyio.lowlevel.checkpoint()
            await FakeEmbedder().embed([text], TextRole.PASSAGE)
            group.cancel_scope.cancel()

    began = time.process_time()
    anyio.run(run)
    assert ticks > 0
    assert time.process_time() - began < 4  # without a memory for words it was about ten seconds
