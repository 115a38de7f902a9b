"""Puts the page into an app."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from sourcebook.faces.web.page_routes import error_page
from sourcebook.faces.web.template_rendering import STATIC
from sourcebook.faces.web.views import (
    accounts_and_keys,
    ask,
    conversations,
    curated,
    documents,
    first_run,
    gaps_and_digest,
    health,
    inbox,
    language_and_theme,
    people,
    quality,
    search,
    settings,
    terms,
    uploads,
)

_VIEWS = (
    ask,
    conversations,
    first_run,
    search,
    uploads,
    documents,
    gaps_and_digest,  # before the inbox, whose addresses are those of drafts
    inbox,
    curated,
    terms,
    people,
    quality,
    health,
    settings,
    accounts_and_keys,
    language_and_theme,
)
_FOR_PROGRAMS = ("/api/", "/v1/", "/mcp", "/healthz", "/readyz", "/metrics", "/static/")


class _Static(StaticFiles):
    """Files that a browser may keep, because their address changes with them."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # pyright: ignore[reportArgumentType]
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response


def add_page(app: FastAPI) -> None:
    """Add every view, the files they need, and pages for addresses that lead nowhere."""
    for view in _VIEWS:
        app.include_router(view.router)
    app.mount("/static", _Static(directory=STATIC), name="static")
    otherwise = app.exception_handlers.get(HTTPException)

    async def lost(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101 - registered for this class alone
        wants_page = "text/html" in request.headers.get("accept", "")
        if error.status_code == 404 and wants_page and not request.url.path.startswith(_FOR_PROGRAMS):
            return error_page(request, 404, "")
        assert otherwise is not None  # noqa: S101 - the app has problems before it has a page
        response = otherwise(request, error)
        return response if isinstance(response, Response) else await response

    app.add_exception_handler(HTTPException, lost)
