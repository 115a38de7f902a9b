"""Copies of the rows that filters let through, for the searches that come after the first with such a filter."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_BYTES = 32 << 20
# Larger copies are made in little more time than it takes to look at them.
_MOST_BYTES_OF_ONE = 1 << 20


class HeldRows:
    """Arrays of all filters of an engine. Together they take no more than so many bytes: those used last stay."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._held: OrderedDict[object, NDArray[Any]] = OrderedDict()
        self._lock = Lock()
        self.bytes = 0

    def get_or_make(self, key: object, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """What is held under this key, or is made now and held from now on."""
        with self._lock:
            found = self._held.get(key)
            if found is not None:
                self._held.move_to_end(key)
                return found
        made = make()
        if made.nbytes <= _MOST_BYTES_OF_ONE:
            self._hold(key, made)
        return made

    def _hold(self, key: object, made: NDArray[Any]) -> None:
        with self._lock:
            # Another thread may have made it meanwhile.
            if key not in self._held:
                self._held[key] = made
                self.bytes += made.nbytes
            while self.bytes > self._most_bytes:
                self.bytes -= self._held.popitem(last=False)[1].nbytes
