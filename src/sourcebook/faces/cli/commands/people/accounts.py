import getpass
import secrets
import sys
from typing import Annotated

import typer

from sourcebook.consult.answer.transcript import moment
from sourcebook.errors import UsageError
from sourcebook.faces import account_json_shapes
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import say, say_json, say_rows, tell
from sourcebook.faces.cli.terminal.text_layout import Cut
from sourcebook.model.accounts import Account, AccountRole

Login = Annotated[str, typer.Argument(metavar="NAME", help="The name to sign in with.")]
Role = Annotated[AccountRole, typer.Option("--role", help="What it may do: ask, also review, or everything.")]
Collections = Annotated[
    list[str] | None,
    typer.Option(
        "--collection", metavar="NAME", help="A collection it may see; repeatable.", show_default="all"
    ),
]
Generate = Annotated[bool, typer.Option("--generate", help="Make up a password and print it once.")]


def add(
    call: Invocation,
    login: Login,
    *,
    role: Role = AccountRole.READER,
    collections: Collections = None,
    user: Annotated[
        int | None,
        typer.Option("--user", metavar="ID", help="An existing user in `users list`.", show_default="new"),
    ] = None,
    generate: Generate = False,
) -> None:
    """Make an account for signing in to the page.

    The password is asked for, or read from the first line of the input if that is not a terminal.
    """
    password = _password(generate)
    with call.open_or_make() as book:
        made: Account = book.accounts.add(
            login, password, role=role, collections=collections or None, user=user
        )
    _show(
        call, made, f"The account {made.login} was made, with the role {made.role.value}.", generate, password
    )


def list_accounts(call: Invocation) -> None:
    """List the accounts."""
    with call.open() as book:
        accounts: list[Account] = book.accounts.all()
    if call.as_json:
        say_json({"accounts": [account_json_shapes.account(each) for each in accounts]})
        return
    say_rows(
        ("name", "user", "role", "collections", "last sign-in", "since", "state"),
        [
            (
                each.login,
                each.user_id,
                each.role.value,
                "all" if each.collections is None else ", ".join(each.collections) or "none",
                moment(each.last_login_at) if each.last_login_at else "never",
                moment(each.created_at),
                "blocked" if each.is_blocked else "",
            )
            for each in accounts
        ],
        cuts={"collections": Cut.END},
        spare=("since", "user", "last sign-in"),
    )


def remove(call: Invocation, login: Login) -> None:
    """Remove an account, its sign-ins and its API keys.

    The user and the user's conversations stay; `sourcebook users forget ID` removes those.
    """
    with call.open() as book:
        book.accounts.remove(login)
    call.confirm({"removed": login}, f"The account {login} was removed.")


def password(call: Invocation, login: Login, *, generate: Generate = False) -> None:
    """Change an account's password, and sign it out everywhere.

    The password is asked for, or read from the first line of the input if that is not a terminal.
    """
    with call.open() as book:
        book.accounts.get(login)
        chosen = _password(generate)
        account: Account = book.accounts.set_password(login, chosen)
    _show(call, account, f"The password of {account.login} was changed.", generate, chosen)


def collections(call: Invocation, login: Login, *, collections: Collections = None) -> None:
    """Change which collections an account may see."""
    with call.open() as book:
        account: Account = book.accounts.set_collections(login, collections or None)
    seen = "all collections" if account.collections is None else ", ".join(account.collections)
    _show(call, account, f"{account.login} may see {seen}.")


def signout(call: Invocation, login: Login) -> None:
    """Sign an account out everywhere."""
    with call.open() as book:
        ended: int = book.accounts.sign_out_everywhere(login)
    call.confirm(
        {"signed_out": ended}, f"{login} was signed out in {ended} place{'' if ended == 1 else 's'}."
    )


def _show(call: Invocation, account: Account, told: str, generated: bool = False, chosen: str = "") -> None:
    if call.as_json:
        more = {"password": chosen} if generated else {}
        say_json({"account": account_json_shapes.account(account), **more})
        return
    tell(told)
    if generated:
        tell("Its password, which is not shown again:")
        say(chosen)


def _password(generate: bool) -> str:
    if generate:
        return secrets.token_urlsafe(15)
    if sys.stdin is not None and sys.stdin.isatty():
        first = getpass.getpass("Password: ")
        if getpass.getpass("Again: ") != first:
            raise UsageError("The two passwords differ.", hint="Try again. Nothing was changed.")
        return first
    given = "" if sys.stdin is None else sys.stdin.readline().rstrip("\r\n")
    if not given:
        raise UsageError("No password was given.", hint="Write it to the input, or use `--generate`.")
    return given
