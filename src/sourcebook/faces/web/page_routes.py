"""Routes of the page: an error is a page that says what to do next, and only the page itself may change things."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from typing import Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from sourcebook.errors import AuthError, SourcebookError
from sourcebook.faces.http.auth.caller import identified, require_role, role_needed
from sourcebook.faces.http.responses.hints import hint_of
from sourcebook.faces.http.responses.problems import problem, status_of
from sourcebook.faces.web.error_words import ErrorWords, words_for, words_of
from sourcebook.faces.web.page_frame import FRAGMENT
from sourcebook.faces.web.template_rendering import HEADERS, render, texts_of, theme_of

_log = logging.getLogger(__name__)
_SAFE = frozenset({"GET", "HEAD"})


class PageRoute(APIRoute):
    """A route whose errors are shown as pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        role = role_needed(self.dependant)

        async def handled(request: Request) -> Response:
            try:
                if request.method not in _SAFE:
                    _require_own_page(request)
                if role is not None:
                    # Files that somebody may not bring are not read at all.
                    require_role(await identified(request), role)
                return await handle(request)
            except SourcebookError as error:
                if not _is_for_people(request):
                    return problem(status_of(error), error.code, error.message, hint_of(error))
                return problem_page(request, error)
            except RequestValidationError as error:
                first = next(iter(error.errors()), {"msg": ""})
                return error_page(request, 422, str(first["msg"]))
            except HTTPException as error:
                if error.status_code < 400:
                    raise
                return error_page(request, error.status_code, str(error.detail))
            except Exception as error:
                _log.exception("a page failed: %s %s", request.method, request.url.path, exc_info=error)
                return error_page(request, 500, "")

        return handled


def page_router() -> APIRouter:
    """A router for views. Its routes are for people, so they are not in the description of the API."""
    return APIRouter(route_class=PageRoute, include_in_schema=False, default_response_class=HTMLResponse)


def problem_page(request: Request, error: SourcebookError) -> HTMLResponse:
    """An error of ours, in the words of the page."""
    status = status_of(error)
    words = words_for(texts_of(request), error)
    # What was not found or not allowed is not named: whether it exists is nobody's business.
    detail = "" if status in (401, 403, 404) else words.detail
    return _shown(request, status, ErrorWords(words.said, words.hint, detail))


def error_page(request: Request, status: int, message: str) -> HTMLResponse:
    """What went wrong and what to do next, as a page or as a part of one."""
    texts = texts_of(request)
    # What a person can do about these is the same whatever it was about, and is said in their language.
    if f"error_{status}" in texts.entries:
        return _shown(request, status, ErrorWords(texts(f"error_{status}"), ""))
    words = words_of(texts, "usage" if 400 <= status < 500 else "error", message)
    return _shown(request, status, words)


def _shown(request: Request, status: int, words: ErrorWords) -> HTMLResponse:
    template = "error_part.html" if FRAGMENT in request.headers else "error.html"
    html = render(template, texts_of(request), status=status, words=words, theme=theme_of(request))
    return HTMLResponse(html, status, headers=dict(HEADERS))


def _is_for_people(request: Request) -> bool:
    """Whether a browser or a script of ours asks. A program that comes to the page gets problems it can read."""
    return FRAGMENT in request.headers or "text/html" in request.headers.get("accept", "")


def _require_own_page(request: Request) -> None:
    """Another site's form or script must change nothing here, even where nobody has to sign in."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    from_elsewhere = site is not None and site not in ("same-origin", "none")
    if origin is not None and origin != "null":
        from_elsewhere = from_elsewhere or urlsplit(origin).netloc != request.headers.get("host", "")
    elif origin == "null" and site is None:
        from_elsewhere = True
    if from_elsewhere:
        raise AuthError("This was sent from another page.", hint="Open Sourcebook itself and try again.")
