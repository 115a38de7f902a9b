"""The request of an `add`: what to add, and how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from sourcebook.errors import UsageError
from sourcebook.ports.choices import chosen

if TYPE_CHECKING:
    import os

    from sourcebook.ingest.stop_signal import StopSignal
    from sourcebook.model.add_reports import Progress
    from sourcebook.model.sources import DocumentState

DEEPEST = 20
"""Links away from a page. No reader goes further."""

OnProgress: TypeAlias = "Callable[[Progress], None]"

PARSERS_VERSION = "2"
"""Raised when the parsers learn to read files that they could not read: those are then tried again."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What documents are about. None says nothing; an empty text says that they have no such label."""

    category: str | None = None
    subcategory: str | None = None

    def over(self, below: Labels) -> Labels:
        """These labels, and those below where these say nothing."""
        return Labels(
            below.category if self.category is None else self.category,
            below.subcategory if self.subcategory is None else self.subcategory,
        )

    def without_those_of(self, other: Labels) -> Labels:
        return Labels(
            None if other.category is not None else self.category,
            None if other.subcategory is not None else self.subcategory,
        )


NO_LABELS = Labels()


class OnRemoval(StrEnum):
    """What to do when most of a folder's files are gone."""

    REFUSE = "refuse"
    ALLOW = "allow"


class OnFailed(StrEnum):
    """What to do with files that failed before and have not changed."""

    LEAVE = "leave"
    RETRY = "retry"


class OnArchives(StrEnum):
    """What to do with archives (ZIP, TAR)."""

    LEAVE = "leave"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class AddRequest:
    """What somebody asks for. Among the paths may be addresses of pages.

    `depth` is how many links away from them pages are added too, `uses_map` adds those that the map of their site
    lists, and `allowed_hosts` may have private addresses.
    """

    paths: Sequence[str | os.PathLike[str]]
    collection_id: str
    labels: Labels = NO_LABELS
    on_removal: OnRemoval = OnRemoval.REFUSE
    on_failed: OnFailed = OnFailed.LEAVE
    on_progress: OnProgress | None = None
    stop: StopSignal | None = None
    on_archives: OnArchives = OnArchives.LEAVE
    depth: int = 0
    uses_map: bool = False
    allowed_hosts: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Plain text is understood too, and text that means nothing is refused: removing must not hang on a slip."""
        object.__setattr__(self, "on_removal", chosen("on_removal", OnRemoval, self.on_removal))
        object.__setattr__(self, "on_failed", chosen("on_failed", OnFailed, self.on_failed))
        object.__setattr__(self, "on_archives", chosen("on_archives", OnArchives, self.on_archives))
        if not 0 <= self.depth <= DEEPEST:
            raise UsageError(f"`depth` is between 0 and {DEEPEST}.")

    def is_stopped(self) -> bool:
        return self.stop is not None and self.stop.is_set()

    def retries(self, state: DocumentState) -> bool:
        older = state.refused is not None and state.refused.parsers != PARSERS_VERSION
        return older or self.on_failed is OnFailed.RETRY
