"""Who may come in: with an API key, signed in, or as the one person at this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.requests import Request

from sourcebook.errors import ForeignRequest, NobodyMayEnter, NotSignedIn
from sourcebook.faces.http.auth.caller import LOCAL_PERSON, Caller
from sourcebook.faces.http.auth.origins import (
    SAFE_METHODS,
    is_loopback,
    is_surely_same_site,
    known_hosts,
    require_known_host,
    require_same_site,
)
from sourcebook.faces.http.auth.sign_in import COOKIE, has_csrf_token
from sourcebook.faces.http.limits.rate_limits import DAY, RateLimit
from sourcebook.model.people import UserRole
from sourcebook.people.api_keys import KEY_START

if TYPE_CHECKING:
    from sourcebook.client import AsyncSourcebook
    from sourcebook.model.accounts import Identity
    from sourcebook.settings import Settings

_QUESTIONS = frozenset({"/api/ask", "/api/ask/expert", "/v1/chat/completions", "/ask"})
"""The routes that may cost a model's answer."""


class ServerGate:
    """Lets in API keys and signed-in accounts.

    On a loopback address without accounts, everybody is the one person at this machine. `host` is the address at which
    the server listens.
    """

    def __init__(self, book: AsyncSourcebook, settings: Settings, host: str = "127.0.0.1") -> None:
        self._book = book
        self._is_local = is_loopback(host) and settings.login == "auto"
        # With a login, a foreign name gains nothing: a browser sends the cookie to no other name.
        self._hosts = (
            known_hosts(host, settings.allowed_hosts)
            if is_loopback(host) or settings.allowed_hosts.strip()
            else None
        )
        self._requests = RateLimit(settings.requests_per_minute, "requests_per_minute")
        self._questions = RateLimit(settings.questions_per_minute, "questions_per_minute")
        self._questions_a_day = RateLimit(settings.questions_per_day, "questions_per_day", DAY)

    def _count_question(self, source: str) -> None:
        self._questions.count(source)
        self._questions_a_day.count(source)

    async def admit(self, request: Request) -> None:
        """Refuse what was sent to a name that is not this server's."""
        if self._hosts is not None:
            require_known_host(request, self._hosts)

    async def caller(self, request: Request) -> Caller:
        """The caller, or the error that says how to become one."""
        secret = _secret_in(request)
        if secret is not None:
            identity = await self._book.keys.identify(secret)
            if identity is not None:
                return self._counted(identity, request)
            # A program that insists on sending a key may send any to a server that needs none.
            if secret.startswith(KEY_START) or not await self._is_open(request):
                raise NotSignedIn("The API key is not valid.")
        if token := request.cookies.get(COOKIE):
            identity = await self._book.accounts.identify(token)
            if identity is not None:
                _require_own_page(request)
                return self._counted(identity, request)
        if await self._is_open(request):
            require_same_site(request)
            return Caller(LOCAL_PERSON, UserRole.ADMIN, "local", source="local")
        raise NotSignedIn

    def count_question(self, caller: Caller) -> None:
        """Count a question that did not come by a route of its own."""
        if caller.source != "local":
            self._count_question(caller.source)

    async def _is_open(self, request: Request) -> bool:
        """Whether this is the one person at this machine. Behind a proxy, the address is that of somebody else."""
        if not self._is_local or request.client is None or not is_loopback(request.client.host):
            return False
        return not await self._book.accounts.any_account()

    def _counted(self, identity: Identity, request: Request) -> Caller:
        self._requests.count(identity.source)
        if request.method == "POST" and request.scope["path"] in _QUESTIONS:
            self._count_question(identity.source)
        return Caller(
            identity.user_id,
            identity.role.user_role,
            identity.name,
            identity.collections,
            source=identity.source,
        )


async def require_somebody(book: AsyncSourcebook, settings: Settings, host: str) -> None:
    """Refuse to listen where others can come in, as long as there is nobody who may."""
    if is_loopback(host) and settings.login == "auto":
        return
    if not (await book.accounts.any_account() or await book.keys.any_key()):
        raise NobodyMayEnter(
            f"At {host} others could reach the server, but it has no accounts or keys."
            if not is_loopback(host)
            else "A login is asked for, but there are no accounts or keys."
        )


def _require_own_page(request: Request) -> None:
    """A cookie is sent by a browser whoever asks for it, so a request that changes something has to show its origin."""
    require_same_site(request)
    if request.method not in SAFE_METHODS and not (is_surely_same_site(request) or has_csrf_token(request)):
        raise ForeignRequest(
            "This request does not show that it comes from this server's page.",
            hint="Send the header X-CSRF-Token with the `csrf_token` of /api/me, or use an API key.",
        )


def _secret_in(request: Request) -> str | None:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return secret.strip()
    return request.headers.get("x-api-key")
