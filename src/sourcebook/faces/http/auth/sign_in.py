"""Signing in and out in a browser: the cookie, and the token that its requests carry besides."""

from __future__ import annotations

import hashlib
import hmac
import time
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import Response

if TYPE_CHECKING:
    from sourcebook.client import AsyncSourcebook
    from sourcebook.model.accounts import Account

COOKIE = "sourcebook_session"
CSRF_HEADER = "X-CSRF-Token"


async def sign_in(
    request: Request, response: Response, book: AsyncSourcebook, login: str, password: str
) -> Account:
    """Check the password and put the sign-in into a cookie of the response. A wrong password is an error."""
    earlier = request.cookies.get(COOKIE)
    begun = await book.accounts.sign_in(login, password, address=address_of(request))
    if earlier:
        await book.accounts.sign_out(earlier)
    response.set_cookie(
        COOKIE,
        begun.token,
        max_age=max(0, begun.expires_at - int(time.time())),
        path="/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )
    return begun.account


async def sign_out(request: Request, response: Response, book: AsyncSourcebook) -> bool:
    """End the sign-in of this request and remove its cookie. True if there was one."""
    token = request.cookies.get(COOKIE)
    response.delete_cookie(COOKIE, path="/", httponly=True, samesite="lax")
    return bool(token) and await book.accounts.sign_out(token or "")


def csrf_token(request: Request) -> str | None:
    """What a page sends back in the header `X-CSRF-Token`, or in a form, to show that it is this server's own."""
    token = request.cookies.get(COOKIE)
    return None if not token else hmac.new(token.encode(), b"csrf", hashlib.sha256).hexdigest()


def has_csrf_token(request: Request, given: str | None = None) -> bool:
    """Whether the request carries the right token, in its header or as `given`."""
    expected = csrf_token(request)
    sent = given if given is not None else request.headers.get(CSRF_HEADER, "")
    return expected is not None and hmac.compare_digest(expected.encode(), sent.encode("utf-8", "replace"))


def address_of(request: Request) -> str:
    """The address of the other end, as the server sees it."""
    return request.client.host if request.client else ""
