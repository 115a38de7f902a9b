"""Every error that Sourcebook raises on purpose.

Each has a stable `code` for programs and a `hint` that says what to do next. The first line of a class's docstring is
its default message; the rest is its default hint.

    SourcebookError
    ├── UsageError                  the request is invalid
    │   ├── BadFilter
    │   ├── AmbiguousName
    │   ├── BadText
    │   ├── BadMetadata
    │   ├── BadVector
    │   ├── BadSetting
    │   ├── BadBundle
    │   ├── BadPolicy
    │   ├── BadFile                 one file cannot be read; the others are unaffected
    │   │   ├── UnsupportedFile
    │   │   ├── EmptyFile
    │   │   ├── EncryptedFile
    │   │   ├── DamagedFile
    │   │   ├── FileOverLimit
    │   │   ├── ParserDied
    │   │   └── NeedsOcr
    │   ├── DuplicateChunkId
    │   ├── NothingToSearchFor
    │   └── TooLittleData
    ├── NotFound                    no such thing in the base
    │   ├── CollectionNotFound
    │   ├── DocumentNotFound
    │   ├── ChunkNotFound
    │   ├── PathNotFound
    │   ├── FileGone
    │   ├── SessionNotFound
    │   ├── CuratedAnswerNotFound
    │   ├── DraftNotFound
    │   ├── UserNotFound
    │   ├── TopicNotFound
    │   └── TermNotFound
    ├── Conflict                    something else got there first
    │   ├── CollectionConflict
    │   ├── DocumentChangedMeanwhile
    │   ├── TooManyRemovals
    │   ├── ActiveModelChanged
    │   ├── AlreadyDecided
    │   ├── NotEnoughTokens
    │   ├── NoQuestionsLeft
    │   ├── StillAnswering
    │   └── ReindexOverrun
    ├── StorageError                the database failed or cannot be used
    │   ├── EmbeddingSizeMismatch
    │   ├── BaseBusy
    │   ├── BaseFull
    │   ├── BaseReadOnly
    │   ├── BaseDamaged
    │   ├── BackupDamaged
    │   ├── BaseUnreachable
    │   ├── NotASourcebook
    │   ├── BaseTooNew
    │   ├── MigrationEdited
    │   ├── SqliteTooOld
    │   ├── ServerTooOld
    │   └── NotOpen
    ├── ProviderError               an embedder, reranker or chat model failed
    │   ├── NoEmbedder
    │   ├── ProviderMissing
    │   ├── ProviderUnreachable
    │   ├── ProviderTimeout
    │   ├── ProviderBusy
    │   ├── ProviderRefused
    │   └── BadProviderAnswer
    └── AuthError                   permission denied
        └── UserBlocked
"""

from __future__ import annotations

from inspect import cleandoc
from typing import ClassVar


class SourcebookError(Exception):
    """Something went wrong in Sourcebook.

    Run the command again with `--log-level debug`. If the output does not explain the error, please report it.
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str | None = None, *, hint: str | None = None) -> None:
        first, _, rest = cleandoc(type(self).__doc__ or type(self).__name__).partition("\n")
        self.message = message or first
        self.hint = hint or " ".join(rest.split())
        super().__init__(self.message)

    def as_dict(self) -> dict[str, str]:
        """The error as every face reports it to a program."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class UsageError(SourcebookError):
    """The request is invalid.

    Correct it and try again. Nothing was changed.
    """

    code = "usage"


class BadFilter(UsageError):
    """The filter is not valid.

    A key is 1 to 8 names joined by dots, each 1 to 64 letters, digits, `_` or `-`. A value is text, a number,
    a boolean or a date.
    """

    code = "bad_filter"


class AmbiguousName(UsageError):
    """Several documents match this name.

    Give the document's id, or more of its path. `sourcebook documents list` shows both.
    """

    code = "ambiguous_name"


class BadText(UsageError):
    """The text contains characters that no database can store.

    Remove NUL characters and unpaired surrogates, then try again. Nothing was stored.
    """

    code = "bad_text"


class BadMetadata(UsageError):
    """The metadata is not plain JSON.

    Use text, finite numbers, booleans, null, lists and objects with text keys, at most 32 levels deep. Write dates as
    ISO text. Nothing was stored.
    """

    code = "bad_metadata"


class BadVector(UsageError):
    """The vector is not a list of finite numbers.

    Check the embedder: NaN, infinity and empty vectors are never stored. Nothing was stored.
    """

    code = "bad_vector"


class BadSetting(UsageError):
    """A setting has an invalid value.

    `sourcebook config show` lists every setting, its value, and where the value came from.
    """

    code = "bad_setting"


