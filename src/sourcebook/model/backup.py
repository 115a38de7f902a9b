"""What a backup or a restore did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum


class OnExisting(StrEnum):
    """What to do if the target already exists."""

    REFUSE = "refuse"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A backup that was written and verified: its path, size and contents.

    `digest` is one number for every row of the base; a base that was restored from the backup has the same.
    """

    path: str
    size: int
    digest: str
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    stored_files: int = 0

    def as_dict(self) -> dict[str, object]:
        """The report as JSON, the same on every face."""
        return {**asdict(self), "counts": dict(self.counts)}


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """A restored base, and where the old base is kept, if there was one."""

    base: str
    digest: str
    former: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    stored_files: int = 0

    def as_dict(self) -> dict[str, object]:
        """The report as JSON, the same on every face."""
        return {**asdict(self), "counts": dict(self.counts)}
