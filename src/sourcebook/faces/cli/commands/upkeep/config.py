from typing import Annotated
from urllib.parse import unquote, urlsplit

import anyio
import typer

from sourcebook.assembly.cluster import spread_base
from sourcebook.errors import UsageError
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import say, say_json, say_rows, tell
from sourcebook.settings import masked, shadowed_by, write_setting
from sourcebook.storage.postgres.citus import STEPS, TABLES_SPREAD, Cluster, DoneStep, Node, statements


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
        say_json({"key": key, "value": masked(value), "file": str(path), "hidden_by": hides and hides.value})
        return
    tell(f"{key} is back to its default." if unset else f"{key} = {masked(value)}, in {path}.")
    if hides is not None:
        tell(f"It has no effect yet: {hides.value} sets {key} too, and comes first.")


def citus(
    call: Invocation,
    *,
    apply: Annotated[
        bool, typer.Option("--apply", help="Carry out the steps, check each, and say what was done.")
    ] = False,
    worker: Annotated[
        list[str] | None,
        typer.Option("--worker", metavar="HOST:PORT", help="A worker that is to join. May be repeated."),
    ] = None,
    coordinator: Annotated[
        str | None,
        typer.Option(
            "--coordinator",
            metavar="HOST:PORT",
            help="The coordinator as the workers reach it, if not as in --db.",
        ),
    ] = None,
    shards: Annotated[
        int, typer.Option("--shards", min=1, metavar="N", help="How many shards to split each table into.")
    ] = 8,
) -> None:
    """Spread a base over several servers with Citus. Without --apply, only print the statements that do."""
    address = call.loaded.settings.db
    if apply:
        _spread(call, address, worker or [], coordinator, shards)
        return
    path = urlsplit(address).path.strip("/") if "://" in address else ""
    sql = statements(unquote(path) or "sourcebook", shards)
    if call.as_json:
        say_json({"steps": list(STEPS), "statements": sql})
        return
    for number, step in enumerate(STEPS, start=1):
        tell(f"{number}. {step}")
    for statement in sql:
        say(statement)


def _spread(call: Invocation, address: str, workers: list[str], coordinator: str | None, shards: int) -> None:
    def show_step(step: DoneStep) -> None:
        if not call.as_json:
            say(f"{step.title}: {'as it should be' if step.was_done else 'done'}")

    reached_at = Node.parse(coordinator) if coordinator is not None else None
    cluster = Cluster(address, [Node.parse(text) for text in workers], reached_at, shards)
    done = anyio.run(spread_base, cluster, show_step)
    if call.as_json:
        say_json({"steps": [{"step": step.title, "was_done": step.was_done} for step in done]})
    elif any(step.was_done for step in done if step.title == TABLES_SPREAD) and not all(
        step.was_done for step in done
    ):
        tell(
            "A worker that joined later holds no documents yet: `select citus_rebalance_start()` moves some to it."
        )
