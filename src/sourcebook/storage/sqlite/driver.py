"""The only file that speaks to apsw about a connection: opening one, binding values, and naming what went wrong."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, TypeVar, cast

import apsw

from sourcebook.errors import (
    BadText,
    BaseBusy,
    BaseDamaged,
    BaseFull,
    BaseReadOnly,
    BaseUnreachable,
    Conflict,
    SqliteTooOld,
    StorageError,
    UsageError,
)
from sourcebook.storage.temporary_folders import make_private_file, temporary_folder
from sourcebook.text.case_and_accents import normal_form

if TYPE_CHECKING:
    from sourcebook.storage.database import Row

# Older versions can corrupt a file in WAL mode when two connections restart the log at the same time.
OLDEST_SAFE_VERSION = (3, 51, 3)
_SECONDS_FOR_A_HELD_CONNECTION = 30.0
_SECONDS_FOR_THE_LOG = 30.0

Value: TypeAlias = int | float | str | bytes | None
Bindings: TypeAlias = Mapping[str, Value] | Sequence[Value]
T = TypeVar("T")


class Cursor(Protocol):
    def get_description(self) -> tuple[tuple[str, str], ...]: ...
    def fetchall(self) -> list[tuple[Any, ...]]: ...
    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...


class Connection(Protocol):
    """What we use of an apsw connection, with types that a checker for Python 3.11 understands."""

    @property
    def in_transaction(self) -> bool: ...
    def execute(self, statements: str, bindings: Bindings | None = None) -> Cursor: ...
    def executemany(self, statements: str, sequenceofbindings: Iterable[Bindings]) -> Cursor: ...
    def changes(self) -> int: ...
    def set_busy_timeout(self, milliseconds: int) -> None: ...
    def create_scalar_function(
        self, name: str, callable: Callable[..., Value] | None, numargs: int, *, deterministic: bool
    ) -> None: ...
    def backup(self, databasename: str, sourceconnection: Self, sourcedatabasename: str) -> apsw.Backup: ...
    def close(self) -> None: ...


_ERRORS: tuple[tuple[type[apsw.Error], type[StorageError] | type[Conflict]], ...] = (
    (apsw.BusyError, BaseBusy),
    (apsw.LockedError, BaseBusy),
    (apsw.FullError, BaseFull),
    (apsw.ReadOnlyError, BaseReadOnly),
    (apsw.PermissionsError, BaseReadOnly),
    (apsw.AuthError, BaseReadOnly),
    (apsw.CorruptError, BaseDamaged),
    (apsw.NotADBError, BaseDamaged),
    (apsw.CantOpenError, BaseUnreachable),
    (apsw.ConstraintError, Conflict),
)


# What SQLite takes as it is. Most rows hold nothing else, and then nobody has to look at each of their values.
_PLAIN: set[type] = {str, int, float, bytes, type(None)}

# Made once: `json.dumps` would make another encoder for every value.
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode

_OF_ANOTHER_SHAPE = ("no such ", "malformed database schema")


def library_version() -> tuple[int, ...]:
    return tuple(int(part) for part in apsw.sqlite_lib_version().split("."))


def require_safe_library(version: tuple[int, ...]) -> None:
    """Refuse to touch a base with a SQLite that may damage it."""
    if version < OLDEST_SAFE_VERSION:
        raise SqliteTooOld(
            f"SQLite {'.'.join(map(str, version))} is older than 3.51.3 and can corrupt a base in WAL mode"
        )


@contextmanager
def translated() -> Generator[None, None, None]:
    """Driver's errors end here: what passes is ours."""
    try:
        yield
    except apsw.Error as error:
        for theirs, ours in _ERRORS:
            if isinstance(error, theirs):
                raise ours(f"{_first_line(ours)}{_said(error)}") from error
        # Our statements are known to fit the tables that we make: if they do not, it is because of the tables.
        if isinstance(error, apsw.SQLError) and str(error).startswith(_OF_ANOTHER_SHAPE):
            raise BaseDamaged(f"{_first_line(BaseDamaged)}{_said(error)}") from error
        raise StorageError(f"SQLite: {error}") from error
    except UnicodeEncodeError as error:
        raise BadText from error
    except UnicodeDecodeError as error:
        raise BaseDamaged(f"{_first_line(BaseDamaged)} (a text in it is no text: {error})") from error
    except OverflowError as error:
        raise UsageError("A number needs more than the 64 bits that a base stores") from error


def _first_line(error: type[Exception]) -> str:
    return (error.__doc__ or "").partition("\n")[0].removesuffix(".")


def _said(error: apsw.Error) -> str:
    """What SQLite says itself; after a failed copy of pages it has nothing to say."""
    return "" if str(error) == "not an error" else f" (SQLite: {error})"


def connect(path: Path, *, busy_timeout: float, vfs: str | None = None, make: bool = True) -> Connection:
    flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if make else 0)
    connection = cast("Connection", apsw.Connection(str(path), flags, vfs, statementcachesize=256))
    connection.set_busy_timeout(int(busy_timeout * 1000))
    connection.execute("pragma foreign_keys = on")
    connection.execute("pragma trusted_schema = off")
    connection.execute("pragma temp_store = memory")
    connection.execute("pragma cache_size = -65536")
    connection.execute("pragma journal_size_limit = 67108864")
    # What is deleted is overwritten: a text that somebody took back must not stay in the file.
    connection.execute("pragma secure_delete = on")
    # An acknowledged write survives a power cut: FULL syncs the log at every commit.
    connection.execute("pragma synchronous = full")
    connection.create_scalar_function("normal_form", _normal_form, 1, deterministic=True)
    return connection


