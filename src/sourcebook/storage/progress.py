"""Long work in a thread of its own: how far it is, and whether it is still wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from anyio import from_thread

from sourcebook.model.add_reports import Progress

OnProgress: TypeAlias = Callable[[Progress], None]


class StagedProgress:
    """Work in stages, each of which has its share of a hundred.

    It lives in a worker thread: whoever listens is called in the event loop, and when the work was cancelled there, the
    next word about its progress ends it here.
    """

    def __init__(self, shares: Mapping[str, int], on_progress: OnProgress | None = None) -> None:
        self._shares = shares
        self._on_progress = on_progress
        self._shown: tuple[str, int] | None = None

    def at(self, stage: str, done: int, total: int) -> None:
        """Report how much of the stage is done."""
        from_thread.check_cancelled()
        names = list(self._shares)
        before = sum(self._shares[name] for name in names[: names.index(stage)])
        percent = before + int(self._shares[stage] * done / max(total, done, 1))
        if self._on_progress is None or (stage, percent) == self._shown:
            return
        self._shown = (stage, percent)
        from_thread.run_sync(
            self._on_progress, Progress(percent, sum(self._shares.values()), stage, stage="keeping")
        )

    def counting(self, stage: str, total: int) -> Callable[[int], None]:
        """What to tell how many more of the stage's things are done."""
        done = 0

        def advance(more: int) -> None:
            nonlocal done
            done += more
            self.at(stage, done, total)

        return advance
