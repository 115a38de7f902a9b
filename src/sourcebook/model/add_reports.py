"""What `add` did or would do, and its progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sourcebook.errors import SourcebookError
    from sourcebook.model.documents import JsonValue, Metadata, Vector


READING, ADDING = "reading", "adding"
"""Stages of an `add` at which a file is being read, and at which it is finished."""


@dataclass(frozen=True, slots=True)
class NewText:
    """A text that is not in a file, for `add_texts`.

    Without an id it is known by what it says; without a language, that is looked for. `vector` is for callers who have
    computed it with the collection's own model, or whose collection holds vectors of their own: the text is then one
    passage, however long it is.
    """

    text: str
    id: str | None = None
    title: str | None = None
    metadata: Metadata = field(default_factory=dict[str, "JsonValue"])
    vector: Vector | None = field(default=None, compare=False)
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` files are finished.

    At the stage `looking` the files are compared with the base. At the stage `adding` the file at `path` was just
    finished: `share` of the work is done, measured in bytes that were embedded, and `passages` were written so far. At
    the stage `reading` the file at `path` is being read and embedded; of a long one, `page` of its `pages` was read
    last.
    """

    done: int
    total: int
    path: str
    share: float = 0.0
    passages: int = 0
    stage: str = ADDING
    page: int = 0
    pages: int = 0


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
    """How many files were added, updated, unchanged, moved or removed, and which failed.

    A file with a new label counts as changed. `duplicates` are new files whose bytes a document holds already, which
    now has one more path. `needs_ocr` are those among the failed that hold pictures of pages; `still_failed` are files
    that could not be read before either and did not change, so that nobody tried again: they are not counted as
    unchanged. `skipped` counts files that
    are left alone, by the reason. `interrupted`: it was stopped before everything was done.
    """

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    moved: int = 0
    removed: int = 0
    failed: Sequence[FailedFile] = ()
    duplicates: int = 0
    still_failed: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    interrupted: bool = False
    stale: int = 0
    """Approved answers that lost support by this, and are back in the review queue."""
    answered: int = 0
    """Times that a question was asked which waited for an expert and which the documents answer now."""

    @property
    def needs_ocr(self) -> int:
        """How many files hold pictures of pages and no text."""
        return sum(file.code == "needs_ocr" for file in self.failed)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON, the same on every face."""
        return {
            "added": self.added,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "moved": self.moved,
            "removed": self.removed,
            "failed": [file.as_dict() for file in self.failed],
            "duplicates": self.duplicates,
            "needs_ocr": self.needs_ocr,
            "still_failed": self.still_failed,
            "skipped": dict(self.skipped),
            **({"interrupted": True} if self.interrupted else {}),
            **({"stale": self.stale} if self.stale else {}),
            **({"answered": self.answered} if self.answered else {}),
        }


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """What would be done with a file: add, update, move, duplicate or remove. A moved file also has its old path."""

    action: str
    path: str
    moved_from: str | None = None

    def as_dict(self) -> dict[str, str]:
        shown = {"action": self.action, "path": self.path}
        return shown if self.moved_from is None else {**shown, "from": self.moved_from}


@dataclass(frozen=True, slots=True)
class AddPlan:
    """What `add` would do now: the steps in order, and the counts of its report.

    `refused` says why nothing would be done without leave to remove.
    """

    steps: Sequence[PlannedStep]
    report: AddReport
    refused: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """The shape in which `add --dry-run --json` prints it."""
        shown = self.report.as_dict() | {"plan": [step.as_dict() for step in self.steps]}
        return shown | {"refused": self.refused}


@dataclass(frozen=True, slots=True)
class WatchRound:
    """One round of a watch: its report, or the error that stopped it."""

    report: AddReport | None = None
    error: SourcebookError | None = None
