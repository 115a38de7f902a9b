"""How far an import is, and what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from sourcebook.model.adding import Progress


@dataclass(slots=True)
class ImportProgress:
    """What was written of each table, and what was left out, by the reason."""

    total: int
    on_progress: Callable[[Progress], None] | None = None
    written: Counter[str] = field(default_factory=Counter[str])
    left_out: Counter[str] = field(default_factory=Counter[str])
    done: int = 0

    def read(self, table: str, rows: int) -> None:
        """So many rows of the old base are dealt with."""
        self.done += rows
        if self.on_progress is not None:
            self.on_progress(Progress(min(self.done, self.total), self.total, table, stage="importing"))
