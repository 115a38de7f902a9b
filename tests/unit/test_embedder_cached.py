"""An embedder that remembers, and the file in which it does."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import numpy as np
import pytest

from sourcebook.errors import ProviderBusy
from sourcebook.ports.providers import TextRole
from sourcebook.providers.cached_embedder import CachedEmbedder
from sourcebook.storage.sqlite import driver
from sourcebook.storage.sqlite.embedding_cache import SqliteEmbeddingCache, read_queries
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from numpy.typing import NDArray

pytestmark = pytest.mark.anyio

TEXTS = ["raspberry", "blueberry", "strawberry", "raspberry", "blueberry"]
MEGABYTE = 1_000_000


def cache_at(path: Path, most_bytes: int = 10 * MEGABYTE) -> SqliteEmbeddingCache:
    return SqliteEmbeddingCache(path, most_bytes=most_bytes)


async def test_a_text_that_comes_twice_is_embedded_once() -> None:
    inner = FakeEmbedder()
    found = await CachedEmbedder(inner).embed(TEXTS, TextRole.PASSAGE)
    assert inner.embedded == 3
    assert np.array_equal(found, await FakeEmbedder().embed(TEXTS, TextRole.PASSAGE))
    assert (await CachedEmbedder(inner).embed([], TextRole.PASSAGE)).shape == (0, 64)


async def test_recent_questions_are_remembered_and_older_ones_are_not() -> None:
    inner = FakeEmbedder()
    embedder = CachedEmbedder(inner, questions_kept=2)
    for question in ("a", "b", "a", "c", "a"):
        [vector] = await embedder.embed([question], TextRole.QUESTION)
        assert np.array_equal(vector, (await FakeEmbedder().embed([question], TextRole.QUESTION))[0])
    assert inner.embedded == 3
    await embedder.embed(["b"], TextRole.QUESTION)
    assert inner.embedded == 4


async def test_what_a_caller_does_to_a_vector_is_not_remembered() -> None:
    embedder = CachedEmbedder(FakeEmbedder())
    first = await embedder.embed(["a"], TextRole.QUESTION)
    first[:] = 0
    assert (await embedder.embed(["a"], TextRole.QUESTION)).any()


async def test_texts_are_remembered_across_processes_and_vectors_are_the_same(tmp_path: Path) -> None:
    first, second = FakeEmbedder(), FakeEmbedder()
    made = await CachedEmbedder(first, cache_at(tmp_path / "c.db")).embed(TEXTS, TextRole.PASSAGE)
    remembered = await CachedEmbedder(second, cache_at(tmp_path / "c.db")).embed(
        [*TEXTS, "new"], TextRole.PASSAGE
    )
    assert (first.embedded, second.embedded) == (3, 1)
    assert np.array_equal(made, remembered[:5])
    assert made == pytest.approx(await FakeEmbedder().embed(TEXTS, TextRole.PASSAGE), abs=1e-3)


async def test_questions_do_not_enter_the_file(tmp_path: Path) -> None:
    embedder = CachedEmbedder(FakeEmbedder(), cache_at(tmp_path / "c.db"))
    await embedder.embed(["a private question"], TextRole.QUESTION)
    assert not (tmp_path / "c.db").exists()


async def test_texts_themselves_do_not_enter_the_file(tmp_path: Path) -> None:
    embedder = CachedEmbedder(FakeEmbedder(), cache_at(tmp_path / "c.db"))
    await embedder.embed(["a private text"], TextRole.PASSAGE)
    assert b"private" not in (tmp_path / "c.db").read_bytes()


async def test_models_do_not_share_vectors(tmp_path: Path) -> None:
    cache = cache_at(tmp_path / "c.db")
    for inner in (FakeEmbedder(8), FakeEmbedder(12), FakeEmbedder(12, "other")):
        found = await CachedEmbedder(inner, cache).embed(TEXTS, TextRole.PASSAGE)
        assert inner.embedded == 3
        assert found.shape == (5, inner.model.dimensions)


class Failing(FakeEmbedder):
    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        if self.embedded >= 256:
            raise ProviderBusy
        return await super().embed(texts, role)


async def test_what_was_made_before_a_failure_is_kept(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(600)]
    with pytest.raises(ProviderBusy):
        await CachedEmbedder(Failing(), cache_at(tmp_path / "c.db")).embed(texts, TextRole.PASSAGE)
    inner = FakeEmbedder()
    await CachedEmbedder(inner, cache_at(tmp_path / "c.db")).embed(texts, TextRole.PASSAGE)
    assert inner.embedded == 600 - 256


async def test_the_file_stays_within_its_size_and_the_oldest_go(tmp_path: Path) -> None:
    cache = cache_at(tmp_path / "c.db", most_bytes=MEGABYTE)
    rng = np.random.default_rng(1)
    keys = [number.to_bytes(16, "big") for number in range(3000)]
    for start in range(0, len(keys), 100):
        rows = rng.standard_normal((100, 512)).astype(np.float32)
        await cache.put(dict(zip(keys[start : start + 100], rows, strict=True)))
    held = await cache.get(keys)
    assert keys[-1] in held
    assert keys[0] not in held
    assert 500 < len(held) < 1000
    assert (tmp_path / "c.db").stat().st_size < 1.5 * MEGABYTE


@pytest.mark.parametrize("trouble", ["not a database", "a folder", "another base", "locked"])
async def test_work_goes_on_without_a_file_that_cannot_be_used(
    tmp_path: Path, trouble: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "c.db"
    match trouble:
        case "not a database":
            path.write_bytes(b"what is this" * 1000)
        case "a folder":
            path.mkdir()
        case "another base":
            other = driver.connect(path, busy_timeout=1)
            other.execute("create table precious (a integer) strict")
            other.close()
        case _:
            await cache_at(path).put({b"k": np.ones(4, np.float32)})
    before = path.read_bytes() if path.is_file() else b""
    lock = driver.connect(path, busy_timeout=1) if trouble == "locked" else None
    if lock is not None:
        lock.execute("begin immediate")
    embedder = CachedEmbedder(FakeEmbedder(), cache_at(path))
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert (await embedder.embed(TEXTS, TextRole.PASSAGE)).shape == (5, 64)
    assert len(caplog.records) == 1
    assert "c.db" in caplog.text
    if lock is not None:
        lock.execute("rollback")
        lock.close()
    elif path.is_file():
        assert path.read_bytes() == before


async def test_a_vector_of_another_size_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    inner = FakeEmbedder()
    await CachedEmbedder(inner, cache_at(path)).embed(TEXTS, TextRole.PASSAGE)
    connection = driver.connect(path, busy_timeout=1)
    connection.execute("update embeddings set vector = x'0000' where id = 1")
    connection.close()
    found = await CachedEmbedder(inner, cache_at(path)).embed(TEXTS, TextRole.PASSAGE)
    assert found == pytest.approx(await FakeEmbedder().embed(TEXTS, TextRole.PASSAGE), abs=1e-3)


async def test_several_may_use_the_file_at_once(tmp_path: Path) -> None:
    async def work(seed: int) -> None:
        texts = [f"text {number % 50}" for number in range(seed, seed + 80)]
        embedder = CachedEmbedder(FakeEmbedder(), cache_at(tmp_path / "c.db"))
        found = await embedder.embed(texts, TextRole.PASSAGE)
        assert found == pytest.approx(await FakeEmbedder().embed(texts, TextRole.PASSAGE), abs=1e-3)

    async with anyio.create_task_group() as tasks:
        for seed in range(8):
            tasks.start_soon(work, seed * 10)


def test_the_statements_of_the_file_are_valid(tmp_path: Path) -> None:
    connection = driver.connect(tmp_path / "c.db", busy_timeout=1)
    queries = read_queries()
    connection.execute(queries["make_embeddings"].sql)
    for statement in queries:
        connection.execute(f"explain {statement.sql}", dict.fromkeys(statement.parameters))
    connection.close()
