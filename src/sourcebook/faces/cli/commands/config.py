from typing import Annotated
from urllib.parse import unquote, urlsplit

import typer

from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.output import say, say_json, say_rows, tell
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
