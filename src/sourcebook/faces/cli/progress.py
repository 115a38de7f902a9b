"""Progress bars on stderr, if that is a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from sourcebook.faces.cli.output import printable, stderr
from sourcebook.faces.cli.text_layout import Cut, shortened

if TYPE_CHECKING:
    from sourcebook.model.adding import Progress

_STAGES = {
    "looking": "looking through",
    "adding": "",
    "indexing": "indexing",
    "copying": "copying",
    "comparing": "comparing",
}


@contextmanager
def progress_bar() -> Generator[Callable[[Progress], None] | None]:
    """A progress bar with the number of files, passages per second, and the time left."""
    console = stderr()
    if not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=max(10, min(40, console.width // 5))),
        TextColumn("{task.fields[files]}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[path]}", markup=False),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, files="", rate="", path="")
        started: dict[str, float] = {}
        told = time.monotonic()

        def follow(progress: Progress) -> None:
            nonlocal told
            if progress.stage not in started:
                # How fast the stage before went says nothing about this one, which began when that one ended.
                bar.reset(task)
            since = started.setdefault(progress.stage, told)
            told = time.monotonic()
            share = progress.share or (progress.done / progress.total if progress.total else 0.0)
            bar.update(
                task,
                description=_STAGES.get(progress.stage, ""),
                completed=share,
                total=1.0,
                files=f"{progress.done}/{progress.total}" if progress.total else "",
                rate=_rate(progress.passages, told - since),
                path=shortened(printable(progress.path), console.width // 3, Cut.BEGINNING),
            )

        yield follow


def _rate(passages: int, seconds: float) -> str:
    return f"{passages / seconds:.0f} passages/s" if passages and seconds > 0 else ""
