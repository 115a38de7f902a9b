"""When a collection enters a new state, so that whoever remembers something of it can tell that it no longer holds.

A state is the row of the collection's counters as one transaction left it. Most transactions that change documents,
chunks or vectors write that row anyway. For the others it is written at their end, whatever statement it was that they
ran: so nobody can forget it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sourcebook.storage.database import Executor
    from sourcebook.storage.queries import Statement

_WRITES = r"\b(?:insert\s+into|update|delete\s+from|truncate)\s+"
_OF_SEARCHES = re.compile(rf"{_WRITES}(?:documents|document_chunks|vectors)\b")
_OF_STATE = re.compile(rf"{_WRITES}collection_counters\b")


class Effect(Enum):
    """What a statement does to what searches see."""

    NONE = auto()
    CHANGE = auto()
    NEW_STATE = auto()
    """The row that is the state is written, perhaps with something else."""


@cache
def effect_of(statement: Statement) -> Effect:
    if _OF_STATE.search(statement.sql):
        return Effect.NEW_STATE
    return Effect.CHANGE if _OF_SEARCHES.search(statement.sql) else Effect.NONE


@dataclass(slots=True)
class StateChanges:
    """Which collections a transaction has changed. None stands for all of them."""

    _changed: set[str | None] = field(default_factory=set[str | None])
    _written: set[str | None] = field(default_factory=set[str | None])

    def note(self, statement: Statement, collection_id: str | None) -> None:
        match effect_of(statement):
            case Effect.CHANGE:
                self._changed.add(collection_id)
            case Effect.NEW_STATE if collection_id is not None:
                self._written.add(collection_id)
            case _:
                # A statement about the counters of every collection may leave those alone that are right.
                pass

    async def complete(self, transaction: Executor) -> None:
        """Begin a new state of each collection that was changed and has none yet."""
        if None in self._changed:
            await transaction.execute("begin_new_state_of_all")
            return
        for collection_id in sorted(filter(None, self._changed - self._written)):
            await transaction.execute("begin_new_state", collection_id=collection_id)
