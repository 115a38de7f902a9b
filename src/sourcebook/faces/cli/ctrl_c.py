"""Ctrl-C as a request to stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

from sourcebook.ingest.stop_signal import StopSignal


@contextmanager
def stopping() -> Generator[StopSignal]:
    """A signal set by the first Ctrl-C. The second Ctrl-C interrupts as usual."""
    stop = StopSignal()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
