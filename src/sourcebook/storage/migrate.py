"""Which migrations a base needs. They are numbered, hashed, and never edited once released."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.errors import BaseTooNew, MigrationEdited

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_FILE_NAME = re.compile(r"(?P<version>\d{4})_(?P<name>[a-z0-9_]+)\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    name: str
    sql: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.sql.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class AppliedMigration:
    version: int
    name: str
    digest: str


def read_migrations(folder: Traversable) -> list[Migration]:
    """The migrations of one dialect, in order. A number may be missing, but none stands twice."""
    found = sorted(
        (
            Migration(int(m["version"]), m["name"], f.read_text(encoding="utf-8"))
            for f in folder.iterdir()
            if (m := _FILE_NAME.fullmatch(f.name))
        ),
        key=lambda m: m.version,
    )
    versions = [m.version for m in found]
    if len(set(versions)) < len(versions) or versions[:1] != [1]:
        raise ValueError(f"migrations are not numbered from 1, each once: {versions}")
    return found


def pending(known: Sequence[Migration], applied: Sequence[AppliedMigration]) -> list[Migration]:
    """What is left to apply. A base that is ahead of the program, or was made differently, is refused."""
    by_version = {m.version: m for m in known}
    newest = max(by_version, default=0)
    for done in applied:
        migration = by_version.get(done.version)
        if migration is None:
            raise BaseTooNew(
                f"The base is at version {done.version} ({done.name}), this program knows {newest}"
            )
        if migration.digest != done.digest:
            raise MigrationEdited(
                f"Migration {done.version} ({done.name}) of the base differs from this version's"
            )
    # Not only what is above the highest: migrations written side by side may be released in another order.
    reached = {m.version for m in applied}
    return [m for m in known if m.version not in reached]
