"""Errors as `application/problem+json`, with the code and the hint that every face gives."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from sourcebook.errors import (
    AuthError,
    Conflict,
    NotFound,
    ProviderError,
    SourcebookError,
    StorageError,
    UsageError,
)

_log = logging.getLogger(__name__)

_STATUS: tuple[tuple[type[SourcebookError], int], ...] = (
    (UsageError, 400),
    (NotFound, 404),
    (Conflict, 409),
    (StorageError, 503),
    (ProviderError, 502),
    (AuthError, 403),
)


def status_of(error: SourcebookError) -> int:
    """The HTTP status of an error: its own, or that of its branch."""
    return next((status for branch, status in _STATUS if isinstance(error, branch)), 500)


def problem(
    status: int,
    code: str,
    message: str,
    hint: str = "",
    headers: Mapping[str, str] | None = None,
    **more: Any,
) -> JSONResponse:
    """One problem document. `title` is the message; `code` and `hint` are as in the command line's errors."""
    body = {"type": f"urn:sourcebook:{code}", "title": message, "status": status, "code": code, "hint": hint}
    return JSONResponse(
        body | more, status, headers=dict(headers or {}), media_type="application/problem+json"
    )


def add_problems(app: FastAPI) -> None:
    """Make every error of the app a problem document."""

    async def known(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, SourcebookError)  # noqa: S101 - registered for this class alone
        return problem(status_of(error), error.code, error.message, error.hint)

    async def malformed(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this class alone
        details = [
            {"where": ".".join(str(part) for part in each["loc"]), "message": str(each["msg"])}
            for each in error.errors()
        ]
        first = details[0] if details else {"where": "body", "message": "it cannot be read"}
        return problem(
            422,
            "bad_request",
            f"{first['where']}: {first['message']}",
            "Correct the request; /docs describes every field.",
            details=details,
        )

    async def plain(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class alone
        code = {404: "not_found", 405: "method_not_allowed"}.get(error.status_code, "http")
        return problem(error.status_code, code, str(error.detail), headers=error.headers)

    async def unexpected(request: Request, error: Exception) -> JSONResponse:
        _log.exception("a request failed: %s %s", request.method, request.url.path, exc_info=error)
        return problem(
            500, "error", "Something went wrong in Sourcebook.", "The server's log has the details."
        )

    app.add_exception_handler(SourcebookError, known)
    app.add_exception_handler(RequestValidationError, malformed)
    app.add_exception_handler(HTTPException, plain)
    app.add_exception_handler(Exception, unexpected)
