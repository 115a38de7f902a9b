"""Many strings in two arrays, which can live in a mapped file and cost nothing until they are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class PackedStrings(Sequence[str]):
    """UTF-8 bytes one after the other; string number i lies between offsets i and i + 1."""

    data: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, strings: Iterable[str]) -> PackedStrings:
        parts = [string.encode() for string in strings]
        offsets = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        return cls(np.frombuffer(b"".join(parts), dtype=np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return self.several(np.arange(*index.indices(len(self))))
        return self.data[self.offsets[index] : self.offsets[index + 1]].tobytes().decode()

    def several(self, rows: NDArray[np.integer[Any]]) -> list[str]:
        """The strings of these numbers, in their order."""
        data = self.data.data
        ends = zip(self.offsets[rows].tolist(), self.offsets[rows + 1].tolist(), strict=True)
        return [str(data[start:end], "utf-8") for start, end in ends]

    def taken(self, rows: NDArray[np.integer[Any]]) -> PackedStrings:
        """The same as packed strings, without a look at each."""
        first = self.offsets[rows]
        offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        lengths = self.offsets[rows + 1] - first
        np.cumsum(lengths, out=offsets[1:])
        return PackedStrings(
            self.data[np.repeat(first - offsets[:-1], lengths) + np.arange(offsets[-1])], offsets
        )

    @classmethod
    def joined(cls, old: Sequence[PackedStrings]) -> PackedStrings:
        """All strings of the first, then all of the second, and so on."""
        ends = np.cumsum([0, *(len(packed.data) for packed in old)])
        offsets = [packed.offsets[:-1] + end for packed, end in zip(old, ends[:-1], strict=True)]
        return cls(
            np.concatenate([packed.data for packed in old]), np.append(np.concatenate(offsets), ends[-1])
        )
