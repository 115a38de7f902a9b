"""The base cannot do it."""

from __future__ import annotations

from sourcebook.errors.branches import StorageError


class EmbeddingSizeMismatch(StorageError):
    """The collection holds vectors of another size.

    Choose the collection's own model, or run `sourcebook reindex` to change it.
    """

    code = "embedding_size_mismatch"


class BaseBusy(StorageError):
    """Another process is writing to the base and did not finish in time.

    Try again, or raise `busy_timeout` if a long write is expected; reading goes on meanwhile.
    """

    code = "base_busy"


class BaseFull(StorageError):
    """The disk is full, so nothing was written.

    Free some space and repeat the command; the base itself is intact.
    """

    code = "base_full"


class BaseReadOnly(StorageError):
    """The base can be read but not written.

    Check the permissions of the file and of its folder.
    """

    code = "base_read_only"


class BaseDamaged(StorageError):
    """The file is not an intact Sourcebook base.

    Run `sourcebook doctor`; if it confirms the damage, `sourcebook restore FILE --force` brings the last backup back.
    """

    code = "base_damaged"


class BackupDamaged(StorageError):
    """The file is not an intact backup.

    Restore another one; nothing was changed.
    """

    code = "backup_damaged"


class BaseUnreachable(StorageError):
    """The base could not be opened.

    Check the path or address given by `--db`, and the permissions of its folder.
    """

    code = "base_unreachable"


class NotASourcebook(StorageError):
    """The file is a database, but not a Sourcebook base.

    Give `--db` another path; `sourcebook import FILE` reads bases of other layouts. The file was left untouched.
    """

    code = "not_a_sourcebook"


class BaseTooNew(StorageError):
    """The base was written by a newer version of Sourcebook.

    Upgrade with `pip install --upgrade sourcebook`; the base was left untouched.
    """

    code = "base_too_new"


class MigrationEdited(StorageError):
    """The base was made by migrations that differ from those of this program.

    Install the release that made the base, or restore a backup; a released migration is never edited.
    """

    code = "migration_edited"


class SqliteTooOld(StorageError):
    """The SQLite library is older than 3.51.3 and can corrupt a base in WAL mode.

    Run `pip install --upgrade apsw`, which carries a current SQLite.
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
    """The base was opened by another process, of which this one is a fork.

    Open the base after forking: make a new `Sourcebook(path)` in each process.
    """

    code = "used_after_fork"
