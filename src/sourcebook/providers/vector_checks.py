"""What a model gave, looked at before anybody uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sourcebook.errors import BadProviderAnswer

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_LENGTH = 8_192
"""Characters of a text that are read. Memory grows with them, and meaning hardly does."""


def readable(text: str) -> str:
    """The part of a text that a model can read; a dot for one that holds nothing."""
    valid = text[:MAX_LENGTH].encode(errors="replace").decode()
    return valid if valid.strip() else "."


def checked_vectors(rows: object, count: int, dimensions: int | None, who: str) -> NDArray[np.float32]:
    """Unit vectors, one for each text, or an error that says what is wrong with them."""
    return _of_length_one(checked_rows(rows, count, dimensions, who), who)


def checked_rows(rows: object, count: int, dimensions: int | None, who: str) -> NDArray[np.float64]:
    """Vectors of any length, one for each text, or an error that says what is wrong with them."""
    try:
        numbers = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadProviderAnswer(f"{who} gave vectors that are not lists of numbers of one size.") from error
    if numbers.ndim and len(numbers) != count:
        raise BadProviderAnswer(f"{who} gave {len(numbers)} vectors for {count} texts.")
    if numbers.ndim != 2 or numbers.shape[1] == 0:
        raise BadProviderAnswer(f"{who} gave vectors that are not lists of numbers of one size.")
    if dimensions is not None and numbers.shape[1] != dimensions:
        raise BadProviderAnswer(
            f"{who} gave vectors of {numbers.shape[1]} numbers instead of {dimensions}.",
            hint="Check the model's name and `embedder_dimensions`; switch models with `sourcebook reindex --model`.",
        )
    if not np.isfinite(numbers).all():
        raise BadProviderAnswer(f"{who} gave a vector with NaN or infinity.")
    return numbers


def _of_length_one(numbers: NDArray[np.float64], who: str) -> NDArray[np.float32]:
    # Scaled first, so that neither huge nor tiny numbers overflow on the way.
    scale = np.abs(numbers).max(axis=1, keepdims=True)
    if not scale.all():
        raise BadProviderAnswer(f"{who} gave a vector of zeros, which has no direction.")
    scaled = numbers / scale
    return (scaled / np.linalg.norm(scaled, axis=1, keepdims=True)).astype(np.float32)
