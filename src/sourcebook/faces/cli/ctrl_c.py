"""Ctrl-C as a request to stop."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from types import FrameType

from sourcebook.ingest.stop_signal import StopSignal

_HEARD = "\nStopping: what is finished is kept. Ctrl-C again ends at once.\n"


@contextmanager
def stopping(*, says_so: bool = True) -> Generator[StopSignal]:
    """A signal set by the first Ctrl-C, which is answered at once. The second Ctrl-C interrupts as usual."""
    stop = StopSignal()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def on_interrupt(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()
        if says_so:
            _tell_at_once()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _tell_at_once() -> None:
    """Past every buffer and bar: the signal may have come in the middle of a line."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.flush()
        os.write(sys.stderr.fileno(), _HEARD.encode())
