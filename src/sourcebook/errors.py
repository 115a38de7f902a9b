"""Every error that Sourcebook raises on purpose.

Each has a stable `code` for programs and a `hint` that says what to do next. The first line of a class's docstring is
its message when none is given, and the rest is its hint.

    SourcebookError
    ├── UsageError                  what was asked for makes no sense
    │   ├── BadFilter
    │   ├── BadText
    │   ├── BadMetadata
    │   ├── BadVector
    │   ├── BadSetting
    │   ├── BadBundle
    │   ├── DuplicateChunkId
    │   └── NothingToSearchFor
    ├── NotFound                    what was named is not there
    │   ├── CollectionNotFound
    │   ├── DocumentNotFound
    │   ├── ChunkNotFound
    │   └── PathNotFound
    ├── Conflict                    somebody or something else got there first
    │   ├── CollectionConflict
    │   ├── DocumentChangedMeanwhile
    │   └── ActiveModelChanged
    ├── StorageError                the base cannot do it
    │   ├── EmbeddingSizeMismatch
    │   ├── BaseBusy
    │   ├── BaseFull
    │   ├── BaseReadOnly
    │   ├── BaseDamaged
    │   ├── BaseUnreachable
    │   ├── NotASourcebook
    │   ├── BaseTooNew
    │   ├── MigrationEdited
    │   ├── SqliteTooOld
    │   └── NotOpen
    ├── ProviderError               an embedder, reranker or chat model failed
    │   └── NoEmbedder
    └── AuthError                   who asks may not
"""

from __future__ import annotations

from inspect import cleandoc
from typing import ClassVar


class SourcebookError(Exception):
    """Something went wrong in Sourcebook.

    Run the command again with `--log-level debug`, and report what it prints if that does not explain it.
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str | None = None, *, hint: str | None = None) -> None:
        first, _, rest = cleandoc(type(self).__doc__ or type(self).__name__).partition("\n")
        self.message = message or first
        self.hint = hint or " ".join(rest.split())
        super().__init__(self.message)

    def as_dict(self) -> dict[str, str]:
        """The shape in which every face shows an error to a program."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class UsageError(SourcebookError):
    """The request makes no sense as it stands.

    Correct it and try again; nothing was changed.
    """

    code = "usage"


class BadFilter(UsageError):
    """The filter cannot be understood.

    Keys are 1 to 8 names separated by dots, each of 1 to 64 letters, digits, `_` or `-`; values are text, numbers,
    booleans or dates.
    """

    code = "bad_filter"


class BadText(UsageError):
    """The text holds characters that no database can store.

    Remove NUL characters and unpaired surrogates, then try again; nothing was stored.
    """

    code = "bad_text"


class BadMetadata(UsageError):
    """The metadata is not plain JSON.

    Use text, finite numbers, booleans, null, lists and objects with text keys, at most 32 levels deep; write dates as
    ISO text. Nothing was stored.
    """

    code = "bad_metadata"


class BadVector(UsageError):
    """The vector is not a list of finite numbers.

    Check the embedder: NaN, infinity and empty vectors never enter a base. Nothing was stored.
    """

    code = "bad_vector"


class BadSetting(UsageError):
    """A setting has a value that it cannot have.

    `sourcebook config show` lists every setting with its value and where it came from.
    """

    code = "bad_setting"


class BadBundle(UsageError):
    """The folder is not an intact bundle.

    Export it again with `sourcebook export DIR`; nothing was imported.
    """

    code = "bad_bundle"


class DuplicateChunkId(UsageError):
    """The same chunk id appears twice in one call.

    Give each chunk its own id; nothing was stored.
    """

    code = "duplicate_chunk_id"


class NothingToSearchFor(UsageError):
    """The question holds no words to search for.

    Use at least one letter or digit.
    """

    code = "nothing_to_search_for"


class NotFound(SourcebookError):
    """What was named is not in the base.

    Check the name; `sourcebook collections list` and `sourcebook documents list` show what is there.
    """

    code = "not_found"


class CollectionNotFound(NotFound):
    """There is no such collection.

    `sourcebook collections list` shows the ones that exist; `sourcebook add PATH` makes `default`.
    """

    code = "collection_not_found"


class DocumentNotFound(NotFound):
    """There is no such document.

    `sourcebook documents list` shows the ones that exist.
    """

    code = "document_not_found"


class ChunkNotFound(NotFound):
    """There is no such chunk.

    Use `add` to store a chunk that may be new; `update` changes only what exists. Nothing was changed.
    """

    code = "chunk_not_found"


class PathNotFound(NotFound):
    """There is no such file or folder.

    Check the spelling and the current folder.
    """

    code = "path_not_found"


class Conflict(SourcebookError):
    """Something else got there first.

    Look at the present state and decide again; nothing was changed.
    """

    code = "conflict"


class CollectionConflict(Conflict):
    """A collection of this name exists with another vector size or metric.

    Choose another name, or remove the old collection first with `sourcebook collections remove`.
    """

    code = "collection_conflict"


class DocumentChangedMeanwhile(Conflict):
    """The document was changed by somebody else since it was read.

    Read it again and repeat the change; nothing was written.
    """

    code = "document_changed_meanwhile"


class ActiveModelChanged(Conflict):
    """The collection switched to another embedding model in the meantime.

    Embed the document again with the active model; nothing was written.
    """

    code = "active_model_changed"


class StorageError(SourcebookError):
    """The base could not do what was asked.

    Run `sourcebook doctor` to see what state it is in.
    """

    code = "storage"


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

    Run `sourcebook doctor`; restore the last backup with `sourcebook restore FILE` if it confirms the damage.
    """

    code = "base_damaged"


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


class NotOpen(StorageError):
    """The base is not open.

    Open it first: `with Sourcebook(path) as book: …`, or `await AsyncSourcebook.open(path)`.
    """

    code = "not_open"


class ProviderError(SourcebookError):
    """An embedder, reranker or chat model failed.

    Check its address and key with `sourcebook config show`, then try again.
    """

    code = "provider"


class NoEmbedder(ProviderError):
    """The collection's vectors were made by a model that is not available here.

    Search it with `--mode keyword`, or give vectors of your own; `sourcebook reindex --model M` changes the model.
    """

    code = "no_embedder"


class AuthError(SourcebookError):
    """Access was refused.

    Sign in, or use an API key that is bound to this collection.
    """

    code = "auth"
