"""How far an import is, and what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from sourcebook.model.add_reports import Progress


@dataclass(slots=True)
class ImportProgress:
    """What was written of each table, and what was left out, by the reason."""

    total: int
    on_progress: Callable[[Progress], None] | None = None
    written: Counter[str] = field(default_factory=Counter[str])
    renewed: Counter[str] = field(default_factory=Counter[str])
    left_out: Counter[str] = field(default_factory=Counter[str])
    _staying: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    done: int = 0

    def stays(self, what: str, number: object) -> None:
        """A row was changed on both sides, and stays as it is here."""
        self._staying.setdefault(what, []).append(str(number))

    def all_left_out(self) -> dict[str, int]:
        staying = {
            f"{what} changed here and there, left as here: {', '.join(numbers)}": len(numbers)
            for what, numbers in self._staying.items()
        }
        return {**{why: number for why, number in self.left_out.items() if number}, **staying}

    def read(self, table: str, rows: int) -> None:
        """Count further rows of the old base as read, and report it."""
        self.done += rows
        if self.on_progress is not None:
            self.on_progress(Progress(min(self.done, self.total), self.total, table, stage="importing"))
