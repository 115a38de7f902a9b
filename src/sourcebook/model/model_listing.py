"""The models that can be used: those of the table, and those that are on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.retrieve.evaluation.evaluate import Evaluation


@dataclass(frozen=True, slots=True)
class ModelListing:
    """A model: what it is for and under which terms, and whether it is here. `installed_mb` is None if it is not.

    `kind` is `embedder`, `reranker`, `reader`, `judge` or `chat`. `commercial` is False where the licence excludes
    commercial use. `setting` and `value` are what to set to use it.
    """

    name: str
    kind: str
    languages: str = ""
    size_mb: int | None = None
    licence: str = ""
    commercial: bool = True
    dimensions: int | None = None
    tokens: int | None = None
    good_for: str = ""
    measured: str = ""
    source: str | None = None
    installed_mb: int | None = None
    revision: str | None = None
    missing: Sequence[str] = ()
    setting: str = ""
    value: str = ""

    @property
    def is_installed(self) -> bool:
        return self.installed_mb is not None

    def as_dict(self) -> dict[str, object]:
        """The shape in which `models list --json` prints it."""
        return {**asdict(self), "missing": list(self.missing), "installed": self.is_installed}


@dataclass(frozen=True, slots=True)
class ComparedModel:
    """How one model did on a sample of a base. Adding took `seconds`, and the sample's base takes `megabytes`."""

    model: str
    documents: int
    passages: int
    dimensions: int
    seconds: float
    megabytes: float
    evaluation: Evaluation
