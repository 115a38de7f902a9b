"""A question with the weights of its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.model.asked_collection import WordCounts


@dataclass(frozen=True, slots=True)
class WeighedQuestion:
    """A question, the weights of its words, and how many passages of the base have each."""

    text: str
    weights: Mapping[str, float]
    counts: WordCounts
    language: str | None = None
    """The language in which its words are compared; None for that of each passage."""
    languages: Sequence[str | None] = ()
    """The languages in which its words were counted."""
    follow_up: str | None = None
    """The follow-up alone, if the text is that with the question before it."""

    @property
    def asked_now(self) -> str:
        return self.follow_up or self.text
