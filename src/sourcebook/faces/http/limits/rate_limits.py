"""How much one caller may send in a minute, and ask in a day."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from sourcebook.errors import TooManyRequests

MINUTE, DAY = 60, 86_400
_NAMES = {MINUTE: "minute", DAY: "day"}
_REMEMBERED = 10_000


class RateLimit:
    """Counts what each source does in a while, which begins with the first thing. Each process counts its own."""

    def __init__(
        self,
        limit: int,
        setting: str,
        seconds: int = MINUTE,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit = limit
        self._setting = setting
        self._seconds = seconds
        self._now = now
        self._counts: OrderedDict[str, tuple[float, int]] = OrderedDict()

    def count(self, source: str) -> None:
        """Count one, or raise the error that says how long to wait."""
        now = self._now()
        began, count = self._counts.get(source, (now, 0))
        if now - began >= self._seconds:
            began, count = now, 0
        if count >= self._limit:
            raise TooManyRequests(
                f"The limit is {self._limit} a {_NAMES[self._seconds]}.",
                hint=f"Wait, then try again. The setting `{self._setting}` is the limit.",
                seconds=max(1, math.ceil(began + self._seconds - now)),
            )
        self._counts[source] = (began, count + 1)
        self._counts.move_to_end(source)
        if len(self._counts) > _REMEMBERED:
            self._counts.popitem(last=False)
