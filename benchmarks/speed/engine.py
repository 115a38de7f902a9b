"""The socket that every measured engine fits into, and the nouns that pass through it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Equal:
    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Range:
    """Both ends are included."""

    field: str
    low: int
    high: int


Condition: TypeAlias = Equal | Range
Where: TypeAlias = tuple[Condition, ...]
"""All of the conditions hold; of none, everything does."""


@dataclass(frozen=True, slots=True)
class Question:
    """What an engine is asked. A word engine reads the text, a vector engine the vector, a hybrid one both."""

    text: str = ""
    vector: NDArray[np.float32] | None = None
    where: Where = ()

    @property
    def point(self) -> NDArray[np.float32]:
        if self.vector is None:
            raise ValueError("this question has no vector")
        return self.vector


@dataclass(frozen=True, slots=True)
class VectorBlock:
    """Vectors with consecutive numbers, and their metadata by column."""

    first: int
    vectors: NDArray[np.float32]
    tags: Sequence[str]
    years: Sequence[int]
    langs: Sequence[str]

    @property
    def numbers(self) -> range:
        return range(self.first, self.first + len(self.vectors))


@dataclass(frozen=True, slots=True)
class Passage:
    """A numbered text; in a hybrid base with a vector of its own and those of its children."""

    number: int
    text: str
    vector: NDArray[np.float32] | None = None
    children: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class DocumentBlock:
    number: int
    title: str
    language: str | None
    passages: Sequence[Passage]


Block_contra = TypeVar("Block_contra", contravariant=True)


class Engine(Protocol[Block_contra]):
    """One engine in one configuration. Its libraries are imported when it is made, never before."""

    async def build(self, folder: Path, blocks: Iterable[Block_contra]) -> None:
        """Write everything into the empty folder, durably, with every index that searching uses; then close."""
        ...

    async def open(self, folder: Path) -> None: ...

    async def search(self, question: Question, k: int) -> Sequence[int]:
        """The numbers of the best `k`, best first. The engine is asked for their scores and metadata as well."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """How an engine is made in its own process. `shares` names an earlier spec whose base it searches otherwise."""

    name: str
    family: str
    factory: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    shares: str | None = None

    def make(self) -> Engine[Any]:
        module, _, name = self.factory.partition(":")
        return getattr(import_module(f"benchmarks.speed.engines.{module}"), name)(**self.options)
