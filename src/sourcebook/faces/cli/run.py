"""Runs a command, and turns every error into a line or a JSON document, and an exit code."""

from __future__ import annotations

import logging
import re
import sys
from io import TextIOWrapper
from typing import TYPE_CHECKING

import typer

from sourcebook.errors import SourcebookError, UsageError
from sourcebook.faces.cli.app import app
from sourcebook.faces.cli.exit_codes import ExitCode, exit_code
from sourcebook.faces.cli.interrupt_message import asks_for_json, is_interrupt, tell_interrupted
from sourcebook.faces.cli.invocation import Invocation
from sourcebook.faces.cli.terminal.output import OutputLost, flush, leave_stdout, say_error, tell
from sourcebook.text.secret_masks import without_secrets

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "sourcebook"

# How pydantic says it, and how we do.
_IN_OTHER_WORDS = (
    (re.compile(r"Input should be a valid integer\b.*"), "it must be a whole number"),
    (re.compile(r"Input should be a valid number\b.*"), "it must be a number"),
    (re.compile(r"Input should be greater than or equal to (\S+)"), r"it must be \1 or more"),
    (re.compile(r"Input should be less than or equal to (\S+)"), r"it must be \1 or less"),
    (re.compile(r": Value error, "), ": "),
)


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code."""
    _write_any_name()
    call = Invocation(as_json=asks_for_json(arguments))
    try:
        code = _run(list(arguments), call)
        flush()
    except BrokenPipeError:
        leave_stdout()
        return ExitCode.OK
    except OutputLost as error:
        leave_stdout()
        tell(f"Error: {error}")
        return ExitCode.ERROR
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
    except (BrokenPipeError, OutputLost):
        raise
    except Exception as error:
        if is_interrupt(error):  # while the command was being loaded
            return tell_interrupted(arguments)
        flush()  # If it was stdout that failed, this fails again, and there is no point in a report.
        if call.wants_tracebacks:
            logging.getLogger(PROGRAM).exception("Unexpected")
        in_one_line = " ".join(f"{type(error).__name__}: {without_secrets(str(error))}".split())
        return _report(SourcebookError(in_one_line), call)
    if code == ExitCode.INTERRUPTED and not call.has_told_interruption:
        return tell_interrupted(arguments)
    return code if isinstance(code, int) else ExitCode.OK


def _misunderstood(error: typer.TyperException) -> UsageError:
    ctx: typer.Context | None = getattr(error, "ctx", None)
    command = ctx.command_path if ctx else PROGRAM
    message = error.format_message()
    for theirs, ours in _IN_OTHER_WORDS:
        message = theirs.sub(ours, message)
    return UsageError(message, hint=f"Try `{command} --help`.")


def _report(error: SourcebookError, call: Invocation) -> int:
    say_error(error, as_json=call.as_json)
    return exit_code(error)


def _write_any_name() -> None:
    """A file name may contain bytes that are not text; printing it must not fail. In JSON the escape is valid."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
