"""What callers give to a public door, checked before anything is done with it.

A database would take some of it for something else: 1.5 for the person 1, b"x" for a text. So each argument that is
declared as a whole number, a text, bytes or a path is that, or a UsageError that names it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import iscoroutinefunction, isfunction, signature
from typing import Any, TypeVar

from sourcebook.errors import BadText, UsageError

_Door = TypeVar("_Door")
_Check = Callable[[object], str | None]


def checks_arguments(door: type[_Door]) -> type[_Door]:
    """A class whose public methods check what they are given, by the types that they declare."""
    for name, method in list(vars(door).items()):
        if isfunction(method) and not name.startswith("_"):
            checks = _checks_of(method)
            if checks:
                setattr(door, name, _checking(method, list(signature(method).parameters), checks))
    return door


def require_path(name: str, value: object) -> None:
    """Refuse what no file can be called."""
    _require({name: _path}, {name: value})


def _checks_of(method: Callable[..., Any]) -> dict[str, _Check]:
    # The annotations are not evaluated: only these few are looked for, and they are always written alike.
    declared = {name: str(p.annotation) for name, p in signature(method).parameters.items()}
    return {name: _CHECKS[kind] for name, kind in declared.items() if kind in _CHECKS}


def _checking(
    method: Callable[..., Any], names: list[str], checks: Mapping[str, _Check]
) -> Callable[..., Any]:
    if iscoroutinefunction(method):

        @wraps(method)
        async def awaited(*args: object, **kwargs: object) -> Any:
            _require(checks, {**dict(zip(names, args, strict=False)), **kwargs})
            return await method(*args, **kwargs)

        return awaited

    @wraps(method)
    def called(*args: object, **kwargs: object) -> Any:
        _require(checks, {**dict(zip(names, args, strict=False)), **kwargs})
        return method(*args, **kwargs)

    return called


def _require(checks: Mapping[str, _Check], given: Mapping[str, object]) -> None:
    for name, check in checks.items():
        if name in given and (expected := check(given[name])):
            raise UsageError(f"{name} must be {expected}, not {type(given[name]).__name__}.")


def _number(value: object) -> str | None:
    return None if isinstance(value, int) and not isinstance(value, bool) else "a whole number"


def _text(value: object) -> str | None:
    return None if isinstance(value, str) else "text"


def _bytes(value: object) -> str | None:
    return None if isinstance(value, (bytes, bytearray, memoryview)) else "bytes"


def _path(value: object) -> str | None:
    if not isinstance(value, (str, os.PathLike)):
        return "a path"
    if "\0" in os.fsdecode(os.fspath(value)):
        raise BadText("A path cannot hold a NUL character", hint="Check how the path was made.")
    return None


def _or_nothing(check: _Check) -> _Check:
    return lambda value: None if value is None else check(value)


_KINDS: dict[str, _Check] = {
    "int": _number,
    "str": _text,
    "bytes": _bytes,
    "str | os.PathLike[str]": _path,
}
_CHECKS = _KINDS | {f"{kind} | None": _or_nothing(check) for kind, check in _KINDS.items()}
