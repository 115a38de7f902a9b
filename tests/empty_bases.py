"""An empty SQLite base, made once for a worker and copied wherever a test begins with one.

What migrations do to a new file is tested in `tests/migration`, and in every program that a test starts.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sourcebook.storage.sqlite import database, driver, migrate

if TYPE_CHECKING:
    from sourcebook.storage.sqlite.driver import Connection


class EmptyBase:
    """Brings a file up to date as `bring_up_to_date` does, a new one by copying the one that is here."""

    def __init__(self, path: Path) -> None:
        self._kept = driver.connect_alone(path)
        migrate.bring_up_to_date(self._kept, path)
        driver.make_one_file(self._kept)

    def bring_up_to_date(self, connection: Connection, path: Path) -> None:
        if _is_new(connection):
            connection.execute("pragma synchronous = off")
            for _ in driver.copy_pages(self._kept, connection, pages=-1):
                pass
            connection.execute(
                "update base_info set value = ? where key = 'base_id'", (secrets.token_hex(16),)
            )
            connection.execute("pragma synchronous = full")
        migrate.bring_up_to_date(connection, path)

    def close(self) -> None:
        self._kept.close()


@contextmanager
def copied(folder: Path) -> Generator[None, None, None]:
    """Within it, new bases are copies of one that is kept in the folder."""
    kept = EmptyBase(folder / "empty.db")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "bring_up_to_date", kept.bring_up_to_date)
        yield
    kept.close()


def _is_new(connection: Connection) -> bool:
    return not connection.execute("select 1 from sqlite_schema limit 1").fetchall()
