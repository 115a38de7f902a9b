"""Who is calling, and what they may do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol

from fastapi import Depends, Request

from sourcebook.client import AsyncSourcebook
from sourcebook.errors import AuthError, CollectionNotFound
from sourcebook.model.people import UserRole
from sourcebook.settings import Settings

LOCAL_PERSON = 1


@dataclass(frozen=True, slots=True)
class Caller:
    """A person or a program behind a request. `collections` are those it may see; None means all of them."""

    user_id: int
    role: UserRole
    name: str
    collections: frozenset[str] | None = None

    def may(self, role: UserRole) -> bool:
        """Whether this caller has the role, or a higher one."""
        order = list(UserRole)
        return order.index(self.role) >= order.index(role)

    def sees(self, collection: str) -> bool:
        return self.collections is None or collection in self.collections


class Gate(Protocol):
    """Tells who sent a request, before its body is read."""

    async def caller(self, request: Request) -> Caller:
        """The caller, or the error that says how to become one."""
        ...


class OpenGate:
    """For one person on their own machine: everybody who reaches the server is that person."""

    async def caller(self, request: Request) -> Caller:
        return Caller(LOCAL_PERSON, UserRole.ADMIN, "local")


async def identified(request: Request) -> Caller:
    """The caller of this request, found once."""
    known = getattr(request.state, "caller", None)
    if not isinstance(known, Caller):
        gate: Gate = request.app.state.gate
        known = request.state.caller = await gate.caller(request)
    return known


def _requires(role: UserRole):
    async def check(caller: Annotated[Caller, Depends(identified)]) -> Caller:
        if not caller.may(role):
            raise AuthError(f"This needs the role {role.value}.", hint="Ask an administrator for that role.")
        return caller

    return check


Reader = Annotated[Caller, Depends(_requires(UserRole.USER))]
Expert = Annotated[Caller, Depends(_requires(UserRole.EXPERT))]
Admin = Annotated[Caller, Depends(_requires(UserRole.ADMIN))]


def opened_book(request: Request) -> AsyncSourcebook:
    return request.app.state.book


def server_settings(request: Request) -> Settings:
    return request.app.state.settings


Book = Annotated[AsyncSourcebook, Depends(opened_book)]
ServerSettings = Annotated[Settings, Depends(server_settings)]


def allowed_collections(caller: Caller, named: Sequence[str] | None, settings: Settings) -> list[str]:
    """The collections of a request: those it names, or the default one, each of which the caller must see.

    A collection that the caller may not see is not found, exactly as one that does not exist.
    """
    if not named:
        named = (
            [settings.collection] if caller.sees(settings.collection) else sorted(caller.collections or ())
        )
    for collection in named:
        if not caller.sees(collection):
            raise CollectionNotFound(f"there is no collection {collection!r}")
    return list(named)
