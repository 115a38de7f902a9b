"""Knowing that the server was told to stop, while answers are still being finished."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import anyio

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopping:
    """Whether the server was told to stop, and what is still being answered."""

    def __init__(self) -> None:
        self.is_set = False
        self._answering = 0
        self._over = anyio.Event()

    @contextmanager
    def answering(self) -> Generator[None]:
        """For the time of one request."""
        self._answering += 1
        try:
            yield
        finally:
            self._answering -= 1
            if not self._answering:
                self._over.set()

    async def all_answered(self, seconds: float) -> bool:
        """Wait until nothing is being answered. False if that takes longer."""
        with anyio.move_on_after(seconds):
            while self._answering:
                self._over = anyio.Event()
                await self._over.wait()
        return not self._answering

    @contextmanager
    def listening(self) -> Generator[None]:
        """Hear the signals, and hand them on to whoever heard them before."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.getsignal(number) for number in _SIGNALS}

        def heard(number: int, frame: FrameType | None) -> Any:
            self.is_set = True
            handler = before[signal.Signals(number)]
            if callable(handler):
                handler(number, frame)

        for number in _SIGNALS:
            signal.signal(number, heard)
        try:
            yield
        finally:
            for number, handler in before.items():
                if signal.getsignal(number) is heard:
                    signal.signal(number, handler)
