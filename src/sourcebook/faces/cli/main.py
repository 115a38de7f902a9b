"""The way in and the way out: every error becomes a line, or a JSON document, and an exit code."""

from __future__ import annotations

import logging
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING

import typer

from sourcebook.errors import SourcebookError, UsageError
from sourcebook.faces.cli.app import app
from sourcebook.faces.cli.exits import ExitCode, exit_code
from sourcebook.faces.cli.invocation import Invocation, leave_stdout
from sourcebook.faces.cli.output import say_error
from sourcebook.settings import masked

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "sourcebook"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _write_any_name()
    call = Invocation(as_json=_asks_for_json(given))
    try:
        code = _run(given, call)
        sys.stdout.flush()
    except BrokenPipeError:
        leave_stdout()
        return ExitCode.OK
    return code


def _run(arguments: list[str], call: Invocation) -> int:
    command = typer.main.get_command(app)
    try:
        code = command.main(arguments, prog_name=PROGRAM, standalone_mode=False, obj=call)
    except typer.TyperException as error:
        return _report(_misunderstood(error), call)
    except typer.Abort:
        code = ExitCode.INTERRUPTED
    except SourcebookError as error:
        return _report(error, call)
    except BrokenPipeError:
        raise
    except Exception as error:
        if call.wants_tracebacks:
            logging.getLogger(PROGRAM).exception("Unexpected")
        in_one_line = " ".join(f"{type(error).__name__}: {masked(str(error))}".split())
        return _report(SourcebookError(in_one_line), call)
    if code == ExitCode.INTERRUPTED:
        interrupted = SourcebookError("Interrupted.", hint="What was finished before is kept.")
        say_error(interrupted, as_json=call.as_json)
    return code if isinstance(code, int) else ExitCode.OK


def _misunderstood(error: typer.TyperException) -> UsageError:
    ctx: typer.Context | None = getattr(error, "ctx", None)
    command = ctx.command_path if ctx else PROGRAM
    return UsageError(error.format_message(), hint=f"Try `{command} --help`.")


def _report(error: SourcebookError, call: Invocation) -> int:
    say_error(error, as_json=call.as_json)
    return exit_code(error)


def _asks_for_json(arguments: Sequence[str]) -> bool:
    """Known before the options are parsed, because a mistake among them is an error document too."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def _write_any_name() -> None:
    """A file name may hold bytes that are no text; showing it must not fail. In JSON the escape is valid."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
