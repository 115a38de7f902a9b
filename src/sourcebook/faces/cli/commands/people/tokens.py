from typing import TYPE_CHECKING, Annotated

import typer

from sourcebook.consult.answer.transcript import moment
from sourcebook.faces import json_shapes
from sourcebook.faces.cli.commands.people.users import UserId
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import say, say_json, say_rows, tell
from sourcebook.faces.cli.terminal.plurals import counted
from sourcebook.faces.cli.terminal.text_layout import Cut
from sourcebook.model.token_ledger import OperationType, TokenTransaction

if TYPE_CHECKING:
    from sourcebook.model.people import User


def balance(call: Invocation, user_id: UserId) -> None:
    """Show how many tokens a person has."""
    with call.open() as book:
        book.people.sweep_reservations()
        user: User = book.people.get_user(user_id)
    if call.as_json:
        say_json({"user_id": user.id, "balance": user.token_balance})
    else:
        say(str(user.token_balance))


def credit(
    call: Invocation,
    user_id: UserId,
    amount: Annotated[int, typer.Argument(metavar="AMOUNT", min=1, help="How many tokens to give.")],
    *,
    note: Annotated[str | None, typer.Option("--note", metavar="TEXT", help="A note on the credit.")] = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--key",
            metavar="KEY",
            help="A unique key for this credit. Using it again credits nothing.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Give a person tokens."""
    with call.open() as book:
        newest: list[TokenTransaction] = book.people.token_history(user_id, 1)
        row: TokenTransaction = book.people.add_tokens(
            user_id,
            amount,
            OperationType.ADMIN_CREDIT,
            idempotency_key=key and f"credit:{key}",
            description=note,
            admin_id=1,
        )
        left: int = book.people.get_token_balance(user_id)
    if call.as_json:
        say_json({"transaction": json_shapes.transaction(row), "balance": left})
    else:
        is_new = not newest or row.id > newest[0].id
        done = (
            f"Credited {counted(row.amount, 'token')}."
            if is_new
            else f"Nothing was credited: {key} was used before."
        )
        tell(f"{done} The balance is {left}.")


def history(
    call: Invocation,
    user_id: UserId,
    *,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="How many rows to show.")] = 50,
) -> None:
    """Show a person's token transactions, newest first."""
    with call.open() as book:
        left: int = book.people.get_token_balance(user_id)
        rows: list[TokenTransaction] = book.people.token_history(user_id, limit)
    if call.as_json:
        say_json(
            {"user_id": user_id, "balance": left, "transactions": [json_shapes.transaction(r) for r in rows]}
        )
        return
    say_rows(
        ("id", "amount", "operation", "when", "topic", "note"),
        [(r.id, r.amount, r.operation_type, moment(r.created_at), r.topic_id, r.description) for r in rows],
        cuts={"note": Cut.END},
        spare=("topic",),
    )
