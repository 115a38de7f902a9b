"""How long a process that reads a file is waited for: as long as it computes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from anyio import move_on_after

_LEAST = 0.001
"""In which part of the time a process must have computed. One that waits does so in none of it; on a machine that is
very busy, one that reads a file gets a hundredth."""
_LOOKED = 0.9
"""After which part of the time it is looked at."""


@contextmanager
def until_it_stops_computing(process: int, seconds: float) -> Generator[None]:
    """Cancel what is waited for within after so many seconds in which the process did not compute.

    One that computes ends itself when it has done so for long enough, which takes a while on a busy machine. Where
    nobody can tell whether it computes, the clock alone decides.
    """
    loop = asyncio.get_running_loop()
    with move_on_after(seconds) as scope:

        def look(before: float | None) -> None:
            nonlocal timer
            now = computed(process)
            if before is not None and now is not None and now - before >= _LEAST * seconds:
                # The clock of the scope. anyio's own name for it is not to be used in a callback of the loop.
                scope.deadline = loop.time() + seconds
                timer = loop.call_later(_LOOKED * seconds, look, now)

        timer = loop.call_later(_LOOKED * seconds, look, computed(process))
        try:
            yield
        finally:
            timer.cancel()


def computed(process: int) -> float | None:
    """For how many seconds a process has computed so far. None if it is gone, or where nobody can tell."""
    try:
        told = Path(f"/proc/{process}/stat").read_text("ascii", errors="replace")
        # The name of the program stands in brackets, and may hold some itself.
        user, system = told.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return None
