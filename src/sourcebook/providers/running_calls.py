"""Computations in threads that nobody may be waiting for any more. A process does not end in the middle of one."""

from __future__ import annotations

import atexit
from collections.abc import Generator
from contextlib import contextmanager
from threading import Condition

_LONGEST_WAIT = 30.0


class RunningCalls:
    """Counts what runs. Native code that is still computing while Python takes itself apart would crash."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._running = 0
        self._is_over = False

    @contextmanager
    def one(self) -> Generator[None]:
        with self._changed:
            if self._is_over:
                raise RuntimeError("The process is ending.")
            self._running += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= 1
                self._changed.notify_all()

    def wait(self) -> bool:
        """Wait until nothing runs. False if that takes too long."""
        with self._changed:
            return self._changed.wait_for(lambda: self._running == 0, _LONGEST_WAIT)

    def finish(self) -> None:
        """Wait for what runs. Nothing can begin any more."""
        with self._changed:
            self._is_over = True
            self._changed.wait_for(lambda: self._running == 0, _LONGEST_WAIT)


RUNNING_CALLS = RunningCalls()
atexit.register(RUNNING_CALLS.finish)
