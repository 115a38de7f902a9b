"""Bodies that are too large, or sent too slowly, are refused before they cost anything."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import anyio
from starlette.exceptions import HTTPException

from sourcebook.faces.http.limits.slow_clients import MOST_READ_ON, SLOWEST
from sourcebook.faces.http.responses.problems import problem

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST_BODY = 1_000_000
"""Bytes of a request that uploads nothing."""
_SECONDS_READ_ON = 2.0
UPLOADS = frozenset({"/api/documents", "/documents"})
"""Where files are sent to."""


class RequestLimits:
    """Refuses bodies by their declared length, stops reading the others at the limit, and waits for none for ever."""

    def __init__(self, app: ASGIApp, largest_upload: int, patience: float) -> None:
        self._app = app
        self._largest_upload = largest_upload
        self._patience = patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_upload = scope["method"] == "POST" and scope["path"] in UPLOADS
        limit = self._largest_upload if is_upload else LARGEST_BODY
        declared = dict(scope["headers"]).get(b"content-length", b"")
        if declared.isdigit() and int(declared) > limit:
            await _refuse(_too_large(limit), receive, send)
            return
        await self._app(scope, _Reader(receive, limit, self._patience).receive, send)


class _Reader:
    """Reads one body. When it is complete, what is waited for is that the client leaves, and that may take long.

    Every byte that arrives earns a little more time, so that a large file over a slow line is not cut off.
    """

    def __init__(self, receive: Receive, limit: int, patience: float) -> None:
        self._receive = receive
        self._left = limit
        self._limit = limit
        self._patience = self._seconds_left = patience
        self._is_complete = False

    async def receive(self) -> Message:
        if self._is_complete:
            return await self._receive()
        try:
            begun = time.monotonic()
            with anyio.fail_after(self._seconds_left):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(408, "The request did not arrive in time.", {"Connection": "close"}) from None
        if message["type"] == "http.request":
            size = len(message.get("body", b""))
            self._left -= size
            self._seconds_left += begun - time.monotonic() + size / SLOWEST
            self._seconds_left = min(self._seconds_left, self._patience)
            self._is_complete = not message.get("more_body", False)
            if self._left < 0:
                raise HTTPException(413, _told(self._limit), {"Connection": "close"})
        else:
            self._is_complete = True
        return message


async def _refuse(response: Response, receive: Receive, send: Send) -> None:
    """Answer at once, and read on for a moment: who is cut off while sending never sees the answer."""
    await send(
        {"type": "http.response.start", "status": response.status_code, "headers": response.raw_headers}
    )
    await send({"type": "http.response.body", "body": bytes(response.body), "more_body": True})
    left = MOST_READ_ON
    with anyio.move_on_after(_SECONDS_READ_ON):
        while left > 0:
            message = await receive()
            if message["type"] != "http.request" or not message.get("more_body", False):
                break
            left -= len(message.get("body", b""))
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def _too_large(limit: int):
    return problem(
        413, "too_large", _told(limit), "Send less, or in several requests.", {"Connection": "close"}
    )


def _told(limit: int) -> str:
    return f"The request is larger than {limit / 1_000_000:g} MB."
