"""Very many small files: how much memory `add` holds while it goes through them.

The embedder is a stand-in that costs next to nothing, so that what is seen is the memory and the time of all the rest.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Self, TypedDict

import anyio

from benchmarks.speed.meters import memory
from sourcebook import AsyncSourcebook
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    from sourcebook.model.add_reports import Progress

PER_FOLDER = 100
_WORDS = [f"word{number}" for number in range(3_000)]
_SENTENCES = 4
_TOLD_EVERY = 5_000


class ManyFacts(TypedDict):
    files: int
    first_s: float
    again_s: float
    mb_before: float
    mb_after: dict[str, float]
    """By the number of files done."""
    mb_at_most: float
    mb_at_most_again: float


def write_files(root: Path, count: int) -> None:
    for number in range(count):
        folder = root / f"{number // PER_FOLDER // PER_FOLDER:03}" / f"{number // PER_FOLDER % PER_FOLDER:03}"
        if number % PER_FOLDER == 0:
            folder.mkdir(parents=True, exist_ok=True)
        chance = random.Random(number)  # noqa: S311 - the same files every time
        lines = [" ".join(chance.choices(_WORDS, k=30)) + "." for _ in range(_SENTENCES)]
        (folder / f"{number}.md").write_text(f"# Note {number}\n\n" + "\n\n".join(lines) + "\n", "utf-8")


def measure(place: str, count: int) -> ManyFacts:
    """To be run in a process of its own."""
    return anyio.run(_measure, Path(place), count)


async def _measure(place: Path, count: int) -> ManyFacts:
    root = place / "many"
    write_files(root, count)
    seen: dict[str, float] = {}

    def tell(progress: Progress) -> None:
        if progress.stage == "adding" and progress.done % _TOLD_EVERY == 0:
            seen[str(progress.done)] = _mb(memory().rss)

    async with AsyncSourcebook(place / "base.db", embedder=FakeEmbedder(dimensions=64)) as book:
        before = memory().rss
        with Watch() as first:
            report = await book.add(root, on_progress=tell)
        if report.added != count or report.failed:
            raise AssertionError(f"{report.added} of {count} files were added, {len(report.failed)} failed")
        with Watch() as second:
            again = await book.add(root)
        if again.unchanged != count:
            raise AssertionError(f"{again.unchanged} of {count} files were seen to be unchanged")
    return {
        "files": count,
        "first_s": round(first.seconds, 1),
        "again_s": round(second.seconds, 1),
        "mb_before": _mb(before),
        "mb_after": seen,
        "mb_at_most": _mb(first.most),
        "mb_at_most_again": _mb(second.most),
    }


class Watch:
    """How long something takes, and the most memory that is held meanwhile."""

    def __init__(self) -> None:
        self.most = 0
        self.seconds = 0.0
        self._over = Event()
        self._thread = Thread(target=self._look, daemon=True)

    def __enter__(self) -> Self:
        self._began = time.perf_counter()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self._began
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(0.1):
            self.most = max(self.most, memory().rss)


def _mb(size: int) -> float:
    return round(size / 1e6, 1)
