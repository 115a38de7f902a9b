"""Who is calling, and what they may do."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, runtime_checkable

from fastapi import Depends, Request
from fastapi.dependencies.models import Dependant

from sourcebook.client import AsyncSourcebook
from sourcebook.curate.offered_sources import offered_sources
from sourcebook.errors import CollectionNotFound, RoleMissing, UsageError
from sourcebook.model.accounts import AccountRole
from sourcebook.model.moderation import Draft
from sourcebook.model.people import UserRole
from sourcebook.settings import Settings

LOCAL_PERSON = 1
_ROLES: dict[object, UserRole] = {}
"""The checks that routes depend on, with the role that each asks for."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A person or a program behind a request. `collections` are those it may see; None means all of them."""

    user_id: int
    role: UserRole
    name: str
    collections: frozenset[str] | None = None
    source: str = "local"
    """What it came in with: `account:2`, `key:3` or `local`."""

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


@runtime_checkable
class HostCheck(Protocol):
    """A gate that also refuses what nobody may send, such as a request for another host."""

    async def admit(self, request: Request) -> None: ...


class OpenGate:
    """Lets everybody in as one person who may do everything: for tests, and behind a gate of one's own."""

    async def caller(self, request: Request) -> Caller:
        return Caller(LOCAL_PERSON, UserRole.ADMIN, "local")


async def identified(request: Request) -> Caller:
    """The caller of this request, found once."""
    known = getattr(request.state, "caller", None)
    if not isinstance(known, Caller):
        gate: Gate = request.app.state.gate
        known = request.state.caller = await gate.caller(request)
    return known


def require_role(caller: Caller, role: UserRole) -> None:
    """Refuse a caller without this role."""
    if not caller.may(role):
        raise RoleMissing(f"This needs the role {AccountRole.of(role).value}.")


def require_seen(draft: Draft, sources: Sequence[int | str], caller: Caller) -> None:
    """Refuse the number of a passage in a collection that the caller may not see, as one that is not shown at all."""
    numbers = {name for name in sources if isinstance(name, int)}
    for each in offered_sources(draft):
        if each.number in numbers and not caller.sees(each.collection_id):
            raise UsageError(f"Draft {draft.id} shows no source {each.number}")


def _requires(role: UserRole) -> Callable[[Request], Coroutine[Any, Any, Caller]]:
    async def check(request: Request) -> Caller:
        caller = await identified(request)
        require_role(caller, role)
        return caller

    _ROLES[check] = role
    return check


def role_needed(dependant: Dependant) -> UserRole | None:
    """The highest role that a route asks for among all that it depends on."""
    own = [_ROLES[call] for call in [dependant.call] if call in _ROLES]
    below = [role for each in dependant.dependencies if (role := role_needed(each)) is not None]
    return max([*own, *below], key=list(UserRole).index, default=None)


Reader = Annotated[Caller, Depends(_requires(UserRole.USER))]
Expert = Annotated[Caller, Depends(_requires(UserRole.EXPERT))]
Admin = Annotated[Caller, Depends(_requires(UserRole.ADMIN))]


async def opened_book(request: Request) -> AsyncSourcebook:
    return request.app.state.book


async def server_settings(request: Request) -> Settings:
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
        if not named:
            raise CollectionNotFound("There is no collection that you may see")
    for collection in named:
        if not caller.sees(collection):
            raise CollectionNotFound.named(collection)
    return list(named)
