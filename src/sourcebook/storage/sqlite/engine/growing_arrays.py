"""Arrays that rows are appended to in place, while others go on reading what they hold of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sourcebook.storage.sqlite.engine.packed_strings import PackedStrings

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAST_ROOM = 256


class GrowingArray:
    """Room that is filled from its beginning. What was handed out stays as it is: new rows come behind it.

    Room that nobody has written to takes no memory. When it is full, everything moves to twice as much.
    """

    __slots__ = ("_axis", "_room")

    def __init__(self, like: NDArray[Any], axis: int = 0) -> None:
        """For rows of the shape and type of these, none of which are in it yet."""
        self._axis = axis
        self._room = np.empty(self._shape(like, 0), dtype=like.dtype)

    def has_room(self, end: int) -> bool:
        return end <= self._room.shape[self._axis]

    def put(self, start: int, rows: NDArray[Any]) -> NDArray[Any]:
        """Place rows behind the first `start`. All of them until then."""
        end = start + rows.shape[self._axis]
        if not self.has_room(end):
            larger = np.empty(self._shape(rows, max(2 * end, _LEAST_ROOM)), dtype=self._room.dtype)
            larger[self._between(0, start)] = self._room[self._between(0, start)]
            # Whoever reads at this moment has the old room, which stays as it is.
            self._room = larger
        self._room[self._between(start, end)] = rows
        return self.until(end)

    def until(self, end: int) -> NDArray[Any]:
        return self._room[self._between(0, end)]

    def _between(self, start: int, end: int) -> tuple[slice, ...]:
        return (slice(None),) * self._axis + (slice(start, end),)

    def _shape(self, like: NDArray[Any], length: int) -> tuple[int, ...]:
        shape = list(like.shape)
        shape[self._axis] = length
        return tuple(shape)


class GrowingStrings:
    """The same for strings."""

    __slots__ = ("_data", "_offsets")

    def __init__(self) -> None:
        self._data = GrowingArray(np.empty(0, dtype=np.uint8))
        self._offsets = GrowingArray(np.empty(0, dtype=np.int64))
        self._offsets.put(0, np.zeros(1, dtype=np.int64))

    def put(self, count: int, added: PackedStrings) -> PackedStrings:
        """Place strings behind the first `count`. All of them until then."""
        end = int(self._offsets.until(count + 1)[-1])
        data = self._data.put(end, added.data[added.offsets[0] : added.offsets[-1]])
        return PackedStrings(data, self._offsets.put(count + 1, added.offsets[1:] + (end - added.offsets[0])))
