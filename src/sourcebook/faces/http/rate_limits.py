"""How much one caller may send in a minute."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from sourcebook.errors import TooManyRequests

_MINUTE = 60.0
_REMEMBERED = 10_000


class MinuteLimit:
    """Counts what each source does in a minute, which begins with the first thing. Each process counts its own."""

    def __init__(self, limit: int, setting: str, now: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._setting = setting
        self._now = now
        self._counts: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def count(self, source: str) -> None:
        """Count one, or raise the error that says how long to wait."""
        now = self._now()
        began, count = self._counts.get(source, (now, 0))
        if now - began >= _MINUTE:
            began, count = now, 0
        if count >= self._limit:
            raise TooManyRequests(
                f"The limit is {self._limit} a minute.",
                hint=f"Wait, then try again. The setting `{self._setting}` is the limit.",
                seconds=max(1, math.ceil(began + _MINUTE - now)),
            )
        self._counts[source] = (began, count + 1)
        self._counts.move_to_end(source)
        if len(self._counts) > _REMEMBERED:
            self._counts.popitem(last=False)
