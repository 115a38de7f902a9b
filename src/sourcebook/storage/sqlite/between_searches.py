"""What the next search would have to do first, done while nobody waits for it."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from sourcebook.storage.sqlite.worker_session import SqliteSession

    Work: TypeAlias = Callable[[SqliteSession], object]

# Who asks again so soon will probably ask once more.
_ASKS_ON = 0.25
# A look at whether anything was written takes less than a hundredth of this: 0.1 ms.
_PAUSE = 0.02


class BetweenSearches:
    """Follows what others write for as long as somebody goes on asking.

    A search follows by itself what was written before it began, so nothing depends on this. But all that are asked at
    that moment wait for it. Between two searches most of it is done before anybody asks.
    """

    def __init__(self, do: Callable[[Sequence[Work]], bool]) -> None:
        """`do` does some work in the event loop, if it is free for it, and says whether the base is open."""
        self._do = do
        self._asked: dict[object, tuple[Work, float]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def asked(self, key: object, work: Work) -> None:
        """Somebody asks. `work` is what the next one would wait for; where it is done already, it takes no time."""
        now = time.monotonic()
        _, before = self._asked.get(key, (work, -math.inf))
        self._asked[key] = work, now
        if self._timer is None and now - before < _ASKS_ON:
            self._look_later()

    def _look_later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(_PAUSE, self._look)

    def _look(self) -> None:
        self._timer = None
        since = time.monotonic() - _ASKS_ON
        self._asked = {key: asked for key, asked in self._asked.items() if asked[1] >= since}
        if self._asked and self._do([work for work, _ in self._asked.values()]):
            self._look_later()
