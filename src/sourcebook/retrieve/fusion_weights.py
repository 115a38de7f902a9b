"""How much meaning and words each count when their rankings are merged, measured for each embedding model."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """The share of the ranking by meaning; the ranking by words has the rest."""

    semantic: float = 0.5

    @property
    def keyword(self) -> float:
        return 1.0 - self.semantic


_MEASURED = {
    "use-multilingual-v3": FusionWeights(0.35),
    "all-minilm-l6-v2-int8": FusionWeights(0.55),
}


def fusion_weights_of(model_name: str) -> FusionWeights:
    """The weights for the model of this name. For one that was not measured, both rankings count equally."""
    return _MEASURED.get(model_name, FusionWeights())
