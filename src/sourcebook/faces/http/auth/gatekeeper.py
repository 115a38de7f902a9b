"""The gate in front of every route: nothing of a request's body is read before its caller is known."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sourcebook.errors import NotSignedIn, SourcebookError
from sourcebook.faces.http.auth.caller import HostCheck
from sourcebook.faces.http.auth.origins import require_same_site
from sourcebook.faces.http.auth.public_paths import is_public
from sourcebook.faces.http.auth.security_headers import COMMON_HEADERS
from sourcebook.faces.http.openai.errors import openai_problem
from sourcebook.faces.http.responses.problems import problem_of

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from sourcebook.faces.http.auth.caller import Gate


class Gatekeeper:
    """Asks the gate about every request, and remembers the caller in the request's state."""

    def __init__(self, app: ASGIApp, gate: Gate) -> None:
        self._app = app
        self._gate = gate

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            if isinstance(self._gate, HostCheck):
                await self._gate.admit(request)
            if is_public(scope["path"]):
                require_same_site(request)
            else:
                request.state.caller = await self._gate.caller(request)
        except SourcebookError as error:
            await refusal(request, error)(scope, receive, _with_headers(send))
            return
        await self._app(scope, receive, _with_headers(send))


def refusal(request: Request, error: SourcebookError) -> Response:
    """How a request is refused: a person's browser is led to the sign-in page, a program gets a problem."""
    path = request.url.path
    if path.startswith("/v1/"):
        return openai_problem(error)
    wants_page = request.method == "GET" and "text/html" in request.headers.get("accept", "")
    if isinstance(error, NotSignedIn) and wants_page and not path.startswith("/api/"):
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/login?next={quote(path + query, safe='/')}", 303)
    return problem_of(error)


def _with_headers(send: Send) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in COMMON_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return sent
