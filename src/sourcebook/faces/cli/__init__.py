"""The command `sourcebook`: for people at a terminal and for scripts."""

# ruff: noqa: PLC0415 - the command is loaded inside of `main`, because people press Ctrl-C while it is, too

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    _occupy_closed_streams()
    try:
        from sourcebook.faces.cli.run import run

        return run(given)
    except BaseException as error:
        if not _is_interrupt(error):
            raise
        from sourcebook.faces.cli.interrupt_message import tell_interrupted

        return tell_interrupted(given)


def _occupy_closed_streams() -> None:
    """Where a standard stream is closed, the next file that is opened would take its place, and its output."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind it: inside of a class body, Python 3.11 makes a RuntimeError of that."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None