def connect_to_read(path: Path, *, busy_timeout: float = 5.0) -> Connection:
    """A connection that cannot write, for files that are looked at and not used."""
    connection = cast("Connection", apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY))
    connection.set_busy_timeout(int(busy_timeout * 1000))
    connection.execute("pragma trusted_schema = off")
    # A page whose cells overlap or leave it is then an error rather than a surprise.
    connection.execute("pragma cell_size_check = on")
    return connection


def connect_alone(path: Path, *, vfs: str | None = None) -> Connection:
    """A connection to a file that nobody else knows of yet and that is worth nothing until it is complete."""
    connection = cast("Connection", apsw.Connection(str(path), vfs=vfs))
    for pragma in (
        "pragma locking_mode = exclusive",
        "pragma journal_mode = off",
        "pragma synchronous = off",
    ):
        connection.execute(pragma).fetchall()
    return connection


def copy_pages(
    source: Connection, destination: Connection, pages: int = 1024
) -> Generator[tuple[int, int], None, None]:
    """Copy a base page by page. After each step, how many are copied and how many there are.

    A source with an open transaction is copied as that sees it. The destination changes at the last step, as a whole.
    """
    with _when_free(lambda: destination.backup("main", source, "main")) as backup:
        while not backup.done:
            _when_free(lambda: backup.step(pages))
            yield backup.page_count - backup.remaining, backup.page_count
        _when_free(backup.finish)


def _when_free(call: Callable[[], T]) -> T:
    """Make the call when no other thread holds the connection: the driver may let go of old results in any thread."""
    deadline = time.monotonic() + _SECONDS_FOR_A_HELD_CONNECTION
    while True:
        try:
            return call()
        except apsw.ThreadingViolationError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def make_one_file(connection: Connection) -> None:
    """Leave no log beside the file that could be forgotten."""
    connection.execute("pragma journal_mode = delete").fetchall()


def use_write_ahead_log(connection: Connection) -> None:
    """Let readers and the writer work at the same time. A file that can only be read needs no such thing.

    Of several processes that make a base at once, SQLite may refuse all but one at once instead of letting them wait.
    """
    deadline = time.monotonic() + _SECONDS_FOR_THE_LOG
    while True:
        try:
            with suppress(apsw.ReadOnlyError):
                connection.execute("pragma journal_mode = wal").fetchall()
            return
        except apsw.BusyError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def _normal_form(value: object) -> Value:
    return normal_form(value) if isinstance(value, str) else None


def bindings(parameters: Mapping[str, object]) -> Mapping[str, Value]:
    if _PLAIN.issuperset(map(type, parameters.values())):
        return cast("Mapping[str, Value]", parameters)
    # Vectors and words have kinds of bytes of their own.
    _PLAIN.update(kind for kind in map(type, parameters.values()) if issubclass(kind, bytes))
    return {name: _bound(value) for name, value in parameters.items()}


def _bound(value: object) -> Value:
    match value:
        case bool():
            return int(value)
        case None | int() | float() | str() | bytes():
            return value
        case _:
            return _encode(value)


def run(connection: Connection, sql: str, parameters: Mapping[str, object]) -> list[Row]:
    cursor = connection.execute(sql, bindings(parameters))
    try:
        names = [column[0] for column in cursor.get_description()]
    except apsw.ExecutionCompleteError:
        return []
    return [dict(zip(names, row, strict=True)) for row in cursor]


def stream(connection: Connection, sql: str, parameters: Mapping[str, object]) -> Iterator[tuple[Any, ...]]:
    """The rows one by one, as plain tuples in the order of the columns."""
    return iter(connection.execute(sql, bindings(parameters)))


def change(connection: Connection, sql: str, parameters: Mapping[str, object]) -> int:
    connection.execute(sql, bindings(parameters))
    return connection.changes()


def change_many(connection: Connection, sql: str, rows: Iterable[Mapping[str, object]]) -> None:
    connection.executemany(sql, (bindings(row) for row in rows))


def copy(source: Connection, target: Path) -> None:
    """Copy a base while others use it. The target appears complete or not at all."""
    with temporary_folder(target, "unfinished") as folder:
        unfinished = folder / target.name
        make_private_file(unfinished)
        destination = cast("Connection", apsw.Connection(str(unfinished)))
        for _ in copy_pages(source, destination, pages=-1):
            pass
        make_one_file(destination)
        destination.close()
        sync_file(unfinished)
        unfinished.replace(target)
    sync_folder(target.parent)


def sync_file(path: Path) -> None:
    """Make what was written survive a power cut. No connection may have the file open: closing it drops their locks."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make a new name in the folder survive a power cut, where the system lets us."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_complete(statement: str) -> bool:
    """Whether the text ends where a statement ends."""
    return apsw.complete(statement)
