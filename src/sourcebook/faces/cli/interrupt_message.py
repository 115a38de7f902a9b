"""How the command ends on Ctrl-C. It imports little, because little may have been loaded by then."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, TextIO, cast

from sourcebook.errors import SourcebookError
from sourcebook.faces.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence


INTERRUPTED = SourcebookError("Interrupted.", hint="Finished work is kept.")


def tell_interrupted(arguments: Sequence[str]) -> ExitCode:
    """Report the interruption as text or JSON, and return the exit code."""
    error = INTERRUPTED
    in_json = asks_for_json(arguments)
    stream = cast("TextIO | None", sys.stdout if in_json else sys.stderr)
    if stream is not None:  # It may have been closed before the command began.
        text = (
            json.dumps({"error": error.as_dict()}, indent=2)
            if in_json
            else f"Error: {error.message}\n{error.hint}"
        )
        stream.write(f"{text}\n")
    return ExitCode.INTERRUPTED


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Decided before the options are parsed, because a mistake in them must be reported as JSON too."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind it: inside of a class body, Python 3.11 makes a RuntimeError of that."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None
