"""Routes that know their caller before they read a body, and what they all ask of a caller."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from sourcebook.errors import AuthError, CollectionNotFound
from sourcebook.faces.http.auth.caller import (
    Caller,
    allowed_collections,
    identified,
    require_role,
    role_needed,
)
from sourcebook.model.accounts import AccountRole
from sourcebook.settings import Settings


class GuardedRoute(APIRoute):
    """A route whose caller is known first: whoever may not come in is told so before a byte of the body is read.

    The API's description says which role it needs.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        super().__init__(path, endpoint, **more)
        role = role_needed(self.dependant)
        named = None if role is None else AccountRole.of(role).value
        self.openapi_extra = {**(self.openapi_extra or {}), "x-role": named}

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        role = role_needed(self.dependant)

        async def guarded(request: Request) -> Response:
            caller = await identified(request)
            if role is not None:
                require_role(caller, role)
            return await handle(request)

        return guarded


def guarded_router(tag: str) -> APIRouter:
    """A router below `/api` of guarded routes."""
    return APIRouter(prefix="/api", tags=[tag], route_class=GuardedRoute)


def one_collection(caller: Caller, named: str | None, settings: Settings) -> str:
    """The collection of a request that concerns one: the one it names, or the default, if the caller may see it."""
    found = allowed_collections(caller, None if named is None else [named], settings)
    if not found:
        raise CollectionNotFound.named(named or settings.collection)
    return found[0]


def seen_collections(caller: Caller) -> list[str] | None:
    """The collections to which a list is limited; None if the caller sees all."""
    return None if caller.collections is None else sorted(caller.collections)


def require_whole_base(caller: Caller) -> None:
    """For what concerns everybody: who is limited to some collections has no say in it."""
    if caller.collections is not None:
        raise AuthError(
            "This concerns the whole base, and you are limited to some of its collections.",
            hint="Ask an administrator who is not.",
        )
