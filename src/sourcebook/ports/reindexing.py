"""What a base offers for rebuilding its vectors and words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.model.documents import Collection, EmbeddingModel
    from sourcebook.model.reindexing import EmbeddingNeed

Place: TypeAlias = tuple[str, str]
"""A document and a chunk in it. Work goes on in the order of the two."""
START: Place = ("", "")


@dataclass(frozen=True, slots=True)
class TextToEmbed:
    """A chunk as it was read. `revision` shows whether its document has changed since."""

    place: Place
    content: str
    leans_to: str | None
    revision: int | None


@dataclass(frozen=True, slots=True)
class CuratedToEmbed:
    """A curated answer as it was read."""

    id: int
    question: str | None
    answer: str
    revision: int


@dataclass(frozen=True, slots=True)
class WordingToEmbed:
    """Another wording of a curated question. Its words never change."""

    id: int
    question: str


class Reindexing(Protocol):
    """A second set of vectors beside the current one, or the current set rebuilt.

    Every call is a transaction of its own, so that the work can stop after each and go on later. Whatever changes
    meanwhile is noticed: a vector is only written for the text that it was made of.
    """

    async def begin(self, collection_id: str, model: EmbeddingModel) -> Collection:
        """Prepare a set of vectors of this model, and remove what is left of others that are not in use.

        The collection, as its vectors of that model will be compared.
        """
        ...

    async def need(
        self, collection_id: str, model: EmbeddingModel | None, after: Place = START
    ) -> EmbeddingNeed:
        """What is still to be embedded for a complete set of this model; None: everything behind a place."""
        ...

    async def lacking(
        self, collection_id: str, model: EmbeddingModel, after: Place, limit: int
    ) -> list[TextToEmbed]:
        """The next chunks that have no vector of this model."""
        ...

    async def everything(self, collection_id: str, after: Place, limit: int) -> list[TextToEmbed]:
        """The next chunks, whatever vectors they have."""
        ...

    async def put(
        self,
        collection_id: str,
        model: EmbeddingModel,
        texts: Sequence[TextToEmbed],
        vectors: NDArray[np.float32],
    ) -> int:
        """Write the vectors of those of the texts that are still what they were. How many."""
        ...

    async def lacking_curated(
        self, collection_id: str, model: EmbeddingModel, after: int, limit: int
    ) -> list[CuratedToEmbed]:
        """The next curated answers that have no vector of this model."""
        ...

    async def every_curated(self, collection_id: str, after: int, limit: int) -> list[CuratedToEmbed]: ...

    async def put_curated(
        self,
        collection_id: str,
        model: EmbeddingModel,
        entries: Sequence[CuratedToEmbed],
        vectors: NDArray[np.float32],
    ) -> int: ...

    async def lacking_wordings(
        self, collection_id: str, model: EmbeddingModel, after: int, limit: int
    ) -> list[WordingToEmbed]:
        """The next wordings of curated questions that have no vector of this model."""
        ...

    async def every_wording(self, collection_id: str, after: int, limit: int) -> list[WordingToEmbed]: ...

    async def put_wordings(
        self,
        collection_id: str,
        model: EmbeddingModel,
        wordings: Sequence[WordingToEmbed],
        vectors: NDArray[np.float32],
    ) -> int: ...

    async def switch(self, collection_id: str, model: EmbeddingModel) -> bool:
        """Make the set of this model the one in use, at one moment. False: something still lacks a vector."""
        ...

    async def remove_unused(self, collection_id: str) -> None:
        """Remove every set of vectors but the one in use."""
        ...

    async def rebuild_words(self, collection_id: str, on_progress: Callable[[int, int], None] | None) -> int:
        """Recount the words of all texts in one transaction, with this version's analyser. Returns how many texts."""
        ...

    async def note_analyser(self) -> None:
        """Record that all words of the base are those of the analyser of this program."""
        ...

    async def mark(self, collection_id: str) -> Place:
        """How far a rebuild came that did not end."""
        ...

    async def put_mark(self, collection_id: str, place: Place | None) -> None:
        """Remember how far a rebuild came, or that it ended."""
        ...
