"""Ending an `add` early without losing anything."""

from __future__ import annotations

from threading import Event


class StopSignal:
    """Set it from any thread or signal handler to stop the `add` it was passed to.

    What is embedded already is still written; the rest is left for the next time.
    """

    def __init__(self) -> None:
        self._event = Event()

    def set(self) -> None:
        """Ask for an end."""
        self._event.set()

    def is_set(self) -> bool:
        """Whether an end was asked for."""
        return self._event.is_set()
