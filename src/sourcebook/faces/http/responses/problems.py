"""Errors as `application/problem+json`, with the code that every face gives and a hint for clients."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from sourcebook.errors import (
    AuthError,
    Conflict,
    FileOverLimit,
    ForeignRequest,
    NoQuestionsLeft,
    NotEnoughTokens,
    NotFound,
    NotSignedIn,
    ProviderError,
    SourcebookError,
    StorageError,
    TooManyRequests,
    UnsupportedFile,
    UsageError,
    WrongPassword,
)
from sourcebook.faces.http.responses.hints import hint_of

_log = logging.getLogger(__name__)

_STATUS: tuple[tuple[type[SourcebookError], int], ...] = (
    (NotSignedIn, 401),
    (WrongPassword, 401),
    (TooManyRequests, 429),
    (ForeignRequest, 403),
    (UnsupportedFile, 415),
    (FileOverLimit, 413),
    (NotEnoughTokens, 402),
    (NoQuestionsLeft, 402),
    (UsageError, 400),
    (NotFound, 404),
    (Conflict, 409),
    (StorageError, 503),
    (ProviderError, 502),
    (AuthError, 403),
)


CLIENT_GONE = 499
"""A status for the log alone: nobody is there to read it."""
_PLAIN = {
    400: ("bad_request", "Send a body that can be read."),
    404: ("not_found", "/openapi.json lists every route."),
    405: ("method_not_allowed", "/openapi.json lists every route with its methods."),
    408: ("too_slow", "Send the request again, without pausing."),
    413: ("too_large", "Send less, or in several requests."),
    503: ("not_ready", "Try again in a moment."),
}
"""The code and the hint of problems that are not the base's but the request's."""


def status_of(error: SourcebookError) -> int:
    """The HTTP status of an error: its own, or that of its branch."""
    return next((status for branch, status in _STATUS if isinstance(error, branch)), 500)


def headers_of(error: SourcebookError) -> dict[str, str]:
    """The headers that go with an error: how to come in, or how long to wait."""
    match error:
        case NotSignedIn() | WrongPassword():
            return {"WWW-Authenticate": 'Bearer realm="sourcebook"'}
        case TooManyRequests():
            return {"Retry-After": str(error.seconds)}
        case _:
            return {}


def problem_of(error: SourcebookError) -> JSONResponse:
    """One of our errors as a problem document."""
    return problem(status_of(error), error.code, error.message, hint_of(error), headers_of(error))


def problem(
    status: int,
    code: str,
    message: str,
    hint: str = "",
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> JSONResponse:
    """One problem document. `title` is the message; `code` is as in the command line's errors."""
    body = {"type": f"urn:sourcebook:{code}", "title": message, "status": status, "code": code, "hint": hint}
    return JSONResponse(
        body | more, status, headers=dict(headers or {}), media_type="application/problem+json"
    )


def add_problems(app: FastAPI) -> None:
    """Make every error of the app a problem document."""

    async def known(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, SourcebookError)  # noqa: S101 - registered for this class alone
        return problem_of(error)

    async def malformed(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class alone
        details = [
            {"where": ".".join(str(part) for part in each["loc"]), "message": str(each["msg"])}
            for each in error.errors()
        ]
        first = details[0] if details else {"where": "body", "message": "it cannot be read"}
        hint = "Correct the request; /openapi.json describes every field."
        if request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
            hint = "Send JSON, with the header `Content-Type: application/json`; /openapi.json describes every field."
        return problem(422, "bad_request", f"{first['where']}: {first['message']}", hint, details=details)

    async def plain(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class alone
        code, hint = _PLAIN.get(error.status_code, ("http", "Check the request."))
        return problem(error.status_code, code, str(error.detail), hint, headers=error.headers)

    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        _log.exception("a request failed: %s %s", request.method, request.url.path, exc_info=error)
        request_id = getattr(request.state, "request_id", "")
        return problem(
            500,
            "error",
            "Something went wrong in Sourcebook.",
            f"The server's log has the details, under the request {request_id}.",
        )

    async def gone(request: Request, error: Exception) -> JSONResponse:
        return problem(CLIENT_GONE, "client_gone", "The client left before it was answered.")

    app.add_exception_handler(ClientDisconnect, gone)
    app.add_exception_handler(SourcebookError, known)
    app.add_exception_handler(RequestValidationError, malformed)
    app.add_exception_handler(HTTPException, plain)
    app.add_exception_handler(Exception, unexpected)
