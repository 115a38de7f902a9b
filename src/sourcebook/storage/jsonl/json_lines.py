"""Lines of JSON, and the vectors in them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

JsonObject: TypeAlias = dict[str, Any]

EMBEDDINGS = "embeddings.jsonl"
MANIFEST = "manifest.json"

_REMEMBERED_LINES = 10
_MARK = b"\xef\xbb\xbf"


class JsonLinesFile:
    """The objects of a file, each with the number of its line. What is no object is skipped and counted.

    Empty lines are nothing at all. After the last line `digest` is the SHA-256 of what was read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.objects = 0
        self.skipped = 0
        self.skipped_lines: list[int] = []
        self.digest = ""

    def __iter__(self) -> Iterator[tuple[int, JsonObject]]:
        hashed = hashlib.sha256()
        with self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                hashed.update(line)
                text = line.removeprefix(_MARK).strip() if number == 1 else line.strip()
                if not text:
                    continue
                found = _object(text)
                if found is None:
                    self._skip(number)
                else:
                    self.objects += 1
                    yield number, found
        self.digest = hashed.hexdigest()

    def _skip(self, number: int) -> None:
        self.skipped += 1
        if len(self.skipped_lines) < _REMEMBERED_LINES:
            self.skipped_lines.append(number)


def _object(text: bytes) -> JsonObject | None:
    try:
        value = json.loads(text.decode())
    except (ValueError, RecursionError):
        return None
    return cast("JsonObject", value) if isinstance(value, dict) else None


def hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def as_vector(value: object) -> NDArray[np.float64] | None:
    """The value as numbers, if it is a plain sequence of finite ones that are not all zero; else None."""
    numbers = _array(cast("NDArray[Any]", value)) if isinstance(value, np.ndarray) else _sequence(value)
    if numbers is None or numbers.ndim != 1 or numbers.size == 0:
        return None
    if not np.isfinite(numbers).all() or not numbers.any():
        return None
    return numbers


def _array(value: NDArray[Any]) -> NDArray[np.float64] | None:
    return value.astype(np.float64) if value.dtype.kind in "fiu" else None


def _sequence(value: object) -> NDArray[np.float64] | None:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes | bytearray):
        return None
    items = cast("Sequence[Any]", value)
    if not all(_is_number(kind) for kind in set(map(type, items))):
        return None
    try:
        return np.array(items, dtype=np.float64)
    except OverflowError:
        return None


def _is_number(kind: type) -> bool:
    return issubclass(kind, int | float | np.integer | np.floating) and kind is not bool


def cosines(rows: NDArray[np.float64], query: NDArray[np.float64]) -> NDArray[np.float64]:
    """The cosine of each row with the query, in double precision.

    A row's cosine depends on nothing but the row and the query, and that of a vector with itself is exactly 1. Scaling
    first keeps huge and tiny numbers from overflowing when they are squared.
    """
    scaled = rows / np.abs(rows).max(axis=1, keepdims=True)
    wanted = query / np.abs(query).max()
    dots = (scaled * wanted).sum(axis=1)
    lengths = np.sqrt((scaled * scaled).sum(axis=1) * (wanted * wanted)[np.newaxis].sum(axis=1))
    return np.clip(dots / lengths, -1.0, 1.0)


def margin(dimensions: int) -> float:
    """How far a cosine in single precision may lie from the one in double precision, however it was summed."""
    return 1.01 * (dimensions + 8) * 2.0**-24
