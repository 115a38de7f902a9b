from typing import Annotated

import typer

from sourcebook.consult.answer.transcript import moment
from sourcebook.faces import account_json_shapes
from sourcebook.faces.cli.commands.people.accounts import Collections, Role
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import say, say_json, say_rows, tell
from sourcebook.faces.cli.terminal.text_layout import Cut
from sourcebook.model.accounts import AccountRole, ApiKey, NewApiKey


def create(
    call: Invocation,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the key is for.")],
    *,
    role: Role = AccountRole.READER,
    collections: Collections = None,
    account: Annotated[
        str | None,
        typer.Option(
            "--account", metavar="NAME", help="The account it acts for.", show_default="a user of its own"
        ),
    ] = None,
    days: Annotated[
        int | None,
        typer.Option("--days", min=1, max=36_500, help="How long it is valid.", show_default="no end"),
    ] = None,
) -> None:
    """Make an API key for a program, and print it once.

    A key never allows more than its account. Without an account it has a user of its own, so that nobody else's
    conversations are visible with it.
    """
    with call.open_or_make() as book:
        made: NewApiKey = book.keys.create(
            name, role=role, collections=collections or None, account=account, days=days
        )
    if call.as_json:
        say_json({"key": account_json_shapes.api_key(made.key), "secret": made.secret})
        return
    tell(f"Key {made.key.id} was made, with the role {made.key.role.value}. It is not shown again:")
    say(made.secret)


def list_keys(call: Invocation) -> None:
    """List the API keys."""
    with call.open() as book:
        keys: list[ApiKey] = book.keys.all()
    if call.as_json:
        say_json({"keys": [account_json_shapes.api_key(each) for each in keys]})
        return
    say_rows(
        ("id", "name", "key", "account", "role", "collections", "last used", "valid until", "state"),
        [
            (
                each.id,
                each.name,
                f"{each.prefix}…",
                each.login,
                each.role.value,
                "all" if each.collections is None else ", ".join(each.collections) or "none",
                moment(each.last_used_at) if each.last_used_at else "never",
                moment(each.expires_at) if each.expires_at else "",
                f"revoked {moment(each.revoked_at)}" if each.revoked_at else "",
            )
            for each in keys
        ],
        cuts={"name": Cut.END, "collections": Cut.END},
        spare=("last used", "account", "role", "valid until"),
    )


def revoke(
    call: Invocation,
    key: Annotated[int, typer.Argument(metavar="ID", help="The key's number in `keys list`.")],
) -> None:
    """Make an API key useless from now on."""
    with call.open() as book:
        revoked: ApiKey = book.keys.revoke(key)
    call.confirm(
        {"key": account_json_shapes.api_key(revoked)}, f"Key {revoked.id} ({revoked.name}) is revoked."
    )
