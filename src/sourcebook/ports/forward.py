"""Methods that stand on one object and are another's, with the types and the promise that they have there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

_S = TypeVar("_S")
_P = ParamSpec("_P")
_R = TypeVar("_R")


def forward(attribute: str, method: Callable[Concatenate[_S, _P], _R]) -> Callable[Concatenate[Any, _P], _R]:
    """In the body of a class: `get_user = forward("_users", Users.get_user)`."""
    name = method.__name__

    def call(owner: Any, *arguments: Any, **named: Any) -> Any:
        return getattr(getattr(owner, attribute), name)(*arguments, **named)

    async def wait(owner: Any, *arguments: Any, **named: Any) -> Any:
        return await call(owner, *arguments, **named)

    made = wraps(method)(wait if iscoroutinefunction(method) else call)
    made.forwarded_to = (attribute, name)  # pyright: ignore[reportAttributeAccessIssue]
    return cast("Callable[Concatenate[Any, _P], _R]", made)
