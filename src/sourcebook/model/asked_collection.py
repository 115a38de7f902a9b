"""What a question has to know of the collections that it is asked of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.model.documents import Collection, Document, JsonValue


@dataclass(frozen=True, slots=True)
class AskedCollection:
    """A collection as it was when a question began."""

    collection: Collection
    languages: Sequence[str] = ()
    """Those of its documents; '' stands for documents whose language is unknown."""
    settings: Mapping[str, JsonValue] = field(default_factory=dict[str, "JsonValue"])
    """What was chosen for this collection alone, such as calibrated thresholds."""
    has_curated: bool = True
    """Whether any approved answer belongs to it."""
    has_rejected: bool = True
    """Whether an expert rejected any answer from its documents."""


@dataclass(frozen=True, slots=True)
class CitableDocuments:
    """The documents that passages stand in, and the passages that must not be cited.

    A passage is damaged when its text, or its document's, is not what was written.
    """

    documents: Mapping[str, Document]
    damaged: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class WordCounts:
    """How many passages of a collection hold each word of a question, and how many passages it has."""

    passages: Mapping[str, int]
    rows: int
