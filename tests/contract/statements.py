"""What SQLite is asked to do, as SQLite itself tells it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import apsw

from sourcebook.storage.sqlite.database import read_queries

FOLLOWING = ("some_vector_rows", "some_word_rows")
"""The statements by which changed documents are read."""


@contextmanager
def statements_told(names: tuple[str, ...], note: Callable[[str], None]) -> Generator[None]:
    """Bases that are opened meanwhile tell when they begin one of the named statements, in the thread that does it."""
    queries = read_queries()
    called = {queries[name].sql: name for name in names}

    def heard(event: dict[str, Any]) -> None:
        if (name := called.get(event["sql"])) is not None:
            note(name)

    with _watched(apsw.SQLITE_TRACE_STMT, heard):
        yield


@contextmanager
def rows_told(note: Callable[[], None]) -> Generator[None]:
    """Bases that are opened meanwhile tell of each row that is read, in the thread that reads it."""
    with _watched(apsw.SQLITE_TRACE_ROW, lambda _: note()):
        yield


@contextmanager
def _watched(events: int, heard: Callable[[dict[str, Any]], None]) -> Generator[None]:
    def watch(connection: Any) -> None:
        connection.trace_v2(events, heard, id=heard)

    apsw.connection_hooks.append(watch)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(watch)
