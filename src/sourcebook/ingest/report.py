"""What an `add` did, and how far it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` files are finished, the last of them being `path`."""

    done: int
    total: int
    path: str


@dataclass(frozen=True, slots=True)
class FailedFile:
    """A file that could not be added, and why."""

    path: str
    code: str
    message: str

    def as_dict(self) -> dict[str, str]:
        return {"path": self.path, "code": self.code, "message": self.message}


@dataclass(frozen=True, slots=True)
class AddReport:
    """How many files were new, changed, the same as before, moved or gone, and which could not be read.

    A file with a new label counts as changed. Moves and removals are not noticed yet: `moved` and `removed` are 0,
    and a file that is gone or renamed can be found under its old path until its document is removed.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    moved: int = 0
    removed: int = 0
    failed: Sequence[FailedFile] = ()

    def as_dict(self) -> dict[str, int | list[dict[str, str]]]:
        """The shape in which every face shows a report to a program."""
        return {
            "added": self.added,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "moved": self.moved,
            "removed": self.removed,
            "failed": [file.as_dict() for file in self.failed],
        }
