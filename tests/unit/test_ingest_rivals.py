"""Somebody else is faster: the same files are added, or taken away, while they are being embedded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unit.desk import COLLECTION, Desk

from sourcebook.model.add_reports import AddReport
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.assembly import OpenBase
    from sourcebook.ports.providers import TextRole
    from sourcebook.testing.fakes import FixedClock

pytestmark = pytest.mark.anyio


class Interrupted(FakeEmbedder):
    """While it embeds a text that holds certain words, something happens, as many times as it is told."""

    def __init__(self, happens: Callable[[], Awaitable[None]], times: int, words: str) -> None:
        super().__init__(dimensions=8)
        self.happens = happens
        self.times = times
        self.words = words

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        if self.times and any(self.words in text for text in texts):
            self.times -= 1
            await self.happens()
        return await super().embed(texts, role)


def slow(
    base: OpenBase, clock: FixedClock, happens: Callable[[], Awaitable[None]], times: int = 1, words: str = ""
) -> Desk:
    return Desk(base, clock, embedder=Interrupted(happens, times, words))


async def test_what_somebody_else_added_meanwhile_is_found_done(
    base: OpenBase, clock: FixedClock, tmp_path: Path
) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "one.txt").write_text("One.")

    async def rival() -> None:
        assert (await Desk(base, clock).add(folder)).added == 1

    desk = slow(base, clock, rival)
    assert await desk.add(folder) == AddReport(unchanged=1, failed=[])
    assert (await desk.only()).content == "One."
    await desk.require_sound()


async def test_a_file_that_changed_and_was_added_meanwhile_is_planned_anew(
    base: OpenBase, clock: FixedClock, tmp_path: Path
) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "one.txt").write_text("One.")
    (folder / "two.txt").write_text("Two.")

    async def rival() -> None:
        (folder / "one.txt").write_text("One again.")
        await Desk(base, clock).add(folder / "one.txt")

    desk = slow(base, clock, rival, words="One.")
    report = await desk.add(folder)
    assert (report.added, report.unchanged, report.failed) == (1, 1, [])
    assert {d.content for d in (await desk.documents()).values()} == {"One again.", "Two."}
    await desk.require_sound()


async def test_a_file_that_never_comes_to_rest_fails_in_the_end_and_the_others_do_not(
    base: OpenBase, clock: FixedClock, tmp_path: Path
) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "one.txt").write_text("Zero.")
    versions = iter(range(100))

    async def rival() -> None:
        other = Desk(base, clock)
        (folder / "one.txt").write_text(f"Version {next(versions)}.")
        await other.add(folder)
        (folder / "one.txt").write_text(f"Version {next(versions)}.")

    desk = slow(base, clock, rival, times=100)
    report = await desk.add(folder)
    assert [failed.code for failed in report.failed] == ["document_changed_meanwhile"]
    await desk.require_sound()


async def test_a_document_that_somebody_removed_meanwhile_is_not_moved(
    base: OpenBase, clock: FixedClock, tmp_path: Path
) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "one.txt").write_text("One.")
    desk = Desk(base, clock)
    await desk.add(folder)
    first = await desk.only()

    async def rival() -> None:
        await base.stores.writer.remove_document(COLLECTION, first.id)

    (folder / "one.txt").write_text("One again.")
    report = await slow(base, clock, rival).add(folder)
    assert (report.added, report.updated, report.failed) == (1, 0, [])
    assert (await desk.only()).content == "One again."
    await desk.require_sound()
