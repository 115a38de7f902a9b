"""The command `sourcebook`: for people at a terminal and for scripts."""

# ruff: noqa: PLC0415 - the command is loaded inside of `main`, because people press Ctrl-C while it is, too

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    _occupy_closed_streams()
    code = _run(list(sys.argv[1:] if arguments is None else arguments))
    if arguments is None and code == _INTERRUPTED:
        _leave_at_once(code)
    return code


def _run(given: list[str]) -> int:
    try:
        from sourcebook.faces.cli.run import run

        return run(given)
    except BaseException as error:
        from sourcebook.faces.cli.interrupt_message import is_interrupt, tell_interrupted

        if not is_interrupt(error):
            raise

        return tell_interrupted(given)


def _leave_at_once(code: int) -> None:
    """The base is closed and everything is said; a thread that still computes what nobody wants is not waited for."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


def _occupy_closed_streams() -> None:
    """Where a standard stream is closed, the next file that is opened would take its place, and its output."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
