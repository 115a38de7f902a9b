"""The language and the light of the page, for this browser."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Request, Response
from fastapi.responses import RedirectResponse

from sourcebook.faces.web.page_routes import page_router
from sourcebook.faces.web.template_rendering import HEADERS, LANGUAGE_COOKIE, THEME_COOKIE, THEMES
from sourcebook.locale import LANGUAGES

router = page_router()
_YEAR = 365 * 24 * 3600


@router.post("/preferences")
async def choose(
    request: Request,
    language: Annotated[str, Form()] = "",
    theme: Annotated[str, Form()] = "",
    back: Annotated[str, Form()] = "/ask",
) -> Response:
    """Remember the choice, and show the same place again."""
    # Only a path of this page: `//host` would lead elsewhere.
    leads_here = back.startswith("/") and not back.startswith(("//", "/\\"))
    response = RedirectResponse(back if leads_here else "/ask", 303, headers=dict(HEADERS))
    secure = request.url.scheme == "https"
    if language in LANGUAGES:
        response.set_cookie(LANGUAGE_COOKIE, language, _YEAR, httponly=True, samesite="lax", secure=secure)
    if theme in THEMES:
        response.set_cookie(THEME_COOKIE, theme, _YEAR, httponly=True, samesite="lax", secure=secure)
    return response
