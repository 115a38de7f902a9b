"""Routes below `/v1` whose errors are in OpenAI's shape."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute

from sourcebook.errors import SourcebookError
from sourcebook.faces.http.auth.caller import identified, require_role, role_needed
from sourcebook.faces.http.openai.errors import openai_error, openai_problem


class OpenAIRoute(APIRoute):
    """Knows its caller before it reads the body, and tells every error as OpenAI would."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        role = role_needed(self.dependant)

        async def handled(request: Request) -> Response:
            try:
                caller = await identified(request)
                if role is not None:
                    require_role(caller, role)
                return await handle(request)
            except SourcebookError as error:
                return openai_problem(error)
            except RequestValidationError as error:
                first = error.errors()[0] if error.errors() else {"loc": (), "msg": "it cannot be read"}
                where = ".".join(str(part) for part in first["loc"] if part != "body")
                return openai_error(
                    400, f"{where}: {first['msg']}".lstrip(": "), "invalid_request", where or None
                )

        return handled


def openai_router() -> APIRouter:
    """A router below `/v1`. Its shapes are OpenAI's, so they are not in the description of our API."""
    return APIRouter(prefix="/v1", include_in_schema=False, route_class=OpenAIRoute)
