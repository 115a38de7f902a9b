"""Watching folders: what changes is added, and a folder that goes away is waited for."""

from __future__ import annotations

import shutil
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import pytest
from tests.unit.desk import COLLECTION, Desk

from sourcebook.errors import TooManyRemovals
from sourcebook.ingest.add_request import AddRequest
from sourcebook.ingest.folder.watch import FolderWatch
from sourcebook.ingest.stop_signal import StopSignal
from sourcebook.model.add_reports import WatchRound
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.assembly import OpenBase
    from sourcebook.ports.providers import TextRole
    from sourcebook.testing.fakes import FixedClock

pytestmark = pytest.mark.anyio

PATIENCE = 300.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "notes"
    place.mkdir()
    (place / "one.txt").write_text("One.")
    return place


@asynccontextmanager
async def watched(desk: Desk, folder: Path, every: float = 300.0) -> AsyncGenerator[list[WatchRound]]:
    """The rounds of a watch, which ends with the block."""
    stop, rounds = StopSignal(), list[WatchRound]()
    request = AddRequest([folder], COLLECTION, stop=stop)
    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(desk.ingest.watch, request, rounds.append, every)
            await until(lambda: len(rounds) > 0)
            yield rounds
            stop.set()


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - it has no event
        await anyio.sleep(0.02)


async def test_what_comes_changes_and_goes_is_followed(
    base: OpenBase, clock: FixedClock, folder: Path
) -> None:
    desk = Desk(base, clock)
    async with watched(desk, folder) as rounds:
        assert rounds[0].report is not None
        assert rounds[0].report.added == 1
        (folder / "deep").mkdir()
        (folder / "deep" / "two.txt").write_text("Two.")
        await until(lambda: any(r.report and r.report.added and r is not rounds[0] for r in rounds))
        (folder / "one.txt").write_text("One again.")
        await until(lambda: any(r.report and r.report.updated for r in rounds))
        (folder / "deep" / "two.txt").unlink()
        await until(lambda: any(r.report and r.report.removed for r in rounds))
    assert (await desk.only()).content == "One again."
    await desk.require_sound()


async def test_what_changes_while_it_is_first_looked_at_is_followed(
    base: OpenBase, clock: FixedClock, folder: Path
) -> None:
    class WhileEmbedding(FakeEmbedder):
        async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
            (folder / "two.txt").write_text("Two.")
            return await super().embed(texts, role)

    desk = Desk(base, clock, embedder=WhileEmbedding(dimensions=8))
    async with watched(desk, folder) as rounds:
        await until(lambda: sum(r.report.added for r in rounds if r.report) == 2)
    assert len(await desk.documents()) == 2


async def test_a_folder_that_goes_away_loses_nothing_and_is_followed_when_it_is_back(
    base: OpenBase, clock: FixedClock, folder: Path
) -> None:
    desk = Desk(base, clock)
    async with watched(desk, folder) as rounds:
        shutil.move(folder, folder.with_name("away"))
        await until(lambda: any(isinstance(r.error, TooManyRemovals) for r in rounds))
        assert len(await desk.documents()) == 1
        shutil.move(folder.with_name("away"), folder)
        (folder / "two.txt").write_text("Two.")
        await until(lambda: any(r.report and r.report.added and r is not rounds[0] for r in rounds))
    assert len(await desk.documents()) == 2


async def test_everything_is_looked_through_from_time_to_time(
    base: OpenBase, clock: FixedClock, folder: Path
) -> None:
    async with watched(Desk(base, clock), folder, every=0.3) as rounds:
        await until(lambda: len(rounds) >= 3)


async def test_changes_of_the_base_itself_and_of_hidden_files_start_no_round(folder: Path) -> None:
    own, stop, rounds = folder / "base.db", StopSignal(), list[None]()

    listening = anyio.Event()

    async def note() -> None:
        rounds.append(None)

    async def begin() -> None:
        listening.set()

    with anyio.fail_after(PATIENCE):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(FolderWatch([folder], stop, excluded=[str(own)]).run, note, begin)
            await listening.wait()
            own.write_text("rows")
            (folder / ".git").mkdir()
            (folder / ".git" / "index").write_text("objects")
            (folder / ".one.txt.swp").write_text("an editor's")
            await anyio.sleep(1.5)
            assert rounds == []
            (folder / ".gitignore").write_text("*.log")
            await until(lambda: len(rounds) == 1)
            stop.set()
