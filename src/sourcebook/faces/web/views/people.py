"""People: their roles, balances, and the right to be forgotten."""

from __future__ import annotations

from typing import Annotated

from fastapi import Form, Response

from sourcebook.faces.web.error_words import Said
from sourcebook.faces.web.page_frame import Overseeing
from sourcebook.faces.web.page_routes import page_router
from sourcebook.model.people import UserRole
from sourcebook.model.token_ledger import OperationType

router = page_router()
_LARGEST = 1_000_000


@router.get("/people")
async def listed(page: Overseeing) -> Response:
    """Everybody the base knows."""
    users = await page.book.people.list_users()
    return await page.show("people.html", "people", users=users, roles=list(UserRole))


@router.get("/people/{user_id}")
async def one(page: Overseeing, user_id: int) -> Response:
    """One person, with their tokens."""
    user = await page.book.people.get_user(user_id)
    history = await page.book.people.token_history(user_id)
    return await page.show("person.html", "people", user=user, history=history, roles=list(UserRole))


@router.post("/people/{user_id}/credit")
async def credit(
    page: Overseeing,
    user_id: int,
    amount: Annotated[int, Form(ge=-_LARGEST, le=_LARGEST)],
    key: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Give tokens, or take them. The key of the form makes a double click count once."""
    people = page.book.people
    change = people.add_tokens if amount > 0 else people.deduct_tokens
    if amount:
        await change(
            user_id,
            abs(amount),
            OperationType.ADMIN_CREDIT,
            idempotency_key=f"page:{key}" if key else None,
            admin_id=page.caller.user_id,
        )
    return page.go(f"/people/{user_id}?done=saved")


@router.post("/people/{user_id}/role")
async def set_role(page: Overseeing, user_id: int, role: Annotated[UserRole, Form()]) -> Response:
    _not_oneself(page, user_id)
    await page.book.people.set_role(user_id, role)
    return page.go(f"/people/{user_id}?done=saved")


@router.post("/people/{user_id}/block")
async def block(page: Overseeing, user_id: int) -> Response:
    _not_oneself(page, user_id)
    await page.book.people.block_user(user_id)
    return page.go(f"/people/{user_id}?done=saved")


@router.post("/people/{user_id}/unblock")
async def unblock(page: Overseeing, user_id: int) -> Response:
    await page.book.people.unblock_user(user_id)
    return page.go(f"/people/{user_id}?done=saved")


@router.post("/people/{user_id}/forget")
async def forget(page: Overseeing, user_id: int) -> Response:
    """Remove a person's names, messages and conversations for good."""
    _not_oneself(page, user_id)
    await page.book.people.forget_user(user_id)
    return page.go("/people?done=forgotten")


def _not_oneself(page: Overseeing, user_id: int) -> None:
    if user_id == page.caller.user_id:
        raise Said(page.texts("not_yourself"))
