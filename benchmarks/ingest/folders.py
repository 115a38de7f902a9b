"""Real folders: `add` beside the embedder alone on the same texts, and what a second `add` does."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from benchmarks.speed.meters import Spent, now
from sourcebook import AsyncSourcebook
from sourcebook.ports.providers import TextRole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.model.add_reports import AddReport
    from sourcebook.model.documents import EmbeddingModel
    from sourcebook.ports.providers import Embedder


class Again(TypedDict):
    """What one more `add` did: its time, how many texts it embedded, and what it reported."""

    wall_s: float
    embedded: int
    report: dict[str, int]


class Round(NamedTuple):
    """`add`, and right after it the embedder alone on the same texts."""

    add: Spent
    alone: Spent


class FolderFacts(TypedDict):
    """The times are the means of all rounds, the ratios the medians, with those of each round behind them."""

    files: int
    texts: int
    alone: dict[str, float]
    add: dict[str, float]
    ratio_wall: float
    ratio_cpu: float
    ratios_wall: list[float]
    ratios_cpu: list[float]
    failed: list[dict[str, str]]
    unchanged: Again
    touched: Again
    renamed: Again
    edited: Again | None
    """None if the folder has no page that a sentence could be added to."""


@dataclass
class Listening:
    """An embedder that remembers what it was given."""

    embedder: Embedder
    texts: list[str] = field(default_factory=list[str])

    @property
    def model(self) -> EmbeddingModel:
        return self.embedder.model

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        self.texts.extend(texts)
        return await self.embedder.embed(texts, role)


async def measure(folder: Path, place: Path, embedder: Embedder, rounds: int = 1) -> FolderFacts:
    """The folder is copied first, since some of its files are touched, renamed and edited."""
    copy = place / "folder"
    shutil.copytree(folder, copy)
    earlier = [await _round(copy, place / f"base-{number}.db", embedder) for number in range(1, rounds)]
    listening = Listening(embedder)
    async with AsyncSourcebook(place / "base.db", embedder=listening) as book:
        began = now()
        first = await book.add(copy)
        added = now() - began
        texts = list(listening.texts)
        unchanged = await _again(book, copy, listening)
        some = sorted(path for path in copy.rglob("*") if path.is_file())
        for path in some:
            os.utime(path)
        touched = await _again(book, copy, listening)
        victim = next((path for path in some if path.suffix in (".md", ".html")), some[0])
        moved = victim.rename(victim.with_name(f"renamed-{victim.name}"))
        renamed = await _again(book, copy, listening)
        edited = None
        if moved.suffix in (".md", ".html"):
            moved.write_text(moved.read_text("utf-8") + "\n\nOne more sentence stands here.\n", "utf-8")
            edited = await _again(book, copy, listening)
    alone = await _alone(embedder, texts)
    pairs = [*earlier, Round(added, alone)]
    wall = [round(one.add.wall / one.alone.wall, 3) for one in pairs]
    cpu = [round(one.add.cpu / one.alone.cpu, 3) for one in pairs]
    return {
        "files": len(some),
        "texts": len(texts),
        "alone": _mean_seconds([one.alone for one in pairs]),
        "add": _mean_seconds([one.add for one in pairs]),
        "ratio_wall": round(median(wall), 3),
        "ratio_cpu": round(median(cpu), 3),
        "ratios_wall": wall,
        "ratios_cpu": cpu,
        "failed": [failed.as_dict() for failed in first.failed],
        "unchanged": unchanged,
        "touched": touched,
        "renamed": renamed,
        "edited": edited,
    }


async def _round(folder: Path, base: Path, embedder: Embedder) -> Round:
    listening = Listening(embedder)
    async with AsyncSourcebook(base, embedder=listening) as book:
        began = now()
        await book.add(folder)
        added = now() - began
    return Round(added, await _alone(embedder, listening.texts))


async def _alone(embedder: Embedder, texts: Sequence[str]) -> Spent:
    """The texts in the order in which they came, all in one call: what the embedder takes with nothing beside it."""
    began = now()
    await embedder.embed(texts, TextRole.PASSAGE)
    return now() - began


async def _again(book: AsyncSourcebook, folder: Path, listening: Listening) -> Again:
    embedded = len(listening.texts)
    began = time.perf_counter()
    report = await book.add(folder)
    took = time.perf_counter() - began
    return {
        "wall_s": round(took, 3),
        "embedded": len(listening.texts) - embedded,
        "report": _counts(report),
    }


def _counts(report: AddReport) -> dict[str, int]:
    named = ("added", "updated", "unchanged", "moved", "removed")
    return {name: getattr(report, name) for name in named} | {"failed": len(report.failed)}


def _mean_seconds(spent: Sequence[Spent]) -> dict[str, float]:
    wall, cpu = fmean(one.wall for one in spent), fmean(one.cpu for one in spent)
    return {"wall_s": round(wall, 2), "cpu_s": round(cpu, 2)}
