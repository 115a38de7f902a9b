"""The weights of meaning and words in fusion, measured for each embedding model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """`semantic` is the weight of the ranking by meaning; the ranking by words has the rest."""

    semantic: float = 0.5

    @property
    def keyword(self) -> float:
        return 1.0 - self.semantic


_MEASURED = {
    "use-multilingual-v3": FusionWeights(0.35),
    "all-minilm-l6-v2-int8": FusionWeights(0.55),
}


def fusion_weights_of(model_name: str) -> FusionWeights:
    """The weights for a model, equal for one that was not measured."""
    return _MEASURED.get(model_name, FusionWeights())
