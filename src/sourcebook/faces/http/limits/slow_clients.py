"""Connections that wait for nobody for ever: a client has to send its request, and to read what it is answered."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import Any, cast

from uvicorn.protocols.http.auto import AutoHTTPProtocol

_log = logging.getLogger(__name__)
LARGEST_HEAD = 65_536
"""Bytes of a request before its body."""
MOST_READ_ON = 5_000_000
"""Bytes of a body that are still read after the request was answered: who is cut off never sees the answer."""
SLOWEST = 1_000
"""Bytes a second that a client has to send, or to read, when its patience is used up."""


def connection_class(patience: float) -> Any:
    """What makes the connections of a server whose clients have so many seconds."""
    return partial(PatientConnection, patience=patience)


class PatientConnection(asyncio.Protocol):
    """A connection of uvicorn's with limits that it lacks. `patience` is in seconds.

    The head of a request has to be there within the patience, and not to be larger than `LARGEST_HEAD`. What is sent
    has to be read, at `SLOWEST` at least: else the connection is cut, and the app told that its client is gone.
    """

    def __init__(self, *, patience: float, **given: Any) -> None:
        self._inner = cast("Any", AutoHTTPProtocol)(**given)
        self._patience = patience
        self._transport: asyncio.Transport | None = None
        self._for_head: asyncio.TimerHandle | None = None
        self._for_reading: asyncio.TimerHandle | None = None
        self._received = 0
        """Bytes since the last complete head."""
        self._unread = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        # Whatever the client has not taken counts as unread, however little it is.
        self._transport.set_write_buffer_limits(high=0)
        self._inner.connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        before = self._inner.cycle
        is_head = before is None or not before.more_body
        is_answered = before is None or before.response_complete
        self._inner.data_received(data)
        if self._inner.cycle is not before:
            self._received = 0
            self._for_head = _cancelled(self._for_head)
        elif is_head or is_answered:
            self._received += len(data)
            if self._received > (LARGEST_HEAD if is_head else MOST_READ_ON):
                self._give_up("a client sent a request whose head does not end, and was given up")
            elif self._for_head is None and is_answered:
                self._await_head()

    def eof_received(self) -> bool | None:
        return self._inner.eof_received()

    def connection_lost(self, exc: Exception | None) -> None:
        self._for_head = _cancelled(self._for_head)
        self._for_reading = _cancelled(self._for_reading)
        self._inner.connection_lost(exc)

    def pause_writing(self) -> None:
        self._inner.pause_writing()
        self._await_reading()

    def resume_writing(self) -> None:
        self._for_reading = _cancelled(self._for_reading)
        self._inner.resume_writing()

    def _await_head(self) -> None:
        told = "a client did not send its request in time, and was given up"
        self._for_head = self._later(self._give_up, told)

    def _await_reading(self) -> None:
        self._unread = self._transport.get_write_buffer_size() if self._transport else 0
        self._for_reading = self._later(self._look_at_reading)

    def _look_at_reading(self) -> None:
        left = self._transport.get_write_buffer_size() if self._transport else 0
        if self._unread - left < SLOWEST * self._patience:
            self._give_up("a client stopped reading, and was given up")
        else:
            self._await_reading()

    def _later(self, call: Any, *given: Any) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(self._patience, call, *given)

    def _give_up(self, told: str) -> None:
        _log.info(told)
        if self._transport is not None:
            self._transport.abort()


def _cancelled(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
