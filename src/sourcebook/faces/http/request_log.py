"""Every request has an id, a line in the log, and its place in the figures."""

from __future__ import annotations

import logging
import re
import time
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from starlette.datastructures import MutableHeaders

from sourcebook.faces.http.auth.caller import Caller
from sourcebook.faces.http.responses.problems import CLIENT_GONE
from sourcebook.faces.logs import current_request

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from sourcebook.faces.http.metrics import Metrics
    from sourcebook.faces.http.shutdown import Stopping

_log = logging.getLogger("sourcebook.http")
HEADER = "X-Request-ID"
_FIT = re.compile(r"[A-Za-z0-9_-]{8,64}")


def silence_others() -> None:
    """The server's own logs repeat what is logged here: requests, with what their queries say, and failures."""
    logging.getLogger("uvicorn.access").disabled = True
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)


class RequestLog:
    """Gives each request an id, the client's own if it has a sensible one, and logs it without its query or body."""

    def __init__(self, app: ASGIApp, metrics: Metrics, stopping: Stopping) -> None:
        self._app = app
        self._metrics = metrics
        self._stopping = stopping

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _given(scope) or uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        begun, status = time.perf_counter(), CLIENT_GONE

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        token = current_request.set(request_id)
        try:
            with self._stopping.answering():
                await self._app(scope, receive, send_with_id)
        except Exception:
            status = 500
            raise
        finally:
            self._note(scope, status, time.perf_counter() - begun)
            current_request.reset(token)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        method, route = scope["method"], _route(scope)
        self._metrics.requests.labels(method, route, str(status)).inc()
        self._metrics.seconds.labels(method, route).observe(seconds)
        caller = scope.get("state", {}).get("caller")
        fields: dict[str, Any] = {
            "method": method,
            "path": scope["path"],
            "status": status,
            "ms": round(seconds * 1000, 1),
            "user_id": caller.user_id if isinstance(caller, Caller) else None,
        }
        _log.info("%s %s %s", method, scope["path"], status, extra={"fields": fields})


def _given(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"x-request-id":
            text = value.decode("latin-1")
            return text if _FIT.fullmatch(text) else None
    return None


def _route(scope: Scope) -> str:
    """The route as it is written, and not as it was called: the figures must not grow with every id."""
    path = getattr(scope.get("route"), "path", None)
    return path if isinstance(path, str) else "other"
