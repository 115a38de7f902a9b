"""What a caller chose among a few things."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from sourcebook.errors import UsageError

Choice = TypeVar("Choice", bound=StrEnum)


def chosen(name: str, kind: type[Choice], value: Choice | str) -> Choice:
    """The choice, also if it was written as plain text. What is none of them is refused: nothing may hang on a slip."""
    try:
        return kind(value)
    except ValueError:
        choices = ", ".join(choice.value for choice in kind)
        raise UsageError(f"{name} cannot be {value!r}.", hint=f"Choose one of {choices}.") from None
