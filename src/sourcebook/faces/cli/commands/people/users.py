from typing import Annotated

import typer

from sourcebook.consult.answer.transcript import moment
from sourcebook.faces import json_shapes
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import say_json, say_rows, tell
from sourcebook.faces.cli.terminal.text_layout import Cut
from sourcebook.model.accounts import AccountRole
from sourcebook.model.people import ForgetReport, User, UserRole

UserId = Annotated[int, typer.Argument(metavar="ID", help="The user's number in `users list`.")]


def list_users(
    call: Invocation,
    *,
    role: Annotated[
        UserRole | None,
        typer.Option("--role", help="List only users with this role.", show_default="everybody"),
    ] = None,
) -> None:
    """List the users."""
    with call.open() as book:
        users: list[User] = book.people.list_users(role)
    if call.as_json:
        say_json({"users": [json_shapes.user(user) for user in users]})
        return
    say_rows(
        ("id", "name", "username", "telegram", "role", "tokens", "language", "since", "state"),
        [
            (
                u.id,
                u.shown_name,
                u.username,
                u.telegram_user_id,
                u.role.value,
                u.token_balance,
                u.language,
                moment(u.created_at) if u.created_at else "",
                "blocked" if u.is_blocked else "",
            )
            for u in users
        ],
        cuts={"name": Cut.END},
        spare=("language", "telegram", "since", "username"),
    )


def block(call: Invocation, user_id: UserId) -> None:
    """Refuse a person's questions."""
    with call.open() as book:
        user: User = book.people.block_user(user_id)
    _show(call, user, f"{user.shown_name} is blocked.")


def unblock(call: Invocation, user_id: UserId) -> None:
    """Accept a person's questions again."""
    with call.open() as book:
        user: User = book.people.unblock_user(user_id)
    _show(call, user, f"{user.shown_name} may ask again.")


def _role(written: str) -> UserRole:
    """A role by its name here or by that of accounts, where a user is called a reader."""
    try:
        return UserRole.USER if written == UserRole.USER else AccountRole(written).user_role
    except ValueError:
        raise typer.BadParameter(f"{written!r} is not one of 'reader', 'expert', 'admin'.") from None


def role(
    call: Invocation,
    user_id: UserId,
    role: Annotated[
        UserRole,
        typer.Argument(
            metavar="ROLE", parser=_role, help="The new role; a reader is a user.", show_default=False
        ),
    ],
) -> None:
    """Change a person's role to reader (also written user), expert or admin.

    Experts and admins decide on drafts; admins may do everything.
    """
    with call.open() as book:
        user: User = book.people.set_role(user_id, role)
    _show(call, user, f"The role of {user.shown_name} is now {user.role.value}.")


def forget(call: Invocation, user_id: UserId) -> None:
    """Remove a person's data: names, messages, drafts and conversations.

    Payments stay in the ledger, without a name. Older backups still contain everything.
    """
    with call.open() as book:
        report: ForgetReport = book.people.forget_user(user_id)
    if call.as_json:
        say_json({"forgotten": json_shapes.forget_report(report)})
        return
    tell(
        f"Removed user {user_id}: {report.messages} messages, {report.sessions} conversations and "
        f"{report.drafts} drafts. {report.transactions_kept} rows of the ledger stay, without a name."
    )
    if report.curated_kept:
        numbers = ", ".join(str(number) for number in report.curated_kept)
        tell(
            f"Curated answers from their questions stay: {numbers}. "
            "Check with `sourcebook kb list` that they name nobody."
        )


def _show(call: Invocation, user: User, told: str) -> None:
    call.confirm({"user": json_shapes.user(user)}, told)
