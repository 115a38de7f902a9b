"""Reading, embedding and writing at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import numpy as np
import pytest
from anyio.lowlevel import checkpoint

from sourcebook.errors import BadText, BaseFull, ProviderError
from sourcebook.ingest.index import pipeline as module
from sourcebook.ingest.index.document_reader import ReadDocument
from sourcebook.ingest.index.pipeline import TEXT_ON_THE_WAY, Admission, Budget, Item, Pipeline
from sourcebook.ingest.stop_signal import StopSignal
from sourcebook.model.documents import Chunk, Document, EmbeddingModel
from sourcebook.providers.cached_embedder import CachedEmbedder
from sourcebook.providers.checked_embedder import CheckedEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sourcebook.ports.providers import TextRole

pytestmark = pytest.mark.anyio


class Embedder:
    """Remembers its calls. A text that holds `bad` is not taken; after `dies_after` calls nothing is."""

    model = EmbeddingModel("toy", 4)

    def __init__(self, seconds: float = 0.0, dies_after: int = 1_000_000) -> None:
        self.calls: list[list[str]] = []
        self.seconds = seconds
        self.dies_after = dies_after
        self.may_begin = anyio.Event()

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        self.calls.append(list(texts))
        await self.may_begin.wait()
        await anyio.sleep(self.seconds)
        if any("bad" in text for text in texts) or len(self.calls) > self.dies_after:
            raise ProviderError("not this one")
        return np.array([[len(text), 0, 0, 1] for text in texts], np.float32)


class Line:
    """A pipeline whose works are the numbers of chunks that a document has."""

    def __init__(
        self,
        embedder: Embedder,
        stop: StopSignal | None = None,
        bad: int | None = None,
        waits_for: int = 0,
    ) -> None:
        """The embedder begins when so many documents were read."""
        self.embedder = embedder
        self.bad = bad
        self.stop = stop
        self.written: list[Item[int]] = []
        self.writes: list[int] = []
        self.on_the_way = self.most_on_the_way = 0
        self.waits_for = waits_for
        if not waits_for:
            embedder.may_begin.set()

    async def run(self, works: Sequence[int]) -> None:
        line = Pipeline[int](read=self.read, write=self.write, embedder=self.embedder, stop=self.stop)
        await line.run(works)

    async def read(self, work: int, admitted: Admission) -> Item[int]:
        await checkpoint()
        if work < 0:
            return Item(work, None, BadText("unreadable"))
        text = f"{'bad' if work == self.bad else 'good'} {work}"
        chunks = [Chunk(f"{work}-{n}", "d", f"{text} {n}") for n in range(work)]
        self.on_the_way += 1
        if self.on_the_way >= self.waits_for:
            self.embedder.may_begin.set()
        self.most_on_the_way = max(self.most_on_the_way, self.on_the_way)
        await admitted(1000)
        return Item(work, ReadDocument(Document("d", "x" * 1000), (), chunks))

    async def write(self, items: Sequence[Item[int]]) -> None:
        await checkpoint()
        self.writes.append(len(items))
        self.on_the_way -= sum(item.read is not None for item in items)
        self.written += items


async def test_every_document_comes_out_with_a_vector_for_each_chunk() -> None:
    line = Line(Embedder())
    works = [1, 700, 3, 0, 1500, 2]
    await line.run(works)
    assert sorted(item.work for item in line.written) == sorted(works)
    for item in line.written:
        embedded = item.embedded()
        assert len(embedded) == item.work
        assert all(np.asarray(c.embedding)[0] == len(c.chunk.content) for c in embedded)


class LoadedAhead(Embedder):
    """Begins to embed when it was made ready, which may fail."""

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__()
        self.fails = fails
        self.is_asked_for = anyio.Event()

    async def load_ahead(self) -> None:
        self.is_asked_for.set()
        if self.fails:
            raise ProviderError("there is no model")


@pytest.mark.parametrize("fails", [False, True])
async def test_an_embedder_is_made_ready_while_the_first_file_is_read(fails: bool) -> None:
    embedder = LoadedAhead(fails=fails)
    # What anybody gets who uses an embedder of this machine.
    line = Line(embedder)
    worn = CheckedEmbedder(CachedEmbedder(embedder))

    async def read(work: int, admitted: Admission) -> Item[int]:
        with anyio.fail_after(60):
            await embedder.is_asked_for.wait()
        return await line.read(work, admitted)

    await Pipeline[int](read=read, write=line.write, embedder=worn).run([3, 4])
    assert sorted(len(item.embedded()) for item in line.written) == [3, 4]


async def test_small_documents_are_embedded_together() -> None:
    line = Line(Embedder(), waits_for=40)
    await line.run([5] * 200)
    assert max(map(len, line.embedder.calls)) >= 5 * 30


async def test_small_documents_are_written_together() -> None:
    line = Line(Embedder(), waits_for=40)
    await line.run([5] * 200)
    assert sum(line.writes) == 200
    assert 1 < max(line.writes) <= module.WRITTEN_TOGETHER


async def test_documents_of_much_text_are_written_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TEXT_WRITTEN_TOGETHER", 1000)
    line = Line(Embedder())
    await line.run([5] * 50)
    assert set(line.writes) == {1}


async def test_a_large_document_is_embedded_in_parts() -> None:
    line = Line(Embedder())
    await line.run([2000])
    assert max(map(len, line.embedder.calls)) <= module.TEXTS_OF_A_CALL


async def test_what_cannot_be_read_comes_out_with_its_reason() -> None:
    line = Line(Embedder())
    await line.run([3, -1, 2])
    assert {item.work: type(item.error) for item in line.written} == {
        3: type(None),
        -1: BadText,
        2: type(None),
    }


@pytest.mark.parametrize("works", [[7, 3, 4, 5], [7, 700, 3, 4]])
async def test_a_text_that_the_provider_does_not_take_fails_its_own_document_only(works: list[int]) -> None:
    line = Line(Embedder(), bad=works[0])
    await line.run(works)
    assert {item.work: type(item.error) for item in line.written} == {
        work: ProviderError if work == 7 else type(None) for work in works
    }


@pytest.mark.parametrize("dies_after", [0, 2])
async def test_a_provider_that_is_down_ends_everything_with_its_own_error(dies_after: int) -> None:
    line = Line(Embedder(dies_after=dies_after))
    with pytest.raises(ProviderError):
        await line.run([700] * 50)
    assert len(line.embedder.calls) < 20


@pytest.mark.parametrize("error", [BaseFull, anyio.EndOfStream])
async def test_an_error_of_the_writer_ends_everything_and_comes_out_alone(error: type[Exception]) -> None:
    line = Line(Embedder())

    async def write(items: Sequence[Item[int]]) -> None:
        raise error

    with pytest.raises(error):
        await Pipeline[int](read=line.read, write=write, embedder=line.embedder).run([3] * 500)


async def test_once_stopped_what_is_embedded_is_written_and_nothing_more_is_begun() -> None:
    stop = StopSignal()
    line = Line(Embedder(seconds=0.05), stop)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(line.run, [200] * 500)
        while not line.written:  # noqa: ASYNC110 - it has no event
            await anyio.sleep(0.01)
        stop.set()
    assert 0 < len(line.written) < 400
    assert all(len(item.embedded()) == item.work for item in line.written)


async def test_however_slow_the_writer_little_is_on_its_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TEXT_ON_THE_WAY", 10_000)
    line = Line(Embedder())
    await line.run([1] * 500)
    assert line.most_on_the_way <= 10 + module.READERS


async def test_a_budget_lets_through_what_is_heavier_than_all_of_it_alone() -> None:
    budget = Budget(10)
    taken = await budget.take(1000)
    with anyio.move_on_after(0.05) as waited:
        await budget.take(1)
    assert waited.cancelled_caught
    await budget.give_back(taken)
    assert await budget.take(4) == 4


async def test_of_long_texts_only_one_at_a_time_is_cut() -> None:
    """The chunks of a text take many times its memory."""
    cut: list[int] = []
    most = 0

    async def read(work: int, admitted: Admission) -> Item[int]:
        nonlocal most
        await admitted(TEXT_ON_THE_WAY)
        cut.append(work)
        most = max(most, len(cut))
        await checkpoint()
        return Item(work, ReadDocument(Document("d", "x"), (), [Chunk(str(work), "d", f"text {work}")]))

    async def write(items: Sequence[Item[int]]) -> None:
        await checkpoint()
        for item in items:
            cut.remove(item.work)

    embedder = Embedder()
    embedder.may_begin.set()
    await Pipeline[int](read=read, write=write, embedder=embedder).run(range(6))
    assert (most, cut) == (1, [])
