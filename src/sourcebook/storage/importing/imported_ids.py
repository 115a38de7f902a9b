"""Which base something was imported from, and which numbers its rows were given here."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from sourcebook.storage.importing.layouts import BOT

if TYPE_CHECKING:
    from sourcebook.storage.database import Executor
    from sourcebook.storage.importing.layouts import OldBase

Stretch: TypeAlias = tuple[int, int]
"""The last old number of a run of rows, and what was added to each of their numbers."""

_TELLING = ("users", "knowledge_base", "terminology", "documents")
_PREFIX = "import:"


@dataclass(slots=True)
class ImportedIds:
    """An old base, as the new one remembers it. Imported again, it gives only the rows that it gained since."""

    name: str
    stretches: dict[str, list[Stretch]] = field(default_factory=dict[str, list[Stretch]])
    users: dict[int, int] = field(default_factory=dict[int, int])
    """Users whose number here is another than it was there."""

    def through(self, table: str) -> int:
        """The last old number that was imported."""
        known = self.stretches.get(table)
        return known[-1][0] if known else 0

    def extend(self, table: str, last: int, highest: int) -> int:
        """Take in the rows up to the number `last`. What is added to each, so that they come behind `highest` here."""
        before = self.through(table)
        if last <= before:
            return 0
        shift = max(0, highest - before)
        self.stretches.setdefault(table, []).append((last, shift))
        return shift

    def number(self, table: str, old: int | None) -> int | None:
        """The number here of a row that was imported."""
        if old is None:
            return None
        return next((old + shift for last, shift in self.stretches.get(table, ()) if old <= last), None)

    def user(self, old: int | None) -> int | None:
        if old is None or old > self.through("users"):
            return None
        return self.users.get(old, old)

    async def remember(self, transaction: Executor) -> None:
        value = {"stretches": self.stretches, "users": {str(old): new for old, new in self.users.items()}}
        await transaction.execute("put_info", key=f"{_PREFIX}{self.name}", value=json.dumps(value))


async def origin_of(old: OldBase, executor: Executor) -> ImportedIds:
    """The origin under which this base was imported before, or a new one."""
    names = [name for table in _TELLING if (name := await _name(old, table)) is not None]
    for name in names:
        row = await executor.fetch_one("info", key=f"{_PREFIX}{name}")
        if row is not None:
            return _remembered(name, row["value"])
    return ImportedIds(names[0] if names else "nothing")


async def _name(old: OldBase, table: str) -> str | None:
    """A name for the base by the first row of a table: it survives a dump, and no other base has it."""
    telling: Sequence[str] = [
        c for c in ("telegram_user_id", "answer", "term", "file_hash") if c in BOT.tables[table]
    ]
    rows = await old.page(table, ("id", "created_at", *telling), 0, 1)
    return hashlib.sha256(repr((table, sorted(rows[0].items()))).encode()).hexdigest()[:12] if rows else None


def _remembered(name: str, text: str) -> ImportedIds:
    value = json.loads(text)
    return ImportedIds(
        name,
        {table: [(last, shift) for last, shift in known] for table, known in value["stretches"].items()},
        {int(old): new for old, new in value["users"].items()},
    )
