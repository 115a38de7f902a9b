"""Errors in the shape that OpenAI's clients understand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from starlette.responses import JSONResponse

from sourcebook.errors import NotSignedIn
from sourcebook.faces.http.responses.hints import hint_of
from sourcebook.faces.http.responses.problems import headers_of, status_of

if TYPE_CHECKING:
    from sourcebook.errors import SourcebookError

_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "invalid_request_error",
    429: "rate_limit_error",
}


def openai_problem(error: SourcebookError) -> JSONResponse:
    """One of our errors. Its code and hint are there too."""
    status = status_of(error)
    code = "invalid_api_key" if isinstance(error, NotSignedIn) else error.code
    return openai_error(status, f"{error.message} {hint_of(error)}".strip(), code, headers=headers_of(error))


def openai_error(
    status: int,
    message: str,
    code: str | None = None,
    param: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    return JSONResponse({"error": error_body(status, message, code, param)}, status, dict(headers or {}))


def error_body(
    status: int, message: str, code: str | None = None, param: str | None = None
) -> dict[str, str | None]:
    kind = _TYPES.get(status, "invalid_request_error" if status < 500 else "server_error")
    return {"message": message, "type": kind, "param": param, "code": code}
