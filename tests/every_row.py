"""Everything that a base holds, as text: for tests that look for something that must not be there."""

from __future__ import annotations

import sqlite3

import anyio

from sourcebook.storage.postgres import driver


def every_row(db: str) -> dict[str, str]:
    """The rows of each table."""
    return anyio.run(_of_server, db) if "://" in db else _of_file(db)


def tables_with(db: str, *words: str) -> dict[str, list[str]]:
    """The tables in which one of the words stands, in any case, and which."""
    found: dict[str, list[str]] = {}
    for table, text in every_row(db).items():
        held = [word for word in words if word.casefold() in text.casefold()]
        if held:
            found[table] = held
    return found


def _of_file(path: str) -> dict[str, str]:
    connection = sqlite3.connect(path)
    try:
        names = [row[0] for row in connection.execute("select name from sqlite_master where type = 'table'")]
        return {name: _text(connection.execute(_all(name)).fetchall()) for name in names}
    finally:
        connection.close()


async def _of_server(address: str) -> dict[str, str]:
    connection = await driver.connect(address, patience=120, settings={})
    try:
        tables = await connection.fetch(
            "select table_name from information_schema.tables where table_schema = 'public'"
        )
        names = [str(row["table_name"]) for row in tables]
        return {
            name: _text([tuple(row.values()) for row in await connection.fetch(_all(name))]) for name in names
        }
    finally:
        await connection.close()


def _all(table: str) -> str:
    return f'select * from "{table}"'  # noqa: S608 - the name is the base's own


def _text(rows: list[tuple[object, ...]]) -> str:
    return "\n".join(" ".join(_shown(value) for value in row) for row in rows)


def _shown(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
