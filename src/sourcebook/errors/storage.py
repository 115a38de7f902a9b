"""The base cannot do it."""

from __future__ import annotations

from sourcebook.errors.error_tree import StorageError


class EmbeddingSizeMismatch(StorageError):
    """The collection's vectors have a different size.

    Use the collection's own model, or change it with `sourcebook reindex`.
    """

    code = "embedding_size_mismatch"


class BaseBusy(StorageError):
    """Another process is writing to the base and did not finish in time.

    Try again, or raise `busy_timeout` if you expect a long write. Reading still works.
    """

    code = "base_busy"


class BaseFull(StorageError):
    """The disk is full, so nothing was written.

    Free some space and run the command again. The base is intact.
    """

    code = "base_full"


class BaseReadOnly(StorageError):
    """The base is read-only.

    Check the permissions of the file and its folder. As long as the folder can be written to, the base can be searched.
    """

    code = "base_read_only"


class BaseDamaged(StorageError):
    """The file is not an intact Sourcebook base.

    Run `sourcebook doctor`. If it confirms the damage, restore your last backup with `sourcebook restore FILE --force`.
    """

    code = "base_damaged"


class BaseReplaced(StorageError):
    """The file of the base was deleted, moved or replaced while it was open.

    The last change is not in the base that is there now. Restart whatever uses the base (`serve`, `bot`,
    `add --watch`), and repeat the change.
    """

    code = "base_replaced"


class BackupDamaged(StorageError):
    """The file is not an intact backup.

    Restore a different backup. Nothing was changed.
    """

    code = "backup_damaged"


class BaseUnreachable(StorageError):
    """The base could not be opened.

    Check the path or address in `--db`, and the permissions of its folder.
    """

    code = "base_unreachable"


class ConnectionLost(BaseUnreachable):
    """The connection to the server was lost in the middle of something.

    Try again: it is reopened automatically. A change that was in progress was not made.
    """

    code = "connection_lost"


class NotASourcebook(StorageError):
    """The file is not a Sourcebook base.

    Pass another path to `--db`. To import another program's base, use `sourcebook import FILE`. The file was not
    touched.
    """

    code = "not_a_sourcebook"


class BaseTooNew(StorageError):
    """The base was written by a newer version of Sourcebook.

    Install the newer version, in the way you installed this one. The base was not touched.
    """

    code = "base_too_new"


class MigrationEdited(StorageError):
    """The base was created by migrations that differ from this version's.

    Install the release that created the base, or restore a backup. Released migrations never change.
    """

    code = "migration_edited"


class SqliteTooOld(StorageError):
    """The SQLite library is older than 3.51.3 and can corrupt a base in WAL mode.

    Run `pip install --upgrade apsw`, which bundles a current SQLite.
    """

    code = "sqlite_too_old"


class ServerTooOld(StorageError):
    """The PostgreSQL server, or its pgvector, is too old.

    Use PostgreSQL 16 or newer with pgvector 0.8 or newer.
    """

    code = "server_too_old"


class NotOpen(StorageError):
    """The base is not open.

    Open it first: `with Sourcebook(path) as book: …`, or `async with AsyncSourcebook(path) as book: …`.
    """

    code = "not_open"


class UsedAfterFork(StorageError):
    """The base was opened before this process was forked.

    Open the base after forking: make a new `Sourcebook(path)` in each process.
    """

    code = "used_after_fork"
