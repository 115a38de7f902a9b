from typing import Annotated
from urllib.parse import unquote, urlsplit

import typer

from sourcebook.errors import UsageError
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import say, say_json, say_rows, tell
from sourcebook.settings import shadowed_by, write_setting
from sourcebook.storage.postgres.citus import STEPS, statements


def show(call: Invocation) -> None:
    """Show every setting, its value, and where it came from. Passwords are masked."""
    settings = call.loaded.as_dict()
    if call.as_json:
        say_json({"settings": settings})
        return
    say_rows(
        ("setting", "value", "from"),
        [(key, entry["value"], entry["origin"]) for key, entry in settings.items()],
    )


def set_(
    call: Invocation,
    key: Annotated[str, typer.Argument(metavar="KEY", help="The setting, as `config show` names it.")],
    value: Annotated[str | None, typer.Argument(metavar="VALUE", help="Its new value.")] = None,
    *,
    unset: Annotated[bool, typer.Option("--unset", help="Go back to the default.")] = False,
) -> None:
    """Write a setting to sourcebook.toml in this folder. The rest of the file stays as it is."""
    if (value is None) != unset:
        raise UsageError(
            "Give a value, or --unset.", hint=f"For example: `sourcebook config set {key} VALUE`."
        )
    path = write_setting(key, value)
    hides = shadowed_by(key)
    if call.as_json:
        say_json({"key": key, "value": value, "file": str(path), "hidden_by": hides and hides.value})
        return
    tell(f"{key} is back to its default." if unset else f"{key} = {value}, in {path}.")
    if hides is not None:
        tell(f"It has no effect yet: {hides.value} sets {key} too, and comes first.")


def citus(
    call: Invocation,
    *,
    shards: Annotated[
        int, typer.Option("--shards", min=1, metavar="N", help="How many shards to split each table into.")
    ] = 8,
) -> None:
    """Print the statements that spread a base over several servers with Citus. Nothing is run."""
    path = urlsplit(call.loaded.settings.db).path.strip("/") if "://" in call.loaded.settings.db else ""
    sql = statements(unquote(path) or "sourcebook", shards)
    if call.as_json:
        say_json({"steps": list(STEPS), "statements": sql})
        return
    for number, step in enumerate(STEPS, start=1):
        tell(f"{number}. {step}")
    for statement in sql:
        say(statement)
