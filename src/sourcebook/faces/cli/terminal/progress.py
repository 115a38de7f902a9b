"""Progress bars on stderr, if that is a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

from sourcebook.faces.cli.terminal.output import printable, stderr
from sourcebook.faces.cli.terminal.text_layout import Cut, shortened
from sourcebook.model.add_reports import ADDING, READING

if TYPE_CHECKING:
    from sourcebook.model.add_reports import Progress

_ENOUGH_SHARE = 0.01
_ENOUGH_SECONDS = 2.0
_WEIGHT_OF_NEW = 0.2
_HOUR = 60
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
        TextColumn("{task.fields[left]}"),
        TextColumn("{task.fields[path]}", markup=False),
    )
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None, files="", rate="", left="", path="")
        left = TimeLeft()
        started: dict[str, float] = {}
        told = time.monotonic()

        def follow(progress: Progress) -> None:
            nonlocal told, left
            # A file that is being read and one that was finished are one stage to whoever watches.
            stage = ADDING if progress.stage == READING else progress.stage
            if stage not in started:
                left = TimeLeft()
                # How fast the stage before went says nothing about this one, which began when that one ended.
                bar.reset(task)
            since = started.setdefault(stage, told)
            told = time.monotonic()
            share = progress.share or (progress.done / progress.total if progress.total else 0.0)
            bar.update(
                task,
                description=_STAGES.get(stage, ""),
                completed=share,
                total=1.0,
                files=f"{progress.done}/{progress.total}" if progress.total else "",
                rate=_rate(progress.passages, told - since),
                left=_clock(left.estimate(share, told - since)),
                path=shortened(printable(_place(progress)), console.width // 3, Cut.BEGINNING),
            )

        yield follow


class TimeLeft:
    """The time that is left, by what was done so far of all. It moves slowly: one that swings is worse than none."""

    def __init__(self) -> None:
        self._end: float | None = None

    def estimate(self, share: float, elapsed: float) -> float | None:
        """Seconds; None while too little is done to tell."""
        if share < _ENOUGH_SHARE or elapsed < _ENOUGH_SECONDS:
            return None
        end = elapsed / share
        self._end = end if self._end is None else self._end + _WEIGHT_OF_NEW * (end - self._end)
        return max(self._end - elapsed, 0.0)


def _clock(seconds: float | None) -> str:
    if seconds is None:
        return ""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= _HOUR else f"{minutes}:{rest:02}"


def _place(progress: Progress) -> str:
    return f"{progress.path}, page {progress.page} of {progress.pages}" if progress.pages else progress.path


def _rate(passages: int, seconds: float) -> str:
    return f"{passages / seconds:.0f} passages/s" if passages and seconds > 0 else ""