class BadBundle(UsageError):
    """The folder is not an intact bundle.

    Export it again with `sourcebook export DIR`. Nothing was imported.
    """

    code = "bad_bundle"


class BadPolicy(UsageError):
    """The policy file cannot be used.

    It must be YAML with `entities`, each with a list of `collections`. docs/how-to/ask.md has an example.
    """

    code = "bad_policy"


class BadFile(UsageError):
    """The file cannot be read.

    Open it in the program that made it to check that it is intact, then add it again. Other files are not affected.
    """

    code = "bad_file"


class UnsupportedFile(BadFile):
    """This kind of file is not supported.

    Save it as text, Markdown, HTML, PDF, DOCX, CSV or JSON. Source code is read too.
    """

    code = "unsupported_file"


class EmptyFile(BadFile):
    """The file contains no text.

    Add it again once it has some.
    """

    code = "empty_file"


class EncryptedFile(BadFile):
    """The file is protected by a password.

    Save it without the password and add it again.
    """

    code = "encrypted_file"


class DamagedFile(BadFile):
    """The file is damaged or incomplete.

    Open it in the program that made it, save it, and add it again.
    """

    code = "damaged_file"


class FileOverLimit(BadFile):
    """Reading the file takes too much memory or time.

    Split it into smaller files. A small file that exceeds the limits is probably malicious.
    """

    code = "file_over_limit"


class ParserDied(BadFile):
    """The process reading the file crashed.

    The file is probably damaged or malicious. If you trust it, save it again in the program that made it, and add it.
    """

    code = "parser_died"


class NeedsOcr(BadFile):
    """The file contains scanned pages and no text.

    Install tesseract and `pip install "sourcebook[ocr]"`, then add it again. Or add a version with a text layer.
    """

    code = "needs_ocr"


class DuplicateChunkId(UsageError):
    """The same chunk id appears twice in one call.

    Give each chunk its own id. Nothing was stored.
    """

    code = "duplicate_chunk_id"


class NothingToSearchFor(UsageError):
    """The question contains no words to search for.

    Use at least one letter or digit.
    """

    code = "nothing_to_search_for"


class TooLittleData(UsageError):
    """There is too little data to measure.

    Provide more questions with known outcomes. Nothing was changed.
    """

    code = "too_little_data"


class NotFound(SourcebookError):
    """The base has nothing with this name.

    Check the name. `sourcebook collections list` and `sourcebook documents list` show what exists.
    """

    code = "not_found"


class CollectionNotFound(NotFound):
    """There is no such collection.

    `sourcebook collections list` shows what exists. `sourcebook add PATH` creates `default`.
    """

    code = "collection_not_found"


class DocumentNotFound(NotFound):
    """There is no such document.

    `sourcebook documents list` shows what exists.
    """

    code = "document_not_found"


class ChunkNotFound(NotFound):
    """There is no such chunk.

    `update` only changes chunks that exist; use `add` to store new ones. Nothing was changed.
    """

    code = "chunk_not_found"


class PathNotFound(NotFound):
    """There is no such file or folder.

    Check the spelling and the current folder.
    """

    code = "path_not_found"


class FileGone(NotFound):
    """The document's original file is missing or has changed.

    Put the file back, or add it again. The document's text can still be read and searched.
    """

    code = "file_gone"


class SessionNotFound(NotFound):
    """There is no such conversation.

    `sourcebook sessions list` shows yours.
    """

    code = "session_not_found"


class CuratedAnswerNotFound(NotFound):
    """There is no such curated answer.

    `sourcebook kb list` shows what exists.
    """

    code = "curated_answer_not_found"


class DraftNotFound(NotFound):
    """There is no such draft.

    `sourcebook moderate list` shows the drafts waiting for review.
    """

    code = "draft_not_found"


class UserNotFound(NotFound):
    """There is no such user.

    `sourcebook users list` shows who is registered.
    """

    code = "user_not_found"


class TopicNotFound(NotFound):
    """There is no such consultation.

    Ask a question to start one.
    """

    code = "topic_not_found"


class TermNotFound(NotFound):
    """There is no such term.

    `sourcebook terms list` shows what exists.
    """

    code = "term_not_found"


class Conflict(SourcebookError):
    """Something else got there first.

    Check the current state and try again. Nothing was changed.
    """

    code = "conflict"


class CollectionConflict(Conflict):
    """A collection with this name already exists, with a different vector size or metric.

    Choose another name, or first remove the old collection with `sourcebook collections remove`.
    """

    code = "collection_conflict"


