"""Processes that add the same folder to one base, with an embedder that takes its time and counts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from sourcebook import AsyncSourcebook
from sourcebook.settings import Settings
from sourcebook.testing.fakes import FakeEmbedder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tests.faults.processes import Line

    from sourcebook.ports.providers import TextRole


class SlowEmbedder(FakeEmbedder):
    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        await anyio.sleep(0.003 * len(texts))
        return await super().embed(texts, role)


def filled(folder: Path, files: int) -> Path:
    folder.mkdir()
    for number in range(files):
        words = " ".join(f"word{number}x{n}" for n in range(40))
        (folder / f"{number:03}.md").write_text(f"# Note {number}\n\n{words}.\n", "utf-8")
    return folder


def add(line: Line, db: str, folder: Path) -> None:
    """Add the folder, and say how many texts were embedded for that and what the report counts."""

    async def work() -> None:
        embedder = SlowEmbedder()
        settings = Settings(db=db, embedder="none", embedding_cache="none")
        async with AsyncSourcebook(settings=settings, embedder=embedder) as book:
            line.send("ready")
            line.recv()
            report = await book.add(folder)
        line.send((embedder.embedded, report.added, report.unchanged, len(report.failed)))

    anyio.run(work)


def wait_for_documents(db: str, count: int, seconds: float = 30.0) -> None:
    """Until the base holds so many."""

    async def look() -> None:
        deadline = time.monotonic() + seconds
        async with AsyncSourcebook(
            settings=Settings(db=db, embedder="none"), embedder=FakeEmbedder()
        ) as book:
            while time.monotonic() < deadline:
                if await book.collections() and len(await book.documents()) >= count:
                    return
                await anyio.sleep(0.02)
        raise AssertionError(f"there were never {count} documents")

    anyio.run(look)
