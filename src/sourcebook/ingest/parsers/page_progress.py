"""How far the reading of a file is: parsers tell it page by page, to whoever listens in this process."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

OnPage: TypeAlias = "Callable[[int, int], None]"
"""Is told the number of a page that was read, and how many there are."""

_LISTENER: ContextVar[OnPage | None] = ContextVar("page_listener", default=None)


@contextmanager
def listening(listener: OnPage) -> Generator[None]:
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def page_read(number: int, count: int) -> None:
    listener = _LISTENER.get()
    if listener is not None:
        listener(number, count)
