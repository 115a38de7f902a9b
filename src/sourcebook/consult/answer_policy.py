"""The limits for one answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnswerPolicy:
    """How much is read and remembered for an answer. Sizes are in characters."""

    passages: int = 6
    context_size: int = 8_000
    history_size: int = 3_000
    history_turns: int = 6
    answer_size: int = 32_000
    answer_pieces: int = 100_000
    """A model that writes more than this is taken to be looping."""
    nearest: int = 3
    """How many of the closest passages are shown with a decline."""
    reads_unsure: bool = True
    """Whether a chat model reads passages that are nearly close enough. If it answers, that must be supported."""
    shows_excerpt: bool = False
    """Whether the reader gets an excerpt while a slow chat model writes."""
