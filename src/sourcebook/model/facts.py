"""What was measured about embedding models, and decides how their vectors are used."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AcceptanceFacts:
    """When a passage is close enough to answer with: the weighed sum of what speaks for it reaches `needed`.

    `share` weighs the part of the question that the passage names, `sentence_share` the part that its best sentence
    does, `similarity` its vector. From `sure_similarity` on the vector alone is enough.
    """

    share: float = 3.1
    sentence_share: float = 3.5
    similarity: float = 2.0
    needed: float = 3.5
    sure_similarity: float = 0.75


@dataclass(frozen=True, slots=True)
class CurationFacts:
    """How far apart, by 1 − cosine, two questions may be that are the same."""

    distance: float = 0.6


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What a model's vectors tell: beside words (both weights together are one), and by themselves."""

    semantic_weight: float = 0.5
    acceptance: AcceptanceFacts = AcceptanceFacts()
    curation: CurationFacts = CurationFacts()

    @property
    def keyword_weight(self) -> float:
        return 1.0 - self.semantic_weight


_MEASURED = {
    "use-multilingual-v3": ModelFacts(semantic_weight=0.35),
    "all-minilm-l6-v2-int8": ModelFacts(semantic_weight=0.55),
}


def facts_of(model_name: str) -> ModelFacts:
    """The facts of the model of this name; for one that was never measured, both arms count alike."""
    return _MEASURED.get(model_name, ModelFacts())
