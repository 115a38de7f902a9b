"""Signing in and out, and who one is."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from sourcebook.faces.http.auth import sign_in
from sourcebook.faces.http.auth.caller import Book, Caller, Reader
from sourcebook.faces.http.openapi import examples
from sourcebook.model.accounts import AccountRole

router = APIRouter(prefix="/api", tags=["sign-in"])


class LoginBody(BaseModel):
    """A name and its password."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    login: str = Field(max_length=256, description="The name of the account.")
    password: str = Field(max_length=1024, description="Its password.")


class LogoutBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    everywhere: bool = Field(False, description="Sign out in all browsers and on all devices.")


@router.post("/login", summary="Sign in", responses=examples.shown(examples.SIGNED_IN))
async def login(body: LoginBody, request: Request, response: Response, book: Book) -> dict[str, Any]:
    """Sets a cookie. Requests that change something then also send `X-CSRF-Token`, with the token of `/api/me`.

    Programs need no sign-in: they send an API key as `Authorization: Bearer KEY`.
    """
    account = await sign_in.sign_in(request, response, book, body.login, body.password)
    return {
        "name": account.login,
        "role": account.role.value,
        "collections": None if account.collections is None else list(account.collections),
    }


@router.post("/logout", summary="Sign out", responses=examples.shown({"signed_out": 1}))
async def logout(
    request: Request, response: Response, caller: Reader, book: Book, body: LogoutBody | None = None
) -> dict[str, Any]:
    """Ends this sign-in, or all of the account."""
    if body is not None and body.everywhere and caller.source.startswith("account:"):
        ended = await book.accounts.sign_out_everywhere(caller.name)
        await sign_in.sign_out(request, response, book)
        return {"signed_out": ended}
    return {"signed_out": int(await sign_in.sign_out(request, response, book))}


@router.get("/me", summary="Who you are", responses=examples.shown(examples.ME))
async def me(request: Request, caller: Reader, book: Book) -> dict[str, Any]:
    """Your name and role, the collections you may see (null: all of them), and your tokens.

    `signed_in_with` is `local`, `account` or `key`. An account has a `csrf_token`, to be sent as `X-CSRF-Token`.
    """
    is_account = caller.source.startswith("account:")
    return _told(caller) | {
        "token_balance": await book.people.get_token_balance(caller.user_id),
        "csrf_token": sign_in.csrf_token(request) if is_account else None,
    }


def _told(caller: Caller) -> dict[str, Any]:
    return {
        "name": caller.name,
        "user_id": caller.user_id,
        "role": AccountRole.of(caller.role).value,
        "collections": None if caller.collections is None else sorted(caller.collections),
        "signed_in_with": caller.source.partition(":")[0] or "local",
    }
