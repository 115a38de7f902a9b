"""The page to sign in with. It needs no script, and shows nothing of the base."""

from __future__ import annotations

from html import escape

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from sourcebook.errors import TooManyRequests, WrongPassword
from sourcebook.faces.http.auth.caller import Book, Reader
from sourcebook.faces.http.auth.security_headers import PAGE_HEADERS
from sourcebook.faces.http.auth.sign_in import sign_in, sign_out
from sourcebook.faces.http.responses.problems import headers_of, status_of
from sourcebook.locale import Texts, texts

router = APIRouter(include_in_schema=False)
_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title} · Sourcebook</title>
<link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/style.css">
</head>
<body>
<main class="sign-in" id="main">
<p class="brand"><img src="/static/icon.svg" alt="" width="23" height="23">Sourcebook</p>
<h1>{title}</h1>
<form method="post" action="/login">
<input type="hidden" name="next" value="{next}">
<p><label for="login">{name}</label><br>
<input id="login" name="login" value="{login}" autocomplete="username" required{at_name}></p>
<p><label for="password">{password}</label><br>
<input id="password" name="password" type="password" autocomplete="current-password" required{at_password}></p>
<p role="alert">{problem}</p>
<p><button class="button">{title}</button></p>
</form>
</main>
</body>
</html>
"""


@router.get("/login")
async def show(request: Request, next: str = "/") -> HTMLResponse:
    return _page(request, next)


@router.post("/login")
async def take(request: Request, book: Book) -> Response:
    """Sign in, and go where the person wanted to go."""
    form = await request.form(max_files=0, max_fields=10)
    login, password, wanted = (str(form.get(name) or "") for name in ("login", "password", "next"))
    answer = RedirectResponse(safe_place(wanted), 303, headers=PAGE_HEADERS)
    try:
        await sign_in(request, answer, book, login, password)
    except (WrongPassword, TooManyRequests) as error:
        told = _told(error, _texts(request))
        return _page(request, wanted, login, told, status_of(error), headers_of(error))
    return answer


@router.post("/logout")
async def leave(request: Request, caller: Reader, book: Book) -> Response:
    """Sign out, and show the page to sign in with."""
    answer = RedirectResponse("/login", 303, headers=PAGE_HEADERS)
    await sign_out(request, answer, book)
    return answer


def safe_place(wanted: str) -> str:
    """A place of this server: an address that leads elsewhere is none."""
    is_own = wanted.startswith("/") and not wanted.startswith(("//", "/\\")) and wanted.isprintable()
    return wanted if is_own and "\\" not in wanted else "/"


def _told(error: WrongPassword | TooManyRequests, known: Texts) -> str:
    if isinstance(error, WrongPassword):
        return known("sign_in_wrong")
    return known("sign_in_wait", seconds=error.seconds)


def _page(
    request: Request,
    wanted: str,
    login: str = "",
    problem: str = "",
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> HTMLResponse:
    """The page. A name that was given is kept: it is the password that is mistyped more often."""
    known = _texts(request)
    html = _PAGE.format(
        language=known.language,
        title=escape(known("sign_in")),
        name=escape(known("sign_in_name")),
        password=escape(known("sign_in_password")),
        next=escape(safe_place(wanted)),
        problem=escape(problem),
        login=escape(login),
        at_name="" if login else " autofocus",
        at_password=" autofocus" if login else "",
    )
    # A browser asks for a name and a password of its own when it is told to authenticate.
    kept = {name: value for name, value in (headers or {}).items() if name != "WWW-Authenticate"}
    return HTMLResponse(html, status, headers={**PAGE_HEADERS, **kept})


def _texts(request: Request) -> Texts:
    """In the first language of the browser that there are texts for."""
    wanted = [
        part.split(";")[0].strip()[:2].lower()
        for part in request.headers.get("accept-language", "").split(",")
    ]
    return next((known for code in wanted if (known := texts(code)).language == code), texts(None))
