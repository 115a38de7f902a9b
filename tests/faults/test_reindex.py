"""F17, F18: the model of a collection changes, or its index is made anew, and nobody notices a moment in between."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest
from tests.faults import reindexers
from tests.faults.bases import COLLECTION, plain_connection
from tests.faults.processes import exit_code_of, heard, talking
from tests.faults.reindexers import (
    NEW,
    OLD,
    dimensions,
    filled,
    new_embedder,
    opened_as_it_is,
    reindexed,
    require_serving,
    work_on,
)

from sourcebook import AsyncSourcebook, RetrievalConfig, RetrievalMode, Settings
from sourcebook.errors import ActiveModelChanged, ProviderBusy, UsageError
from sourcebook.model.reindexing import ReindexScope, ReindexWay
from sourcebook.ports.providers import TextRole
from sourcebook.storage.crash_points import CrashPoint, observe
from sourcebook.storage.maintenance.base_checksum import base_checksum
from sourcebook.storage.sqlite import driver
from sourcebook.testing.crash import CRASHED, REINDEX_STEPS, prepared_document, vector_of
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.model.reindexing import ReindexProgress

pytestmark = pytest.mark.anyio

NUMBERS = (0, 1, 2)
STEPS_OF_A_CHANGE = tuple(step for step in REINDEX_STEPS if step is not CrashPoint.REINDEX_WORDS_WRITTEN)
STEPS_OF_A_REBUILD = (
    CrashPoint.REINDEX_WORDS_WRITTEN,
    CrashPoint.REINDEX_VECTORS_WRITTEN,
    CrashPoint.REINDEX_CURATED_WRITTEN,
)
CASES = [
    *((step, 1, "new") for step in STEPS_OF_A_CHANGE),
    (CrashPoint.REINDEX_VECTORS_WRITTEN, 4, "new"),
    *((CrashPoint.BEFORE_COMMIT, nth, "new") for nth in (1, 2, 9, 10, 11, 12)),
    *((CrashPoint.COMMITTED, nth, "new") for nth in (1, 2, 9, 10, 11, 12)),
    *((step, 1, "same") for step in STEPS_OF_A_REBUILD),
    (CrashPoint.REINDEX_VECTORS_WRITTEN, 4, "same"),
    *((CrashPoint.COMMITTED, nth, "same") for nth in (1, 2, 3, 9)),
]


async def digest_at(path: Path) -> str:
    async with opened_as_it_is(path) as base:
        return await base_checksum(base.database)


_UNDISTURBED: dict[str, str] = {}


async def undisturbed(path: Path, model: str) -> str:
    """The digest of a base that was reindexed without a disturbance. It is made once for each model."""
    if model not in _UNDISTURBED:
        await filled(path, NUMBERS)
        async with opened_as_it_is(path) as base:
            await reindexed(base, new_embedder() if model == "new" else None)
        _UNDISTURBED[model] = await digest_at(path)
    return _UNDISTURBED[model]


def test_every_step_of_a_reindex_is_a_crash_point() -> None:
    assert len(REINDEX_STEPS) >= 6
    assert {step for step, _, _ in CASES} >= set(REINDEX_STEPS)


@pytest.mark.parametrize(("model", "steps"), [("new", STEPS_OF_A_CHANGE), ("same", STEPS_OF_A_REBUILD)])
async def test_a_reindex_passes_the_steps_that_are_tested(
    tmp_path: Path, model: str, steps: Sequence[CrashPoint]
) -> None:
    await filled(tmp_path / "base.db", NUMBERS)
    seen: list[CrashPoint] = []
    async with opened_as_it_is(tmp_path / "base.db") as base:
        observe(seen.append)
        try:
            await reindexed(base, new_embedder() if model == "new" else None)
        finally:
            observe(None)
    assert set(seen) & set(REINDEX_STEPS) == set(steps)


@pytest.mark.parametrize(("step", "nth", "model"), CASES)
async def test_a_process_that_stops_at_a_step_leaves_a_base_that_serves_and_is_gone_on_with(
    tmp_path: Path, step: CrashPoint, nth: int, model: str
) -> None:
    path = tmp_path / "base.db"
    await filled(path, NUMBERS)

    assert exit_code_of(reindexers.stop_reindex_at, step, nth, path, model) == CRASHED

    async with opened_as_it_is(path) as base:
        size = await require_serving(base, NUMBERS)
        if model == "same" or step in (
            CrashPoint.REINDEX_BEGUN,
            CrashPoint.REINDEX_VECTORS_WRITTEN,
            CrashPoint.REINDEX_SWITCHED,
        ):
            assert size == OLD
        if step is CrashPoint.REINDEX_OLD_REMOVED:
            assert size == NEW
        await reindexed(base, new_embedder() if model == "new" else None)
        await require_serving(base, NUMBERS)
    assert await digest_at(path) == await undisturbed(tmp_path / "undisturbed.db", model)


def kill_on_the_way(path: Path, after: float) -> None:
    with talking(reindexers.reindex, path, "new") as (process, line):
        assert line.recv() == "ready"
        time.sleep(after)
        process.kill()
        heard(line)


@pytest.mark.parametrize("kills", [12, pytest.param(100, marks=pytest.mark.soak)])
async def test_a_reindex_that_is_killed_again_and_again_ends_as_one_that_is_not(
    tmp_path: Path, kills: int
) -> None:
    chance = random.Random(kills)
    expected = await undisturbed(tmp_path / "undisturbed.db", "new")
    path = tmp_path / "base.db"
    await filled(path, NUMBERS)
    at_work = bases = 0
    while at_work < kills:
        kill_on_the_way(path, chance.uniform(0, 0.08))
        async with opened_as_it_is(path) as base:
            size = await require_serving(base, NUMBERS)
        at_work += size == OLD
        if size == NEW:
            assert await finished(path) == expected
            bases += 1
            path = tmp_path / f"base{bases}.db"
            await filled(path, NUMBERS)
    assert await finished(path) == expected


async def finished(path: Path) -> str:
    """The digest of a base whose reindex was let go on to its end."""
    async with opened_as_it_is(path) as base:
        await reindexed(base, new_embedder())
    return await digest_at(path)


async def test_a_process_that_has_the_base_open_follows_the_switch(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    await filled(path, NUMBERS)
    text = prepared_document(1).chunks[0].chunk.content
    with talking(reindexers.search_when_told, path) as (_, line):
        line.send(vector_of(text, OLD))
        before = line.recv()
        assert before[0][0] == text
        seen: list[object] = []

        def ask(progress: ReindexProgress) -> None:
            line.send(vector_of(text, OLD))
            seen.append(line.recv())

        async with opened_as_it_is(path) as base:
            await reindexed(base, new_embedder(), ask)
        assert len(seen) > 5
        assert all(found == before for found in seen)
        [question] = await new_embedder().embed([text], TextRole.QUESTION)
        line.send(question)
        after = line.recv()
        assert after[0] == (text, pytest.approx(1.0, abs=1e-3))
        line.send(None)


async def test_a_reindex_that_is_interrupted_goes_on_later(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    await filled(path, NUMBERS)
    first, second = new_embedder(), new_embedder()
    async with opened_as_it_is(path) as base:
        with anyio.CancelScope() as scope:
            await reindexed(base, first, lambda progress: scope.cancel() if progress.done > 12 else None)
        assert await require_serving(base, NUMBERS) == OLD
        report = await reindexed(base, second)
        assert await require_serving(base, NUMBERS) == NEW
    total = sum(len(prepared_document(number).chunks) for number in NUMBERS) + 3
    assert 0 < report.collections[0].vectors <= total - 12
    assert await digest_at(path) == await undisturbed(tmp_path / "undisturbed.db", "new")


class Failing(FakeEmbedder):
    """Gives up after some texts, as a server does that ran out of credit."""

    def __init__(self, most: int) -> None:
        super().__init__(NEW, "new")
        self._most = most

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        if self.embedded + len(texts) > self._most:
            raise ProviderBusy("the server is busy")
        return await super().embed(texts, role)


async def test_a_provider_that_fails_on_the_way_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    await filled(path, NUMBERS)
    async with opened_as_it_is(path) as base:
        with pytest.raises(ProviderBusy):
            await reindexed(base, Failing(20))
        assert await require_serving(base, NUMBERS) == OLD
        left = await base.stores.reindexing.need(COLLECTION, new_embedder().model)
        assert 0 < left.vectors < sum(len(prepared_document(number).chunks) for number in NUMBERS)
        await reindexed(base, new_embedder())
        assert await require_serving(base, NUMBERS) == NEW


async def test_writers_of_the_old_model_work_until_the_switch_and_are_refused_after_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "base.db"
    await filled(path, NUMBERS)
    written: list[int] = [*NUMBERS]
    has_written = anyio.Event()
    async with opened_as_it_is(path) as base, opened_as_it_is(path) as other:

        async def write() -> None:
            for number in range(3, 1000):
                try:
                    await other.write(prepared_document(number))
                except ActiveModelChanged:
                    return
                written.append(number)
                has_written.set()
                await anyio.sleep(0.01)  # or the work would never catch up

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write)
            await has_written.wait()
            await reindexed(base, new_embedder())
        assert len(written) > len(NUMBERS)
        assert await require_serving(base, written) == NEW
        assert len(await base.stores.library.list_documents(COLLECTION)) == len(written)


def damage(path: Path) -> None:
    """Vectors that are wrong, words and terms that are gone: what a repair has to make of the text."""
    connection = plain_connection(path, driver.apsw.SQLITE_OPEN_READWRITE)
    connection.execute("update vectors set vector = zeroblob(length(vector))")
    connection.execute("delete from words where chunk_id in (select chunk_id from words limit 5)")
    connection.execute("update terms set chunk_count = chunk_count + 7")
    connection.execute("delete from document_words")
    connection.execute("update collection_counters set word_length = 1, document_word_rows = 77")
    connection.execute("update base_info set value = '0' where key = 'analyser_version'")
    connection.close()


async def test_words_and_vectors_are_made_anew_from_the_text(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    await filled(path, NUMBERS)
    async with opened_as_it_is(path) as base:
        await reindexed(base, new_embedder())
        before = await base.stores.fts.search(COLLECTION, "note1x весна mulch", 10)
    right = await digest_at(path)
    damage(path)
    async with opened_as_it_is(path) as base:
        assert await base.faults() != []
        report = await work_on(base, None).run()
        assert [done.way for done in report.collections] == [ReindexWay.REBUILD]
        assert await require_serving(base, NUMBERS) == NEW
        assert await base.stores.fts.search(COLLECTION, "note1x весна mulch", 10) == before
    assert await digest_at(path) == right


async def test_words_alone_are_made_anew_without_a_model(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    embedder = FakeEmbedder(8, "first")
    async with AsyncSourcebook(settings=settings(path), embedder=embedder) as book:
        await book.add_text("Raspberries are pruned in autumn.", id="r")
        await book.add_text("Blueberries want acid soil.", id="b", collection="other")
    right, embedded = await digest_at(path), embedder.embedded
    connection = plain_connection(path, driver.apsw.SQLITE_OPEN_READWRITE)
    connection.execute("delete from words")
    connection.execute("update base_info set value = '0' where key = 'analyser_version'")
    connection.close()
    async with AsyncSourcebook(settings=settings(path), embedder=embedder) as book:
        assert not (await book.doctor()).ok
        with pytest.raises(UsageError):
            await book.reindex(model=FakeEmbedder(9), scope=ReindexScope.WORDS)
        report = await book.reindex(scope=ReindexScope.WORDS)
        assert [done.way for done in report.collections] == [ReindexWay.WORDS, ReindexWay.WORDS]
        assert (await book.doctor()).ok
    assert await digest_at(path) == right
    assert embedder.embedded == embedded


def settings(path: Path) -> Settings:
    return Settings(db=str(path), embedder="none")


async def test_another_embedder_in_the_settings_is_refused_and_told_how_to_change(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    first, second = FakeEmbedder(8, "first"), FakeEmbedder(12, "second")
    async with AsyncSourcebook(settings=settings(path), embedder=first) as book:
        await book.add_text("Raspberries are pruned in autumn.", id="r")
    async with AsyncSourcebook(settings=settings(path), embedder=second) as book:
        with pytest.raises(ActiveModelChanged) as refused:
            await book.add_text("Blueberries want acid soil.", id="b")
        assert "reindex" in refused.value.hint
        keyword = RetrievalConfig(mode=RetrievalMode.KEYWORD)
        assert len(await book.search("pruned raspberries", keyword)) == 1
        [plan] = await book.plan_reindex(model=second)
        assert (plan.way, plan.old.name, plan.new.name) == (ReindexWay.CHANGE, "first", "second")
        assert plan.need.vectors > 0
        await book.reindex(model=second)
        assert len(await book.search("pruned raspberries", RetrievalConfig(mode=RetrievalMode.SEMANTIC))) == 1
        await book.add_text("Blueberries want acid soil.", id="b")
        assert (await book.doctor()).ok


async def test_a_model_is_not_changed_for_collections_that_nobody_named(tmp_path: Path) -> None:
    embedder = FakeEmbedder(8, "first")
    async with AsyncSourcebook(settings=settings(tmp_path / "base.db"), embedder=embedder) as book:
        await book.add_text("One.", id="1")
        await book.add_text("Two.", id="2", collection="other")
        with pytest.raises(UsageError, match="2 collections"):
            await book.reindex(model=FakeEmbedder(12, "second"))
        await book.reindex(model=FakeEmbedder(12, "second"), collections=["other"])
        sizes = {collection.id: collection.embedding_dimensions for collection in await book.collections()}
        assert sizes == {"default": 8, "other": 12}
        report = await book.reindex()
        assert {done.collection_id: done.way for done in report.collections} == {
            "default": ReindexWay.REBUILD,
            "other": ReindexWay.WORDS,
        }


async def test_the_size_that_is_searched_by_is_that_of_the_model(tmp_path: Path) -> None:
    path = tmp_path / "base.db"
    await filled(path, NUMBERS)
    async with opened_as_it_is(path) as base:
        assert await dimensions(base) == OLD
        await reindexed(base, new_embedder())
        assert await dimensions(base) == NEW
