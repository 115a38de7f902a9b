"""How far the reading of a file is: parsers tell of pages and show their text, to whoever listens in this process."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from sourcebook.ingest.parsers.parsed_text import ParsedText

OnPage: TypeAlias = "Callable[[int, int], None]"
"""Is told the number of a page that was read, and how many there are."""
OnText: TypeAlias = "Callable[[ParsedText], None]"
"""Is shown the beginning of a text while the rest is still read. What is found later may give it other headings."""

_LISTENER: ContextVar[OnPage | None] = ContextVar("page_listener", default=None)
_READER: ContextVar[OnText | None] = ContextVar("text_reader", default=None)


@contextmanager
def listening(on_page: OnPage, on_text: OnText | None = None) -> Generator[None]:
    page_token, text_token = _LISTENER.set(on_page), _READER.set(on_text)
    try:
        yield
    finally:
        _LISTENER.reset(page_token)
        _READER.reset(text_token)


def page_read(number: int, count: int) -> None:
    listener = _LISTENER.get()
    if listener is not None:
        listener(number, count)


def text_read(so_far: Callable[[], ParsedText]) -> None:
    """Show what was read so far, which is put together only if somebody looks at it."""
    reader = _READER.get()
    if reader is not None:
        reader(so_far())
