"""Codes of vectors: a sign and a byte for each number, to find candidates by before the stored numbers are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import simsimd

from sourcebook.storage.sqlite.engine.spooled_bytes import SpooledBytes, let_go

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_BLOCK = 8192
# Numbers of a block are held several times, in single precision, while codes are made of them.
_BLOCK_OF_CODES = 1024
_LARGEST = 127
# Few numbers are farther out than nearly all of them; they are cut, so that the others are told apart more finely.
_SHARE_INSIDE = 0.9999
_ROWS_TO_MEASURE = 2_000
# Of shorter vectors, the signs are read as fast as some of them would be.
_FEWEST_FOR_LEADING = 256
_LEADING = 128
_WORD = 64
_ROWS_IN_CACHE = 32_768


@dataclass(frozen=True, eq=False)
class Quantiser:
    """How numbers become codes. Every process has that of the shared file, so that all of them find the same by it."""

    centre: NDArray[np.float32]
    """The mean vector: signs tell most when each number is above it half of the time."""
    step: float
    """The distance of two numbers whose bytes differ by one."""
    leading: NDArray[np.int64] | None = None
    """The places of the 128 numbers that vary most: their signs tell most. None if they would tell too little."""

    @classmethod
    def of(cls, matrix: NDArray[np.floating[Any]], count: int) -> Quantiser:
        """For these rows, `count` of which are vectors and the others zeros."""
        total = np.zeros(matrix.shape[1])
        step = -(-len(matrix) // _ROWS_TO_MEASURE) or 1
        measured = [matrix[:0]]
        for start in range(0, len(matrix), _BLOCK):
            block = matrix[start : start + _BLOCK]
            total += block.sum(axis=0, dtype=np.float64)
            measured.append(block[-start % step :: step].copy())
            let_go(matrix)
        some = np.concatenate(measured).astype(np.float32)
        widest = float(np.quantile(np.abs(some), _SHARE_INSIDE)) if some.size else 0.0
        centre = (total / max(count, 1)).astype(np.float32)
        leading = None
        if matrix.shape[1] >= _FEWEST_FOR_LEADING and some.size:
            leading = np.sort(np.argsort(-some.var(axis=0), kind="stable")[:_LEADING])
        return cls(centre, widest / _LARGEST or 1.0, leading)

    def codes(self, matrix: NDArray[np.floating[Any]], folder: Path | None = None) -> Codes:
        """The codes of these rows. The bytes of very many go to a file of the folder."""
        count, dimensions = matrix.shape
        signs = np.empty((count, (dimensions + 7) // 8), dtype=np.uint8)
        leading = None if self.leading is None else np.empty((_LEADING // _WORD, count), dtype=np.uint64)
        numbers = SpooledBytes(folder)
        for start in range(0, count, _BLOCK_OF_CODES):
            block = matrix[start : start + _BLOCK_OF_CODES].astype(np.float32)
            is_above = block > self.centre
            signs[start : start + _BLOCK_OF_CODES] = np.packbits(is_above, axis=1)
            numbers.append(_bytes(block, self.step).tobytes())
            if leading is not None:
                leading[:, start : start + _BLOCK_OF_CODES] = self._leading(is_above).T
            if folder is not None:
                let_go(matrix)
        return Codes(signs, numbers.array(np.int8).reshape(count, dimensions), self, leading)

    def signs_of(self, query: NDArray[np.float32]) -> NDArray[np.uint8]:
        return np.packbits(query > self.centre)

    def leading_signs_of(self, query: NDArray[np.float32]) -> NDArray[np.uint64]:
        return self._leading((query > self.centre)[None])[0]

    def _leading(self, is_above: NDArray[np.bool_]) -> NDArray[np.uint64]:
        """The leading signs of each row, 64 in a word."""
        return np.ascontiguousarray(np.packbits(is_above[:, self.leading], axis=1)).view(np.uint64)


@dataclass(frozen=True, eq=False)
class Codes:
    """The signs of some rows, eight in a byte, and a byte for each of their numbers.

    `leading` holds some of the signs once more, a word of 64 after the other for all rows, so that numpy counts them.
    """

    signs: NDArray[np.uint8]
    numbers: NDArray[np.int8]
    by: Quantiser
    leading: NDArray[np.uint64] | None = None

    def leading_differing(
        self, rows: NDArray[np.int64] | None, wanted: NDArray[np.uint64]
    ) -> NDArray[np.uint8]:
        """In how many of the leading signs each of these rows (None: all) differs from the wanted ones."""
        assert self.leading is not None  # noqa: S101
        words = self.leading if rows is None else self.leading.take(rows, axis=1)
        found = np.zeros(words.shape[1], dtype=np.uint8)
        for start in range(0, len(found), _ROWS_IN_CACHE):
            own = found[start : start + _ROWS_IN_CACHE]
            for word, sign in zip(words[:, start : start + _ROWS_IN_CACHE], wanted, strict=True):
                own += np.bitwise_count(word ^ sign)
        return found

    def products(self, rows: NDArray[np.int64], wanted: NDArray[np.int8]) -> NDArray[np.float64]:
        """The products with a question in bytes: in the order of the real ones, or nearly so."""
        if not len(rows):
            return np.empty(0)
        found = simsimd.cdist(wanted.reshape(1, -1), gathered(self.numbers, rows), "dot")
        return np.asarray(found, dtype=np.float64).ravel()


def differing_signs(signs: NDArray[np.uint8], wanted: NDArray[np.uint8]) -> NDArray[np.uint16]:
    """In how many signs each of these rows differs from the wanted ones."""
    if not len(signs):
        return np.empty(0, dtype=np.uint16)
    # A sixth faster than the same by `cdist`.
    found = simsimd.hamming(wanted.reshape(1, -1), np.ascontiguousarray(signs), "bin8")
    return np.asarray(found).ravel().astype(np.uint16)


def bytes_of(query: NDArray[np.float32]) -> NDArray[np.int8]:
    """A question in bytes: finer than the rows, since only the order of products matters."""
    return _bytes(query, float(np.abs(query).max()) / _LARGEST or 1.0)


def _bytes(numbers: NDArray[np.float32], step: float) -> NDArray[np.int8]:
    return np.rint(numbers * np.float32(1 / step)).clip(-_LARGEST, _LARGEST).astype(np.int8)


def gathered(matrix: NDArray[Any], rows: NDArray[np.int64]) -> NDArray[Any]:
    """`matrix[rows]`, several times as fast: each row is copied as one value, not number by number."""
    if not matrix.shape[1] or not matrix.flags.c_contiguous:
        return matrix[rows]
    return _whole_rows(matrix).take(rows).view(matrix.dtype).reshape(-1, matrix.shape[1])


def put_rows(
    target: NDArray[Any], there: NDArray[np.int64], matrix: NDArray[Any], rows: NDArray[np.int64]
) -> None:
    """`target[there] = matrix[rows]`, in the same way."""
    if not target.shape[1] or not target.flags.c_contiguous or not matrix.flags.c_contiguous:
        target[there] = matrix[rows]
    else:
        _whole_rows(target)[there] = _whole_rows(matrix).take(rows)


def _whole_rows(matrix: NDArray[Any]) -> NDArray[Any]:
    """The same memory, each row one value."""
    return matrix.view(np.dtype((np.void, matrix.shape[1] * matrix.itemsize))).reshape(-1)
