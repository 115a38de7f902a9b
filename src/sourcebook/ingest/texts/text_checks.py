"""What callers give as texts, checked as a whole before anything is stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from sourcebook.errors import BadText, BadVector, EmbeddingSizeMismatch, UsageError
from sourcebook.model.add_reports import NewText
from sourcebook.text.case_and_accents import storable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sourcebook.model.documents import Vector

_LARGEST = float(np.finfo(np.float32).max)


def checked_texts(texts: Iterable[str | NewText]) -> list[NewText]:
    """The texts, looked through once, or an error that names the first that is none."""
    if isinstance(texts, str):
        raise UsageError("add_texts takes many texts, not one text.", hint="Use add_text, or give a list.")
    if isinstance(texts, (bytes, bytearray, Mapping)) or not isinstance(cast("object", texts), Iterable):
        kind = type(cast("object", texts)).__name__
        raise UsageError(f"add_texts takes a list of texts, not {kind}.", hint="Give a list of texts.")
    return [_checked(text, number) for number, text in enumerate(texts, start=1)]


def require_size(texts: Sequence[NewText], dimensions: int) -> None:
    """Refuse vectors of another size than those of the collection."""
    for number, text in enumerate(texts, start=1):
        if text.vector is not None and len(text.vector) != dimensions:
            raise EmbeddingSizeMismatch(
                f"The vector of {_name(text, number)} has {len(text.vector)} numbers, the collection's vectors have "
                f"{dimensions}"
            )


def _checked(given: object, number: int) -> NewText:
    text = NewText(given) if isinstance(given, str) else given
    if not isinstance(text, NewText):
        raise UsageError(f"Text {number} must be a text or a NewText, not {type(given).__name__}.")
    what = _name(text, number)
    for field in ("text", "id", "title", "language"):
        value: object = getattr(text, field)
        if value is None and field != "text":
            continue
        if not isinstance(value, str):
            raise UsageError(f"{field} of {what} must be text, not {type(value).__name__}.")
        if not storable(value):
            raise BadText(f"The {field} of {what} contains characters that no database can store.")
    if not isinstance(cast("object", text.metadata), Mapping):
        raise UsageError(f"Metadata of {what} must be a dict, not {type(text.metadata).__name__}.")
    return text if text.vector is None else replace(text, vector=_numbers(text.vector, what))


def _numbers(vector: Vector, what: str) -> NDArray[np.float32]:
    try:
        numbers = np.asarray(vector, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadVector(f"The vector of {what} is not a list of numbers.") from None
    if numbers.ndim != 1 or numbers.size == 0:
        raise BadVector(f"The vector of {what} is not a plain, non-empty list of numbers.")
    if not np.isfinite(numbers).all() or np.abs(numbers).max() > _LARGEST:
        raise BadVector(f"The vector of {what} contains NaN, infinity or a number too large to store.")
    return numbers.astype(np.float32)


def _name(text: NewText, number: int) -> str:
    """The text as its caller knows it: counted from 1, and by its id if it has one."""
    return f"text {number} ({text.id!r})" if text.id else f"text {number}"
