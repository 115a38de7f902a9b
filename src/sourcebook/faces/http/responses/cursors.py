"""Where a list goes on: a cursor is the last entry of the part before, packed so that nobody builds on its form."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Any, TypeVar, cast

from sourcebook.errors import UsageError
from sourcebook.text.case_and_accents import storable

_T = TypeVar("_T")


def cursor_of(*parts: str | int) -> str:
    return urlsafe_b64encode(json.dumps(parts, ensure_ascii=False).encode()).decode().rstrip("=")


def parts_of(cursor: str, *kinds: type) -> tuple[Any, ...]:
    """The parts of a cursor that `cursor_of` made of parts of these kinds; any other is an error."""
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        parts = json.loads(urlsafe_b64decode(padded))
    except (ValueError, RecursionError):
        raise _not_ours() from None
    if not isinstance(parts, list) or len(cast("list[Any]", parts)) != len(kinds):
        raise _not_ours()
    for part, kind in zip(cast("list[Any]", parts), kinds, strict=True):
        if type(part) is not kind or (isinstance(part, str) and not storable(part)):
            raise _not_ours()
        if isinstance(part, int) and not -(2**63) <= part < 2**63:
            raise _not_ours()
    return tuple(cast("list[Any]", parts))


def cut(entries: Sequence[_T], limit: int) -> tuple[Sequence[_T], _T | None]:
    """Of one entry more than was asked for, those that were, and the last of them if there are more."""
    shown = entries[:limit]
    return shown, shown[-1] if shown and len(entries) > limit else None


def _not_ours() -> UsageError:
    return UsageError(
        "This cursor is not one of ours.", hint="Use the `next` of the part before, as it stands."
    )
