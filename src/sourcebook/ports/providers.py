"""What computes: embedders now, rerankers and chat models as the verbs come to need them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sourcebook.model.documents import EmbeddingModel
    from sourcebook.model.search import SearchResult


class TextRole(StrEnum):
    """Some models embed a question differently from the text that answers it."""

    QUESTION = "question"
    PASSAGE = "passage"


class Embedder(Protocol):
    """Turns texts into vectors of one size."""

    @property
    def model(self) -> EmbeddingModel:
        """What the vectors are made by. A collection is searched with vectors of its own model only."""
        ...

    async def embed(self, texts: Sequence[str], role: TextRole) -> NDArray[np.float32]:
        """One row for each text, in their order, of finite numbers."""
        ...


@runtime_checkable
class ModelDiscovery(Protocol):
    """An embedder whose server may have to be asked, once, what its model is."""

    async def discover(self) -> EmbeddingModel:
        """The model. From now on it is known without asking."""
        ...


async def known_model(embedder: Embedder) -> EmbeddingModel:
    """The model of any embedder, even of one that has to ask for it."""
    return await embedder.discover() if isinstance(embedder, ModelDiscovery) else embedder.model


@runtime_checkable
class Closing(Protocol):
    """Something that holds connections, which end with `close`."""

    async def close(self) -> None: ...


@runtime_checkable
class LoadsAhead(Protocol):
    """A model on this machine that takes a while to be ready."""

    async def load_ahead(self) -> None:
        """Make it ready before it is needed. What goes wrong is told by whoever uses it."""
        ...


class EmbeddingCache(Protocol):
    """Remembers vectors by a key that names their model and their text. It may forget; it never makes anything up."""

    async def get(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """Those of the vectors that are remembered."""
        ...

    async def put(self, vectors: Mapping[bytes, NDArray[np.float32]]) -> None: ...

    async def close(self) -> None: ...


class Reranker(Protocol):
    """Reads a question and the best results of a search together, and reorders them."""

    async def rerank(self, query: str, results: Sequence[SearchResult], top_k: int) -> list[SearchResult]:
        """The best `top_k` of the results, best first. Their chunks are whole, never outlines.

        `score` becomes what the list is sorted by; the breakdown keeps what the arms said and gains `rerank_score`.
        Results that were not judged keep their old order, behind those that were, and no `rerank_score`.
        """
        ...


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """The span of a passage that answers best, and how much surer it is than that there is no answer.

    Above zero the reader takes it for an answer.
    """

    start: int
    end: int
    certainty: float


class Reader(Protocol):
    """Marks the words of passages that answer a question."""

    async def read(self, question: str, passages: Sequence[str]) -> list[ReadAnswer]:
        """One for each passage, in their order."""
        ...


@dataclass(frozen=True, slots=True)
class Entailment:
    """How likely a source says what a sentence says, and how likely it says the contrary; what is left is neither."""

    entails: float
    contradicts: float


class EntailmentJudge(Protocol):
    """Compares sources with sentences by what they mean."""

    async def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        """One for each pair of source and sentence, in their order."""
        ...
