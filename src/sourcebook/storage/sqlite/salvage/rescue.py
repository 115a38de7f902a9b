"""Saving what can be read of a damaged base into a new file."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from sourcebook.errors import BaseDamaged, Conflict, StorageError, UsageError
from sourcebook.storage.migrate import Migration, read_migrations
from sourcebook.storage.sqlite import driver, tables
from sourcebook.storage.sqlite.migrate import applied_migrations, bring_up_to_date
from sourcebook.storage.sqlite.salvage.damaged_table import DamagedTable, Row, RowGap
from sourcebook.storage.temporary_folders import make_private_file, temporary_folder

if TYPE_CHECKING:
    from sourcebook.storage.sqlite.driver import Connection
    from sourcebook.storage.sqlite.salvage.damaged_table import Key
    from sourcebook.storage.sqlite.tables import Table

# What follows from other tables, and is made again from them.
DERIVED_TABLES = frozenset(
    {
        "changes",
        "chunk_ids",
        "collection_counters",
        "document_hashes",
        "document_words",
        "sqlite_sequence",
        "terms",
        "vectors",
        "words",
    }
)
# What comes back with the files it was read from.
READ_AGAIN_TABLES = frozenset({"documents", "document_chunks", "document_paths", "sources"})
# What a new file knows better than a damaged one.
_OF_THE_FILE = frozenset({"schema_migrations"})
_PAGE_SIZE = 4096
# These are healed by each other, for which their bytes are needed as they are.
_HEALED = frozenset({("documents", "content"), ("document_chunks", "content")})


@dataclass(frozen=True, slots=True)
class LostRows:
    """Rows of a table that cannot be read, or hold what no row may hold: where they lie."""

    table: str
    gaps: Sequence[RowGap] = ()
    rows: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.gaps or self.rows)

    def described(self) -> list[str]:
        return [
            *(f"{self.table}: {_between(gap)}" for gap in self.gaps),
            *(f"{self.table}: {r}" for r in self.rows),
        ]


@dataclass
class Census:
    """Which documents are there, and where they lay: by that, those that are not are named."""

    documents: set[Row] = field(default_factory=set[Row])
    roots: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    paths: list[Row] = field(default_factory=list[Row])

    def take(self, table: Table, row: Row) -> None:
        match table.name:
            case "documents":
                self.documents.add(_columns(table, row, "collection_id", "id"))
            case "sources":
                source, root = _columns(table, row, "id", "root")
                self.roots[source] = root
            case "document_paths":
                self.paths.append(_columns(table, row, "collection_id", "document_id", "source_id", "path"))
            case _:
                pass

    def named(self, lost: list[LostRows]) -> list[LostRows]:
        """The same, with lost documents by their path as far as one is known."""
        paths = sorted(
            str(PurePath(_letters(self.roots.get(source, b"")), _letters(path)))
            for collection, document, source, path in self.paths
            if (collection, document) not in self.documents
        )
        return [
            replace(rows, gaps=() if paths else rows.gaps, rows=[*rows.rows, *paths])
            if rows.table == "documents"
            else rows
            for rows in lost
        ]


def _columns(table: Table, row: Row, *names: str) -> Row:
    return tuple(row[table.columns.index(name)] for name in names)


def _letters(text: object) -> str:
    return text.decode(errors="replace") if isinstance(text, bytes) else str(text)


def find_lost_rows(connection: Connection, known: Sequence[Table]) -> list[LostRows]:
    """Walk along every table, and say what is missing in it."""
    lost: list[LostRows] = []
    census = Census()
    for table in known:
        walk = DamagedTable(connection, table)
        strange: list[str] = []
        for key, row in walk.rows():
            census.take(table, row)
            if not _is_text(table, row):
                strange.append(_named(table, key))
        lost.append(LostRows(table.name, walk.gaps, strange))
    return census.named([rows for rows in lost if rows])


def lost_rows_of(base: Path, but: frozenset[str] = frozenset()) -> list[LostRows]:
    """What is missing in a base that may be in use, or may be too damaged to be opened; in some tables nobody looks."""
    with driver.translated(), readable(base) as source:
        source.execute("begin")
        return find_lost_rows(source, [table for table in declared_tables() if table.name not in but])


def declared_tables() -> list[Table]:
    """The tables that a base has, whatever a damaged one says."""
    with closing(driver.connect(Path(":memory:"), busy_timeout=0)) as fresh:
        bring_up_to_date(fresh, Path(":memory:"))
        return tables.tables_of(fresh)


def save(base: Path, target: Path, advance: Callable[[int, int], None]) -> list[LostRows]:
    """Copy every row that can be read into a new base, which is not in order yet: a repair has to follow."""
    make_private_file(target)
    with driver.translated(), readable(base) as source, closing(driver.connect_alone(target)) as new:
        bring_up_to_date(new, target, _migrations_of(source))
        driver.make_one_file(new)
        known = [table for table in tables.tables_of(new) if table.name not in _OF_THE_FILE]
        lost: list[LostRows] = []
        census = Census()
        fresh = dict(new.execute("select key, value from base_info").fetchall())
        new.execute("begin")
        for number, table in enumerate(known):
            lost.append(_copy_table(source, new, table, census))
            advance(number + 1, len(known))
        if tables.row_count(new) <= len(_migrations_of(new)):
            raise nothing_left(base)
        _complete(new, fresh)
        new.execute("commit")
    driver.sync_file(target)
    return census.named([rows for rows in lost if rows])


def _copy_table(source: Connection, new: Connection, table: Table, census: Census) -> LostRows:
    new.execute(table.empty.sql)
    walk = DamagedTable(source, table)
    refused: list[str] = []
    for key, row in walk.rows():
        census.take(table, row)
        try:
            with driver.translated():
                new.execute(table.insert.sql, _with_letters(table, row))
        except (Conflict, StorageError, UsageError):
            refused.append(_named(table, key))
        else:
            if new.changes() == 0 or not _is_text(table, row):
                refused.append(_named(table, key))
    return LostRows(table.name, walk.gaps, refused)


def _complete(new: Connection, fresh: Mapping[str, str]) -> None:
    """What every base has."""
    for key, value in fresh.items():
        new.execute("insert or ignore into base_info (key, value) values (?, ?)", (key, value))
    new.execute("delete from base_info where substr(key, 1, ?) = ?", (len(tables.DERIVED), tables.DERIVED))


def _migrations_of(source: Connection) -> list[Migration]:
    """Those that made the base; all, if it does not say."""
    known = read_migrations(files("sourcebook.storage.sqlite") / "migrations")
    try:
        with driver.translated():
            reached = max((m.version for m in applied_migrations(source)), default=0)
    except StorageError:
        reached = 0
    return known[: reached or len(known)]


def _is_text(table: Table, row: Row) -> bool:
    """Whether the texts of a row are texts."""
    return _with_letters(table, row) == row


def _with_letters(table: Table, row: Row) -> Row:
    """The row with a sign for each letter that is broken, which is seen and breaks nothing any more."""
    return tuple(
        value.decode(errors="replace").encode()
        if _is_checked(table, column) and isinstance(value, bytes)
        else value
        for column, value in zip(table.columns, row, strict=True)
    )


def _is_checked(table: Table, column: str) -> bool:
    return column in table.texts and (table.name, column) not in _HEALED


def _named(table: Table, key: Key) -> str:
    return ", ".join(f"{name} {part}" for name, part in zip(table.key, key, strict=True))


def _between(gap: RowGap) -> str:
    after = "" if gap.after is None else f"after {'/'.join(map(str, gap.after))}"
    before = "" if gap.before is None else f"before {'/'.join(map(str, gap.before))}"
    return f"rows {after} {before}".replace("  ", " ").strip() if after or before else "all rows"


# A file whose tables are not declared any more


@contextmanager
def readable(base: Path) -> Generator[Connection]:
    """A connection to the damaged base; if its declarations are what is damaged, to a copy that has them from us."""
    if _is_declared(base):
        with closing(driver.connect_to_read(base)) as source:
            yield source
        return
    with temporary_folder(base, "salvaged") as folder:
        copy = _transplanted(base, folder)
        if not _is_declared(copy):
            raise nothing_left(base)
        with closing(driver.connect_to_read(copy)) as source:
            yield source


def nothing_left(base: Path) -> BaseDamaged:
    return BaseDamaged(
        f"Nothing in {base} can be read",
        hint="Restore the last backup with `sourcebook restore FILE --force`.",
    )


def _is_declared(path: Path) -> bool:
    """Whether the file still says which tables it has."""
    try:
        with driver.translated(), closing(driver.connect_to_read(path)) as source:
            names = {row[0] for row in source.execute("select name from sqlite_schema")}
    except StorageError:
        return False
    return {"schema_migrations", "base_info"} <= names


def _transplanted(base: Path, folder: Path) -> Path:
    """A copy of the base, with the pages that declare its tables taken from a new one, where they lie alike."""
    copy, fresh = folder / "copy", folder / "fresh"
    make_private_file(copy)
    shutil.copyfile(base, copy)
    with closing(driver.connect_alone(fresh)) as new:
        bring_up_to_date(new, fresh)
        driver.make_one_file(new)
        pages = [int(n) for (n,) in new.execute("select pageno from dbstat where name = 'sqlite_schema'")]
    content = fresh.read_bytes()
    with copy.open("r+b") as file:
        for page in pages:
            start = (page - 1) * _PAGE_SIZE
            file.seek(start)
            file.write(content[start : start + _PAGE_SIZE])
        # In the header: how many pages the file has, and that none of them are free.
        size = file.seek(0, 2)
        file.seek(28)
        file.write((size // _PAGE_SIZE).to_bytes(4, "big") + bytes(8))
    return copy
