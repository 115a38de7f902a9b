"""Reading a table whose file is damaged: every row that can be read, and where rows are missing.

A table is a tree of pages. Whoever walks along it stops at a damaged page; beyond that page the walk goes on at any row
that can be found by its key, and from there back to the damage from the other side.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from sourcebook.errors import BaseDamaged, StorageError
from sourcebook.storage.sqlite import driver

if TYPE_CHECKING:
    from sourcebook.storage.sqlite.driver import Connection
    from sourcebook.storage.sqlite.tables import Table

Key: TypeAlias = tuple[Any, ...]
Row: TypeAlias = tuple[Any, ...]
"""The columns of a table in their order; texts as bytes, which may be no text any more."""

_LARGEST_ROWID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class RowGap:
    """Rows that cannot be read lie after one key and before another. None: from the first row, or to the last."""

    after: Key | None
    before: Key | None


@dataclass
class DamagedTable:
    """One walk along a table."""

    connection: Connection
    table: Table
    gaps: list[RowGap] = field(default_factory=list[RowGap])

    def rows(self) -> Iterator[tuple[Key, Row]]:
        """Every row that can be read, each once, in no order that could be relied on."""
        position: Key | None = None
        while True:
            try:
                for key, row in self._from(position):
                    yield key, row
                    position = key
            except StorageError:
                landing = self._beyond(position)
                yield from self._back_to(position, landing)
                if landing is None:
                    return
                yield landing
                position = landing[0]
            else:
                return

    def _from(self, position: Key | None) -> Iterator[tuple[Key, Row]]:
        sql = self.table.forward.sql if position is None else self.table.onward.sql
        yield from self._read(sql, position, operator.gt)

    def _beyond(self, position: Key | None) -> tuple[Key, Row] | None:
        """The first row that can be read after the damage, near it if possible."""
        for key in _leaps(position, self.table):
            with suppress(StorageError):
                for found in self._read(self.table.next_one.sql, key, operator.gt):
                    return found
        return None

    def _back_to(self, position: Key | None, landing: tuple[Key, Row] | None) -> Iterator[tuple[Key, Row]]:
        """From a row beyond the damage, or from the last one, back to the damage."""
        reached = None if landing is None else landing[0]
        sql = self.table.backward_from_end.sql if landing is None else self.table.backward.sql
        with suppress(StorageError):
            for key, row in self._read(sql, reached, operator.lt):
                if position is not None and key <= position:
                    # Nothing was missing after all: only the way from page to page was broken.
                    return
                yield key, row
                reached = key
        self.gaps.append(RowGap(position, reached))

    def _read(
        self, sql: str, position: Key | None, comes_after: Callable[[Key, Key], bool]
    ) -> Iterator[tuple[Key, Row]]:
        """Rows with their keys. A key that cannot come here is a sign of damage, and would lead in circles."""
        width = len(self.table.key)
        previous = position
        with driver.translated():
            for row in self.connection.execute(sql, position or ()):
                key = row[:width]
                if not _is_key(key, previous) or (previous is not None and not comes_after(key, previous)):
                    raise BaseDamaged
                previous = key
                yield key, row[width:]


def _is_key(key: Key, like: Key | None) -> bool:
    """Whether this is a number or text for each column of a key, and for each the same as in another one."""
    pairs = zip(key, key if like is None else like, strict=True)
    return all(isinstance(a, int | str) and isinstance(a, str) == isinstance(b, str) for a, b in pairs)


def _leaps(position: Key | None, table: Table) -> Iterator[Key]:
    """Keys farther and farther beyond a position."""
    if table.key == ("rowid",):
        start = position[0] if position else 0
        for distance in (2**power for power in range(63)):
            if start + distance < _LARGEST_ROWID:
                yield (start + distance,)
        return
    if position is None:
        # Ids are made of letters and digits; one beyond the first page begins with one of these.
        yield from (
            (letter, *[""] * (len(table.key) - 1)) for letter in "0123456789abcdefghijklmnopqrstuvwxyz"
        )
        return
    for column in reversed(range(len(position))):
        for part in _greater(position[column]):
            yield (*position[:column], part, *[_least(other) for other in position[column + 1 :]])


def _greater(part: object) -> Iterator[object]:
    match part:
        case int():
            yield from (part + 2**power for power in range(62))
        case str():
            for length in range(len(part), 0, -1):
                last = ord(part[length - 1])
                for step in (1, 2, 4, 8, 16):
                    yield part[: length - 1] + chr(min(last + step, 0x10FFFF))
        case _:
            return


def _least(part: object) -> object:
    return "" if isinstance(part, str) else 0
