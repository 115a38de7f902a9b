"""Vectors on their way into a base and out of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sourcebook.errors import BadVector, EmbeddingSizeMismatch
from sourcebook.model.documents import DistanceMetric

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.documents import Collection, Vector

_LARGEST = float(np.finfo(np.float32).max)
# Half precision rounds a number by at most 1/2048 of itself, and so the square of a length by at most twice that.
_FARTHEST_FROM_ONE = 1.01 / 1024
_ROWS_AT_ONCE = 256


def checked(vector: Vector, dimensions: int, what: str) -> NDArray[np.float32]:
    """The vector in single precision, or an error that names it."""
    is_single = isinstance(vector, np.ndarray) and vector.dtype == np.float32
    try:
        numbers = np.asarray(vector) if is_single else np.asarray(vector, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise BadVector(f"The vector of {what} is not a list of numbers") from error
    if numbers.ndim != 1 or numbers.size == 0:
        raise BadVector(f"The vector of {what} is not a plain, non-empty list of numbers")
    if numbers.size != dimensions:
        raise EmbeddingSizeMismatch(
            f"The vector of {what} has {numbers.size} numbers, the collection's vectors have {dimensions}"
        )
    if not np.isfinite(numbers).all() or (not is_single and np.abs(numbers).max() > _LARGEST):
        raise BadVector(f"The vector of {what} contains NaN, infinity or a number too large to store")
    return numbers.astype(np.float32)


def normalised(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """Of length one; a zero vector stays zero and so is similar to nothing."""
    # In double precision and scaled first, so that neither huge nor tiny numbers overflow on the way.
    scale = float(np.abs(vector).max())
    if scale == 0.0:
        return vector
    scaled = vector.astype(np.float64) / scale
    return (scaled / np.sqrt(_squares(scaled[None])[0])).astype(np.float32)


def stored_type(metric: DistanceMetric) -> np.dtype[np.float16] | np.dtype[np.float32]:
    return np.dtype("<f2") if metric is DistanceMetric.COSINE else np.dtype("<f4")


class Halves(bytes):
    """A vector as stored, in half precision, little endian."""

    __slots__ = ()


class Singles(bytes):
    """The same in single precision."""

    __slots__ = ()


def encoded(vector: Vector, collection: Collection, what: str) -> Halves | Singles:
    """As stored: cosine vectors normalised in half precision, others as they are in single precision."""
    numbers = checked(vector, collection.embedding_dimensions, what)
    metric = collection.distance_metric
    needs_normalising = metric is DistanceMetric.COSINE and not _is_stored_form(numbers)
    ready = normalised(numbers) if needs_normalising else numbers
    kind = Halves if metric is DistanceMetric.COSINE else Singles
    return kind(ready.astype(stored_type(metric)).tobytes())


def encoded_all(
    vectors: Sequence[Vector], collection: Collection, whats: Sequence[str]
) -> list[Halves] | list[Singles]:
    """Each of the vectors as `encoded` makes it, to the bit; many at once, which takes a tenth of the time."""
    found: list[Any] = []
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        some = vectors[start : start + _ROWS_AT_ONCE]
        rows = _as_rows(some, collection.embedding_dimensions)
        if rows is None:
            names = whats[start : start + _ROWS_AT_ONCE]
            found += [encoded(one, collection, what) for one, what in zip(some, names, strict=True)]
        elif collection.distance_metric is DistanceMetric.COSINE:
            found += [Halves(row.tobytes()) for row in _normalised_halves(rows)]
        else:
            found += [Singles(row.tobytes()) for row in rows.astype("<f4")]
    return found


class EncodedInTurn:
    """Each of the vectors as stored, encoded when it is asked for together with some that come after it.

    All vectors of a very large document take as much memory as they do before they are encoded, and they are written
    one after the other.
    """

    def __init__(self, vectors: Sequence[Vector], collection: Collection, whats: Sequence[str]) -> None:
        self._vectors = vectors
        self._collection = collection
        self._whats = whats
        self._start = 0
        self._encoded: Sequence[Halves | Singles] = ()

    def __getitem__(self, place: int) -> Halves | Singles:
        if not self._start <= place < self._start + len(self._encoded):
            self._start = place - place % _ROWS_AT_ONCE
            some = slice(self._start, self._start + _ROWS_AT_ONCE)
            self._encoded = encoded_all(self._vectors[some], self._collection, self._whats[some])
        return self._encoded[place - self._start]


def _as_rows(vectors: Sequence[Vector], dimensions: int) -> NDArray[np.float32] | None:
    """The vectors as one matrix, or None if one of them has to be looked at by itself."""
    if not all(
        isinstance(one, np.ndarray) and one.dtype == np.float32 and one.shape == (dimensions,)
        for one in vectors
    ):
        return None
    rows = np.stack(vectors)
    return rows if dimensions and np.isfinite(rows).all() else None


def _normalised_halves(rows: NDArray[np.float32]) -> NDArray[np.float16]:
    """What `encoded` does with one row."""
    wide = rows.astype(np.float64)
    is_unit = np.abs(_squares(wide) - 1.0) <= _FARTHEST_FROM_ONE
    # Others may be too large for half precision.
    halves = np.where(is_unit[:, None], rows, np.float32(0)).astype("<f2")
    is_stored = is_unit & (halves == rows).all(axis=1)
    scale = np.abs(rows).max(axis=1).astype(np.float64)
    changed = np.flatnonzero(~is_stored & (scale > 0))
    scaled = wide[changed] / scale[changed, None]
    lengths = np.sqrt(_squares(scaled))
    halves[changed] = (scaled / lengths[:, None]).astype(np.float32).astype("<f2")
    return halves


def _squares(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The square of the length of each row, which does not depend on the other rows: each is summed by itself."""
    return np.einsum("ij,ij->i", rows, rows)


def _is_stored_form(numbers: NDArray[np.float32]) -> bool:
    """Whether the vector came out of a base: half precision, and of length one as nearly as that allows.

    Normalising it again could round it to other bits, so it is stored unchanged.
    """
    wide = numbers.astype(np.float64)
    if abs(float(_squares(wide[None])[0]) - 1.0) > _FARTHEST_FROM_ONE:
        return False
    return bool((numbers.astype(np.float16) == numbers).all())


def decode(blob: bytes, metric: DistanceMetric) -> NDArray[np.float32]:
    return np.frombuffer(blob, dtype=stored_type(metric)).astype(np.float32)


def scores(
    matrix: NDArray[np.floating[Any]], query: NDArray[np.float32], metric: DistanceMetric
) -> NDArray[np.float64]:
    """How close each row is to the query, higher being closer.

    Each row is summed by itself in a fixed order, so that a score never depends on which other rows are there: the
    same vectors give the same bits in every process.
    """
    return scores_for(matrix, for_scores(query, metric), metric)


def for_scores(query: NDArray[np.float32], metric: DistanceMetric) -> NDArray[np.float64]:
    """A query as `scores` compares it, for who scores several times."""
    return (normalised(query) if metric is DistanceMetric.COSINE else query).astype(np.float64)


def scores_for(
    matrix: NDArray[np.floating[Any]], wanted: NDArray[np.float64], metric: DistanceMetric
) -> NDArray[np.float64]:
    """What `scores` gives for a query that went through `for_scores`."""
    rows = matrix.astype(np.float64)
    if metric is DistanceMetric.EUCLIDEAN:
        rows -= wanted
        return 1.0 / (1.0 + np.sqrt(np.einsum("ij,ij->i", rows, rows)))
    return np.einsum("ij,j->i", rows, wanted)
