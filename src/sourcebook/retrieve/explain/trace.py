"""What a search notes: times, warnings and the rankings of every stage."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from sourcebook.model.explanation import StageTime
from sourcebook.model.search import SearchWarning, WarningCode

if TYPE_CHECKING:
    from sourcebook.model.asked_collection import WordCounts
    from sourcebook.model.explanation import Demotion
    from sourcebook.model.search import MetadataFilter, SearchResult
    from sourcebook.retrieve.fusion import FusionRule

Key: TypeAlias = tuple[str, str]
"""The id of a chunk's collection, and its own."""


def key_of(result: SearchResult) -> Key:
    return result.collection_id, result.chunk.id


@dataclass(frozen=True, slots=True)
class Searched:
    """What the arms found in one collection. None for an arm that did not or could not search."""

    collection_id: str
    filter: MetadataFilter | None
    count: int
    semantic: Sequence[SearchResult] | None
    keyword: Sequence[SearchResult] | None
    fused: Sequence[SearchResult]
    rule: FusionRule | None = None
    model: str | None = None
    is_general: bool = False
    counts: WordCounts | None = None


@dataclass(slots=True)
class Trace:
    timer: Callable[[], float] = time.perf_counter
    warnings: list[SearchWarning] = field(default_factory=list[SearchWarning])
    stages: list[StageTime] = field(default_factory=list[StageTime])
    searched: list[Searched] = field(default_factory=list[Searched])
    demotions: list[Demotion] = field(default_factory=list["Demotion"])
    before_rerank: dict[Key, int] = field(default_factory=dict[Key, int])
    started: float = 0.0

    def __post_init__(self) -> None:
        self.started = self.timer()

    @contextmanager
    def stage(self, name: str, collection_id: str | None = None) -> Generator[None]:
        began = self.timer()
        yield
        self.stages.append(StageTime(name, 1000 * (self.timer() - began), collection_id))

    def warn(self, code: WarningCode, message: str, collection_id: str | None = None) -> None:
        warning = SearchWarning(code, message, collection_id)
        if warning not in self.warnings:
            self.warnings.append(warning)

    def milliseconds(self) -> float:
        return 1000 * (self.timer() - self.started)
