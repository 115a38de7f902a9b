"""Accounts to sign in with and keys for programs: made, shown once, bound to roles and collections, ended."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from fastapi import Form, Response

from sourcebook.errors import SourcebookError, UsageError
from sourcebook.faces.web.error_words import ErrorWords, Said, words_for
from sourcebook.faces.web.page_frame import Overseeing, Page
from sourcebook.faces.web.page_routes import page_router
from sourcebook.model.accounts import Account, AccountRole

router = page_router()
_PASSWORD_BYTES = 15
Login = Annotated[str, Form(max_length=200)]
Chosen = Annotated[list[str] | None, Form()]


class Sees(StrEnum):
    """What an account or a key may see: every collection, now and later, or only those that are ticked."""

    ALL = "all"
    ONLY = "only"


Seeing = Annotated[Sees | None, Form()]


@dataclass(frozen=True, slots=True)
class Secret:
    """A password or a key that was just made. It is shown on this answer, and never again."""

    kind: str
    name: str
    text: str


@router.get("/settings/access")
async def access(page: Overseeing) -> Response:
    """Who may sign in, and which programs may ask."""
    return await _shown(page)


@router.post("/settings/accounts")
async def add_account(
    page: Overseeing,
    login: Login,
    role: Annotated[AccountRole, Form()] = AccountRole.READER,
    sees: Seeing = None,
    collections: Chosen = None,
) -> Response:
    """Make an account, with a password that is shown once.

    With the first one, everybody has to sign in. So it is an administrator's, and takes over what was asked so far.
    """
    password = secrets.token_urlsafe(_PASSWORD_BYTES)
    is_first = not await page.book.accounts.all()
    try:
        made = await page.book.accounts.add(
            login,
            password,
            role=AccountRole.ADMIN if is_first else role,
            collections=None if is_first else _limit(sees, collections),
            user=page.caller.user_id if is_first and page.caller.source == "local" else None,
        )
    except SourcebookError as error:
        return await _shown(page, failed=words_for(page.texts, error))
    return await _shown(page, secret=Secret("password", made.login, password))


@router.post("/settings/accounts/password")
async def set_password(page: Overseeing, login: Login) -> Response:
    """Give an account a new password, which is shown once, and sign it out everywhere."""
    password = secrets.token_urlsafe(_PASSWORD_BYTES)
    changed = await page.book.accounts.set_password(login, password)
    return await _shown(page, secret=Secret("password", changed.login, password))


@router.post("/settings/accounts/change")
async def change(
    page: Overseeing,
    login: Login,
    role: Annotated[AccountRole, Form()],
    sees: Seeing = None,
    collections: Chosen = None,
) -> Response:
    """Another role, or other collections, from the next request on."""
    account = await _another(page, login)
    limit = _limit(sees, collections, account.collections)
    if limit != account.collections:
        await page.book.accounts.set_collections(account.login, limit)
    if role is not account.role:
        await page.book.people.set_role(account.user_id, role.user_role)
    return page.go("/settings/access?done=saved")


@router.post("/settings/accounts/signout")
async def sign_out(page: Overseeing, login: Login) -> Response:
    await page.book.accounts.sign_out_everywhere(login)
    return page.go("/settings/access?done=signed_out")


@router.post("/settings/accounts/remove")
async def remove_account(page: Overseeing, login: Login) -> Response:
    """Remove an account with its keys. The person and what they asked stay."""
    account = await _another(page, login)
    await page.book.accounts.remove(account.login)
    return page.go("/settings/access?done=removed")


@router.post("/settings/keys")
async def make_key(
    page: Overseeing,
    name: Annotated[str, Form(max_length=200)],
    role: Annotated[AccountRole, Form()] = AccountRole.READER,
    account: Annotated[str, Form(max_length=200)] = "",
    days: Annotated[str, Form(max_length=10)] = "",
    sees: Seeing = None,
    collections: Chosen = None,
) -> Response:
    """Make a key for a program, and show it once."""
    try:
        if days.strip() and not days.strip().isdecimal():
            raise UsageError("`days` is a number.")
        made = await page.book.keys.create(
            name,
            role=role,
            collections=_limit(sees, collections),
            account=account or None,
            days=int(days) if days.strip() else None,
        )
    except SourcebookError as error:
        return await _shown(page, failed=words_for(page.texts, error))
    return await _shown(page, secret=Secret("key", made.key.name, made.secret))


@router.post("/settings/keys/{number}/revoke")
async def revoke(page: Overseeing, number: int) -> Response:
    await page.book.keys.revoke(number)
    return page.go("/settings/access?done=revoked")


async def _shown(page: Page, *, secret: Secret | None = None, failed: ErrorWords | None = None) -> Response:
    return await page.show(
        "access.html",
        "settings",
        accounts=await page.book.accounts.all(),
        keys=await page.book.keys.all(),
        collections=await page.collections(),
        roles=list(AccountRole),
        secret=secret,
        failed=failed,
        status=200 if failed is None else 400,
    )


def _limit(
    sees: Sees | None, ticked: Sequence[str] | None, before: tuple[str, ...] | None = None
) -> tuple[str, ...] | None:
    """The collections that an account or key is limited to; None for all, and only if all were chosen explicitly.

    A form without such a field leaves the limit as it was. Names that do not exist are refused by the store.
    """
    if sees is Sees.ALL:
        return None
    if sees is None and not ticked:
        return before
    return tuple(ticked or ())


async def _another(page: Page, login: str) -> Account:
    """The account of this name, unless it is the caller's own: nobody should lock themselves out by mistake."""
    account = await page.book.accounts.get(login)
    if account.user_id == page.caller.user_id:
        raise Said(page.texts("not_yourself"))
    return account
