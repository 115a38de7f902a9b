"""Half of a long scan for another core, if there is one that has nothing else to do."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeAlias

Work: TypeAlias = Callable[[int, int], None]
"""Does what belongs to the rows from the first number up to the second, and lets other threads run meanwhile."""


def in_halves(work: Work, count: int, worth_it: int) -> None:
    """Do the work for `count` rows, the second half in another thread from `worth_it` rows on.

    Nobody waits for a thread that is busy or has not begun: what it left is done here. So a machine without a free core
    loses next to nothing by it, and neither does a process that was forked and has no such thread.
    """
    helper = _helper() if count >= worth_it else None
    if helper is None:
        work(0, count)
        return
    middle = count // 2
    second = helper.submit(work, middle, count)
    try:
        work(0, middle)
    except BaseException:
        second.cancel()
        raise
    if second.cancel():
        work(middle, count)
    else:
        second.result()


@cache
def _helper() -> ThreadPoolExecutor | None:
    return ThreadPoolExecutor(1, thread_name_prefix="sourcebook-scan") if _cores() > 1 else None


def _cores() -> int:
    # Where a process can be kept to some of the cores, only those count.
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
