"""How every chat model is asked to write: temperature, and the limits of an answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Writing:
    """How a model is asked to write, and how much of it is read if it does not keep to that."""

    temperature: float | None = 0.0
    most_tokens: int = 800
    most_characters: int = 32_000
    most_seconds: float = 300.0
    most_pieces: int = 100_000
    """A piece is about a token. Models that think before they write send many pieces without text."""
