"""People and their tokens."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from sourcebook.errors import UsageError
from sourcebook.faces import json_shapes
from sourcebook.faces.http.auth.caller import Admin, Book
from sourcebook.faces.http.auth.guarded_routes import guarded_router, require_whole_base
from sourcebook.faces.http.openapi import examples
from sourcebook.faces.http.routes.shared_parameters import Body, IdempotencyKey, Limit, Number
from sourcebook.model.people import User, UserRole
from sourcebook.model.token_ledger import MOST_TOKENS, OperationType

router = guarded_router("people")


class RoleBody(Body):
    """What a person may do."""

    role: UserRole = Field(description="The new role.")


class Credit(Body):
    """Tokens for a person."""

    amount: int = Field(ge=1, le=MOST_TOKENS, description="How many tokens to give.")
    note: str | None = Field(None, max_length=500, description="A note on the credit.")


@router.get("/users", summary="List people", responses=examples.shown({"users": [examples.USER]}))
async def list_users(
    caller: Admin,
    book: Book,
    role: Annotated[UserRole | None, Query(description="Only of this role.")] = None,
) -> dict[str, Any]:
    """The people who use the base."""
    require_whole_base(caller)
    found: list[User] = await book.people.list_users(role)
    return {"users": [json_shapes.user(user) for user in found]}


@router.get("/users/{number}", summary="Show a person", responses=examples.shown({"user": examples.USER}))
async def show_user(number: Number, caller: Admin, book: Book) -> dict[str, Any]:
    """A person, with their role and tokens."""
    require_whole_base(caller)
    return {"user": json_shapes.user(await book.people.get_user(number))}


@router.post(
    "/users/{number}/block", summary="Block a person", responses=examples.shown({"user": examples.USER})
)
async def block(number: Number, caller: Admin, book: Book) -> dict[str, Any]:
    """Refuse a person's questions."""
    require_whole_base(caller)
    if number == caller.user_id:
        raise UsageError("You cannot block yourself.", hint="Ask another administrator.")
    return {"user": json_shapes.user(await book.people.block_user(number))}


@router.post(
    "/users/{number}/unblock", summary="Unblock a person", responses=examples.shown({"user": examples.USER})
)
async def unblock(number: Number, caller: Admin, book: Book) -> dict[str, Any]:
    """Accept a person's questions again."""
    require_whole_base(caller)
    return {"user": json_shapes.user(await book.people.unblock_user(number))}


@router.put(
    "/users/{number}/role", summary="Change a role", responses=examples.shown({"user": examples.USER})
)
async def change_role(number: Number, body: RoleBody, caller: Admin, book: Book) -> dict[str, Any]:
    """Change what a person may do. Experts decide on drafts; administrators may do everything."""
    require_whole_base(caller)
    if number == caller.user_id:
        raise UsageError("You cannot change your own role.", hint="Ask another administrator.")
    return {"user": json_shapes.user(await book.people.set_role(number, body.role))}


@router.delete(
    "/users/{number}",
    summary="Forget a person",
    responses=examples.shown({"forgotten": examples.FORGOTTEN}),
)
async def forget(number: Number, caller: Admin, book: Book) -> dict[str, Any]:
    """Remove a person's names, messages, drafts and conversations. Payments stay in the ledger, without a name."""
    require_whole_base(caller)
    if number == caller.user_id:
        raise UsageError("You cannot forget yourself.", hint="Ask another administrator.")
    return {"forgotten": json_shapes.forget_report(await book.people.forget_user(number))}


@router.get(
    "/users/{number}/tokens",
    summary="Show a person's tokens",
    responses=examples.shown({"user_id": 2, "balance": 5, "transactions": [examples.TRANSACTION]}),
)
async def tokens(number: Number, caller: Admin, book: Book, limit: Limit = 50) -> dict[str, Any]:
    """A person's balance and transactions, the newest first."""
    require_whole_base(caller)
    await book.people.sweep_reservations()
    return {
        "user_id": number,
        "balance": await book.people.get_token_balance(number),
        "transactions": [json_shapes.transaction(r) for r in await book.people.token_history(number, limit)],
    }


@router.post(
    "/users/{number}/tokens",
    status_code=201,
    summary="Give a person tokens",
    responses=examples.shown({"transaction": examples.TRANSACTION, "balance": 5}, status=201),
)
async def credit(
    number: Number, body: Credit, caller: Admin, book: Book, idempotency_key: IdempotencyKey = None
) -> dict[str, Any]:
    """Give a person tokens. Sent again with the same `Idempotency-Key`, they are given once."""
    require_whole_base(caller)
    row = await book.people.add_tokens(
        number,
        body.amount,
        OperationType.ADMIN_CREDIT,
        idempotency_key=idempotency_key and f"credit:{idempotency_key}",
        description=body.note,
        admin_id=caller.user_id,
    )
    return {
        "transaction": json_shapes.transaction(row),
        "balance": await book.people.get_token_balance(number),
    }
