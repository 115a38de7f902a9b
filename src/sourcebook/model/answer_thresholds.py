"""When a question is answered and when two are the same: thresholds for embedding models, and calibrated ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.model.documents import JsonValue

NEAR_IN_MEANING = 0.2
"""From which cosine on a result is near in meaning to a search.

With the built-in model, a search for nonsense reaches 0.1. Other models score everything higher, so with them a search
is rarely said to match badly.
"""


@dataclass(frozen=True, slots=True)
class AcceptanceFacts:
    """When a question is answered: the weighted sum of what speaks for it reaches `needed`.

    From `sure_similarity` on the nearest vector alone is enough.
    """

    needed: float = -0.35
    sure_similarity: float = 0.75


@dataclass(frozen=True, slots=True)
class CurationFacts:
    """How far apart, by 1 − cosine, two questions may be that are the same, and that are offered as similar.

    Near is not enough to be the same: `consult/question/same_question.py` compares the words, and decides.
    """

    distance: float = 0.6
    similar: float = 0.3


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """The thresholds for a model's vectors. Their weight in search is in `retrieve/fusion_weights.py`."""

    acceptance: AcceptanceFacts = AcceptanceFacts()
    curation: CurationFacts = CurationFacts()


_MEASURED: Mapping[str, ModelFacts] = {}
"""Models that need other thresholds than most; so far none was found."""


def facts_of(model_name: str) -> ModelFacts:
    """The facts of the model with this name."""
    return _MEASURED.get(model_name, ModelFacts())


JUDGE = 6
"""Which judge a calibrated score belongs to. The first weighed passages one by one, the others knew fewer numbers."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """A collection's calibrated thresholds, and the model they are for. None means the model's default.

    `needed` is a score of this judge: what was calibrated for another one says nothing.
    """

    model: str
    needed: float | None = None
    distance: float | None = None

    def as_settings(self) -> dict[str, JsonValue]:
        """The thresholds as they are stored with a collection."""
        return {"model": self.model, "needed": self.needed, "distance": self.distance, "judge": JUDGE}


def thresholds_from(settings: Mapping[str, JsonValue]) -> Thresholds | None:
    """The thresholds in a collection's settings, or None if there are no valid ones."""
    stored = settings.get("thresholds")
    if not isinstance(stored, dict) or not isinstance(model := stored.get("model"), str):
        return None
    needed = stored.get("needed") if stored.get("judge") == JUDGE else None
    return Thresholds(model, _number(needed), _number(stored.get("distance")))


def _number(value: JsonValue) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def facts_for(model_name: str, settings: Mapping[str, JsonValue]) -> ModelFacts:
    """The facts of a model in one collection. Thresholds calibrated for another model are ignored."""
    facts, own = facts_of(model_name), thresholds_from(settings)
    if own is None or own.model != model_name:
        return facts
    if own.needed is not None:
        facts = replace(facts, acceptance=replace(facts.acceptance, needed=own.needed))
    if own.distance is not None:
        facts = replace(facts, curation=replace(facts.curation, distance=own.distance))
    return facts
