"""The `sourcebook` command and its subcommands."""

from typing import TYPE_CHECKING, Annotated

import typer

from sourcebook._version import __version__
from sourcebook.errors import UsageError
from sourcebook.faces.cli.common_options import Db, Json, Level
from sourcebook.faces.cli.lazy_commands import AllCommands
from sourcebook.faces.cli.terminal.output import say, say_json, tell

if TYPE_CHECKING:
    from sourcebook.faces.cli.invocation import Invocation

app = typer.Typer(
    name="sourcebook",
    cls=AllCommands,
    help="A self-hosted knowledge base: point it at a folder of documents, then ask.",
    epilog="The options --db, --json and --log-level may come before or after the command.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(ctx: typer.Context, asked: bool) -> None:
    if not asked or ctx.resilient_parsing:
        return
    call: Invocation = ctx.obj
    if call.as_json:
        say_json({"version": __version__})
    else:
        say(f"sourcebook {__version__}")
    raise typer.Exit


@app.callback(invoke_without_command=True)
def common(
    ctx: typer.Context,
    db: Db = None,
    as_json: Json = False,
    log_level: Level = None,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    call: Invocation = ctx.obj
    call.take(db=db, log_level=log_level)
    if ctx.invoked_subcommand is None:
        if not call.as_json:
            tell(ctx.get_help())
        raise UsageError("No command was given.", hint="`sourcebook --help` lists the commands.")
