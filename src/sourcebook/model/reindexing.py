"""Reindexing a collection: its plan, progress and report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.model.documents import EmbeddingModel

_BYTES_OF_A_TOKEN = 4
"""Of text, on average, for the models in common use: about four letters of English, or two of Russian."""


class ReindexWay(StrEnum):
    """CHANGE builds a second set of vectors and switches to it. REBUILD rebuilds words and vectors with the same model.
    WORDS does so for words alone: on demand, or because the model is not at hand. NOTHING: the model is in use already.
    """

    CHANGE = "change"
    REBUILD = "rebuild"
    WORDS = "words"
    NOTHING = "nothing"


class ReindexScope(StrEnum):
    """Rebuilding words is quick; vectors may take long and cost money."""

    EVERYTHING = "everything"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class EmbeddingNeed:
    """How many vectors to make, and from how many bytes of text."""

    vectors: int = 0
    text_bytes: int = 0

    @property
    def model_tokens(self) -> int:
        """About how many model tokens will be sent, which is what a paid server charges for."""
        return -(-self.text_bytes // _BYTES_OF_A_TOKEN)


@dataclass(frozen=True, slots=True)
class ReindexPlan:
    """What will be done to one collection. `seconds` is an estimate, if one could be made."""

    collection_id: str
    way: ReindexWay
    old: EmbeddingModel
    new: EmbeddingModel
    need: EmbeddingNeed
    is_paid: bool = False
    seconds: float | None = None

    def as_dict(self) -> dict[str, object]:
        """The shape in which `reindex --dry-run --json` prints it."""
        return {
            "collection": self.collection_id,
            "way": self.way.value,
            "old_model": self.old.name,
            "new_model": self.new.name,
            "vectors": self.need.vectors,
            "model_tokens": self.need.model_tokens if self.is_paid else None,
            "seconds": None if self.seconds is None else round(self.seconds, 4),
        }


@dataclass(frozen=True, slots=True)
class ReindexProgress:
    """`done` of `total` steps of this stage are finished: texts at the stage `words`, vectors at `vectors`."""

    collection_id: str
    stage: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class ReindexedCollection:
    """What was done to one collection: how many vectors were made in this run, and how many texts recounted."""

    collection_id: str
    way: ReindexWay
    model: str
    vectors: int = 0
    texts: int = 0

    def as_dict(self) -> dict[str, object]:
        return {
            "collection": self.collection_id,
            "way": self.way.value,
            "model": self.model,
            "vectors": self.vectors,
            "texts": self.texts,
        }


@dataclass(frozen=True, slots=True)
class ReindexReport:
    """What a reindex did, collection by collection."""

    collections: Sequence[ReindexedCollection] = ()

    def as_dict(self) -> dict[str, object]:
        """The shape in which `reindex --json` prints it."""
        return {"collections": [collection.as_dict() for collection in self.collections]}
