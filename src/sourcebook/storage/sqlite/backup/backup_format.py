"""What a backup is: the whole base, the files kept beside it, and a record by which both are verified.

It is one SQLite file. Besides the tables of the base it has `backup_info`, and `backup_files` with the uploads in
pieces.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from sourcebook.errors import BackupDamaged, SourcebookError
from sourcebook.ingest.uploads.upload_folder import UNFINISHED, UploadFolder, is_upload_name
from sourcebook.storage.sqlite import base_files, driver, tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from sourcebook.storage.sqlite.driver import Connection

FORMAT = 1
_PIECE = 1 << 20
_INCOMPLETE = "the backup was never completed"

_TABLES = (
    "create table backup_info (key text not null primary key, value text not null) strict, without rowid",
    "create table backup_files (name text not null, part integer not null, data blob not null,"
    " primary key (name, part)) strict",
)


@dataclass(frozen=True, slots=True)
class BackupRecord:
    """What a backup says of itself: the digest and number of its rows, and the SHA-256 of each stored file."""

    digest: str
    rows: int
    program: str
    made_at: int
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    files: Mapping[str, str] = field(default_factory=dict[str, str])


def seal(connection: Connection, record: BackupRecord) -> None:
    """Make a backup of a base that was copied."""
    content = {**asdict(record), "counts": dict(record.counts), "files": dict(record.files)}
    connection.execute("insert into backup_info (key, value) values (?, ?)", ("format", str(FORMAT)))
    connection.execute("insert into backup_info (key, value) values (?, ?)", ("record", json.dumps(content)))


def make_room(connection: Connection) -> None:
    for sql in _TABLES:
        connection.execute(sql)


def unseal(connection: Connection) -> None:
    """Make a base of the copy of a backup: only what belongs to the base stays."""
    for sql in ("drop table if exists backup_info", "drop table if exists backup_files"):
        connection.execute(sql)
    connection.execute(
        "delete from base_info where substr(key, 1, ?) = ?", (len(tables.DERIVED), tables.DERIVED)
    )


def record_of(connection: Connection) -> BackupRecord | None:
    """What the file says of itself, or None if it is a base and not a backup."""
    names = {row[0] for row in connection.execute("select name from sqlite_schema where type = 'table'")}
    if not names & set(tables.BACKUP_TABLES):
        return None
    if not names >= set(tables.BACKUP_TABLES):
        raise BackupDamaged(_INCOMPLETE)
    said = {str(key): str(value) for key, value in connection.execute("select key, value from backup_info")}
    if not said:
        raise BackupDamaged(_INCOMPLETE)
    if said.get("format") != str(FORMAT):
        raise BackupDamaged(
            f"The backup has the format {said.get('format')!r}, but this program reads {FORMAT}",
            hint="Restore it with the version of Sourcebook that wrote it.",
        )
    try:
        return BackupRecord(**cast("dict[str, Any]", json.loads(said["record"])))
    except (KeyError, TypeError, ValueError) as error:
        raise BackupDamaged("The backup has no list of its contents") from error


def upload_folder_of(base: Path, shared: Path | None, connection: Connection) -> UploadFolder:
    """Where the uploads of a base lie: beside it, or in the folder that the settings name for them."""
    if shared is None:
        return UploadFolder(base_files.stored_files_of(base))
    fact = connection.execute("select value from base_info where key = 'base_id'").fetchall()
    return UploadFolder.within(shared, str(fact[0][0]) if fact else "")


def put_files(
    connection: Connection, folder: UploadFolder, advance: Callable[[int, int], None]
) -> dict[str, str]:
    """Take in the uploads of a base. The SHA-256 of each by its name.

    One that somebody removes meanwhile is not in the backup: its document is going, too.
    """
    found = {
        path.relative_to(folder.own).as_posix()
        for path in folder.own.rglob("*")
        if path.is_file() and not path.name.endswith(UNFINISHED)
    }
    if folder.shared is not None:
        found.update(filter(is_upload_name, [*uploads_named_in(connection), *_waiting_uploads(connection)]))
    names = sorted(found)
    hashes: dict[str, str] = {}
    for done, name in enumerate(names):
        advance(done, len(names))
        try:
            with folder.find(name).open("rb") as file:
                hashed = hashlib.sha256()
                part = 0
                while (piece := file.read(_PIECE)) or part == 0:
                    hashed.update(piece)
                    connection.execute(
                        "insert into backup_files (name, part, data) values (?, ?, ?)", (name, part, piece)
                    )
                    part += 1
        except FileNotFoundError:
            continue
        hashes[name] = hashed.hexdigest()
    return hashes


def uploads_named_in(connection: Connection) -> list[str]:
    """The stored files of which the documents of a base speak."""
    found = connection.execute("select distinct stored_file from documents where stored_file is not null")
    return sorted(str(name) for (name,) in found)


def _waiting_uploads(connection: Connection) -> list[str]:
    """The stored files of which only a job speaks so far."""
    found = connection.execute(
        "select payload from jobs where kind = 'uploads' and status in ('pending', 'doing')"
    )
    return [str(json.loads(payload).get("file", "")) for (payload,) in found]


def holds_files(connection: Connection) -> bool:
    names = {row[0] for row in connection.execute("select name from sqlite_schema where type = 'table'")}
    return "backup_files" in names and bool(
        connection.execute("select 1 from backup_files limit 1").fetchall()
    )


def pieces_of(connection: Connection, name: str) -> Iterator[bytes]:
    """The content of a stored file, piece by piece."""
    cursor = connection.execute("select data from backup_files where name = ? order by part", (name,))
    return (bytes(piece) for (piece,) in cursor)


def require_intact(
    connection: Connection, record: BackupRecord | None, advance: Callable[[int, int], None]
) -> str:
    """Verify a backup, or a base that serves as one, against what it says of itself. Its digest."""
    require_sound_file(connection)
    rows = tables.row_count(connection)
    done = 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        advance(done, rows)

    digest = tables.digest_of(connection, count)
    if record is not None:
        if (rows, digest) != (record.rows, record.digest):
            raise BackupDamaged("The backup's rows differ from those written to it")
        for name, expected in record.files.items():
            _require_same(connection, name, expected)
    return digest


def require_sound_file(connection: Connection) -> None:
    """What SQLite itself can say of a file."""
    for said in connection.execute("pragma integrity_check(10)"):
        if said[0] != "ok":
            raise BackupDamaged(f"The file is damaged: {said[0]}")


def _require_same(connection: Connection, name: str, expected: str) -> None:
    hashed = hashlib.sha256()
    for piece in pieces_of(connection, name):
        hashed.update(piece)
    if hashed.hexdigest() != expected:
        raise BackupDamaged(f"The stored file {name} is not the one that was written to the backup")


def is_backup(path: Path) -> bool:
    """Whether a file is a backup of ours, as far as a glance can tell."""
    try:
        with driver.translated():
            connection = driver.connect_to_read(path)
            try:
                return record_of(connection) is not None
            finally:
                connection.close()
    except (SourcebookError, OSError):
        return False