class DocumentChangedMeanwhile(Conflict):
    """The document has changed since it was read.

    Read it again and repeat the change. Nothing was written.
    """

    code = "document_changed_meanwhile"


class TooManyRemovals(Conflict):
    """Most of this folder's files are gone, so nothing was changed.

    Check that the disk is mounted and the path is right. To remove the missing files from the base, add
    `--allow-removals`.
    """

    code = "too_many_removals"


class ActiveModelChanged(Conflict):
    """The collection has switched to another embedding model.

    Embed the document again with the active model. Nothing was written.
    """

    code = "active_model_changed"


class AlreadyDecided(Conflict):
    """This draft has already been decided.

    Nothing was changed. `sourcebook moderate show` shows the decision.
    """

    code = "already_decided"

    def __init__(
        self, message: str | None = None, *, hint: str | None = None, decided_by: str = "", status: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.decided_by = decided_by
        self.status = status


class NotEnoughTokens(Conflict):
    """There are not enough tokens.

    Add some with `sourcebook tokens credit ID AMOUNT`. Nothing was charged.
    """

    code = "not_enough_tokens"

    def __init__(self, message: str = "", *, hint: str = "", balance: int = 0, price: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.balance = balance
        self.price = price


class NoQuestionsLeft(Conflict):
    """This consultation has no questions left.

    Buy more questions, or start a new consultation. Nothing was charged.
    """

    code = "no_questions_left"

    def __init__(self, message: str = "", *, hint: str = "", balance: int = 0, price: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.balance = balance
        self.price = price


class StillAnswering(Conflict):
    """This question, or an earlier one, is still being answered.

    Wait a moment and try again. The question is answered and charged only once.
    """

    code = "still_answering"


class ReindexOverrun(Conflict):
    """Another reindex of this collection was started and replaced this one.

    Let the other one finish, then check `sourcebook collections list`. The collection stayed usable throughout.
    """

    code = "reindex_overrun"


class StorageError(SourcebookError):
    """The database operation failed.

    Run `sourcebook doctor` to check the base.
    """

    code = "storage"


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

    Check the permissions of the file and its folder.
    """

    code = "base_read_only"


class BaseDamaged(StorageError):
    """The file is not an intact Sourcebook base.

    Run `sourcebook doctor`. If it confirms the damage, restore your last backup with `sourcebook restore FILE --force`.
    """

    code = "base_damaged"


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


class NotASourcebook(StorageError):
    """The file is a database, but not a Sourcebook base.

    Pass another path to `--db`. To import another program's base, use `sourcebook import FILE`. The file was not
    touched.
    """

    code = "not_a_sourcebook"


class BaseTooNew(StorageError):
    """The base was written by a newer version of Sourcebook.

    Upgrade with `pip install --upgrade sourcebook`. The base was not touched.
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


class ProviderError(SourcebookError):
    """An embedder, reranker or chat model failed.

    Check its address and key with `sourcebook config show`, then try again.
    """

    code = "provider"


class NoEmbedder(ProviderError):
    """The model that made the collection's vectors is not available here.

    Search with `--mode keyword`, supply your own vectors, or switch models with `sourcebook reindex --model M`.
    """

    code = "no_embedder"


class ProviderMissing(ProviderError):
    """A package or file that the model needs is missing.

    `docs/how-to/models.md` lists what each model needs.
    """

    code = "provider_missing"


class ProviderUnreachable(ProviderError):
    """The model's server could not be reached.

    Check that it is running and that its address is right (`sourcebook config show`). Keyword search still works.
    """

    code = "provider_unreachable"


class ProviderTimeout(ProviderError):
    """The model's server did not answer in time.

    Try again, or give it more time; for an embedder, raise `embedder_timeout`. Keyword search still works.
    """

    code = "provider_timeout"


class ProviderBusy(ProviderError):
    """The model's server is overloaded or failing, and retrying did not help.

    Try again later; finished work is kept. For an embedder, a smaller `embedder_batch` sends less at a time.
    """

    code = "provider_busy"


class ProviderRefused(ProviderError):
    """The model's server refused the request.

    Check the model's name and the API key. The server's own message is above.
    """

    code = "provider_refused"


class BadProviderAnswer(ProviderError):
    """The model's server gave an invalid answer, so none of it was used.

    Check that the address belongs to the right kind of server, and that the model makes embeddings.
    """

    code = "bad_provider_answer"


class AuthError(SourcebookError):
    """Access was refused.

    Sign in, or use an API key that is bound to this collection.
    """

    code = "auth"


class UserBlocked(AuthError):
    """This user is blocked.

    `sourcebook users unblock ID` restores access.
    """

    code = "user_blocked"
