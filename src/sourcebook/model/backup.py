"""What a backup or a restore did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum


class OnExisting(StrEnum):
    """What to do when there is something already where something is to be written."""

    REFUSE = "refuse"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A backup that was written and verified: where it is, how large, and what it holds.

    `digest` is one number for every row of the base; a base that was restored from the backup has the same.
    """

    path: str
    size: int
    digest: str
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    stored_files: int = 0

    def as_dict(self) -> dict[str, object]:
        """The shape in which every face shows a report to a program."""
        return {**asdict(self), "counts": dict(self.counts)}


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """A base that was restored, and the name under which the one that was there before is kept, if there was one."""

    base: str
    digest: str
    former: str | None = None
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    stored_files: int = 0

    def as_dict(self) -> dict[str, object]:
        """The shape in which every face shows a report to a program."""
        return {**asdict(self), "counts": dict(self.counts)}
