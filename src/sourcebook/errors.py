"""Every error that Sourcebook raises on purpose.

Each has a stable `code` for programs and a `hint` that says what to do next. The first line of a class's docstring is
its message when none is given, and the rest is its hint.

    SourcebookError
    ├── UsageError                  what was asked for makes no sense
    │   ├── BadFilter
    │   ├── AmbiguousName
    │   ├── BadText
    │   ├── BadMetadata
    │   ├── BadVector
    │   ├── BadSetting
    │   ├── BadBundle
    │   ├── BadPolicy
    │   ├── BadFile                 one file cannot be read; others are not touched by that
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
    ├── NotFound                    what was named is not there
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
    ├── Conflict                    somebody or something else got there first
    │   ├── CollectionConflict
    │   ├── DocumentChangedMeanwhile
    │   ├── TooManyRemovals
    │   ├── ActiveModelChanged
    │   ├── AlreadyDecided
    │   ├── NotEnoughTokens
    │   ├── NoQuestionsLeft
    │   ├── StillAnswering
    │   └── ReindexOverrun
    ├── StorageError                the base cannot do it
    │   ├── EmbeddingSizeMismatch
    │   ├── BaseBusy
    │   ├── BaseFull
    │   ├── BaseReadOnly
    │   ├── BaseDamaged
    │   ├── BaseReplaced
    │   ├── BackupDamaged
    │   ├── BaseUnreachable
    │   │   └── ConnectionLost
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
    └── AuthError                   who asks may not
        └── UserBlocked
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


class AmbiguousName(UsageError):
    """Several documents are called so.

    Give the id of the one that is meant, or more of its path; `sourcebook documents list` shows both.
    """

    code = "ambiguous_name"


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


class BadPolicy(UsageError):
    """The policy file cannot be used.

    It is YAML with `entities`, each with a list of `collections`; docs/how-to/ask.md shows one.
    """

    code = "bad_policy"


class BadFile(UsageError):
    """The file cannot be read.

    Open it in its own program to see whether it is intact, then add it again; other files are not concerned.
    """

    code = "bad_file"


class UnsupportedFile(BadFile):
    """The file is of a kind that is not read.

    Files of text, Markdown, HTML, PDF, DOCX, CSV, JSON and source code are; save it as one of these.
    """

    code = "unsupported_file"


class EmptyFile(BadFile):
    """The file holds no text.

    Add it again when something is in it.
    """

    code = "empty_file"


class EncryptedFile(BadFile):
    """The file is protected by a password.

    Save it without one and add it again.
    """

    code = "encrypted_file"


class DamagedFile(BadFile):
    """The file is damaged or incomplete.

    Open it in its own program, save it anew, and add it again.
    """

    code = "damaged_file"


class FileOverLimit(BadFile):
    """Reading the file takes more memory or time than a file may take.

    Split it into smaller files; a small file that takes this much is probably made to do harm.
    """

    code = "file_over_limit"


class ParserDied(BadFile):
    """The process that read the file died.

    The file is probably damaged, or made to do harm; save it anew in its own program and add it again.
    """

    code = "parser_died"


class NeedsOcr(BadFile):
    """The file holds pictures of pages and no text.

    Install tesseract and `pip install "sourcebook[ocr]"`, then add it again; or add a file with a text layer.
    """

    code = "needs_ocr"


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


class TooLittleData(UsageError):
    """There is too little to measure by.

    Give more questions whose right outcome is known; nothing was changed.
    """

    code = "too_little_data"


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


class FileGone(NotFound):
    """The file of the document is not at hand any more, or is another one now.

    Put the file back, or add it again; its text can be read and searched without it.
    """

    code = "file_gone"


class SessionNotFound(NotFound):
    """There is no such conversation.

    `sourcebook sessions list` shows yours.
    """

    code = "session_not_found"


class CuratedAnswerNotFound(NotFound):
    """There is no such curated answer.

    `sourcebook kb list` shows the ones that exist.
    """

    code = "curated_answer_not_found"


class DraftNotFound(NotFound):
    """There is no such draft.

    `sourcebook moderate list` shows those that wait.
    """

    code = "draft_not_found"


class UserNotFound(NotFound):
    """There is no such person.

    `sourcebook users list` shows the ones that are known.
    """

    code = "user_not_found"


class TopicNotFound(NotFound):
    """There is no such consultation.

    Ask a question to begin one.
    """

    code = "topic_not_found"


class TermNotFound(NotFound):
    """There is no such term.

    `sourcebook terms list` shows the ones that exist.
    """

    code = "term_not_found"


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


class TooManyRemovals(Conflict):
    """Most of what the base knows of this folder is gone, so nothing was changed.

    Check that the disk is there and the path is right; `--allow-removals` removes what is gone.
    """

    code = "too_many_removals"


class ActiveModelChanged(Conflict):
    """The collection switched to another embedding model in the meantime.

    Embed the document again with the active model; nothing was written.
    """

    code = "active_model_changed"


class AlreadyDecided(Conflict):
    """Somebody has already decided about this draft.

    Nothing was changed; `sourcebook moderate show` tells what was decided.
    """

    code = "already_decided"

    def __init__(
        self, message: str | None = None, *, hint: str | None = None, decided_by: str = "", status: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.decided_by = decided_by
        self.status = status


class NotEnoughTokens(Conflict):
    """There are not enough tokens for that.

    `sourcebook tokens credit ID AMOUNT` gives some; nothing was taken.
    """

    code = "not_enough_tokens"

    def __init__(self, message: str = "", *, hint: str = "", balance: int = 0, price: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.balance = balance
        self.price = price


class NoQuestionsLeft(Conflict):
    """The questions of this consultation are used up.

    Buy more of them, or begin a new consultation; nothing was taken.
    """

    code = "no_questions_left"

    def __init__(self, message: str = "", *, hint: str = "", balance: int = 0, price: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.balance = balance
        self.price = price


class StillAnswering(Conflict):
    """The question, or one before it, is still being answered.

    Wait a little and ask for it again; it is answered and paid once.
    """

    code = "still_answering"


class ReindexOverrun(Conflict):
    """Another reindex of the same collection was started, and took the place of this one.

    Let the other one end, then look at `sourcebook collections list`; the collection was usable all the time.
    """

    code = "reindex_overrun"


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

    Run `sourcebook doctor`; if it confirms the damage, `sourcebook restore FILE --force` brings the last backup back.
    """

    code = "base_damaged"


class BaseReplaced(StorageError):
    """The file of the base was deleted, moved or replaced while it was open.

    The last change is not in the base that is there now. Restart what uses the base (`serve`, `bot`, `add --watch`),
    and do it again.
    """

    code = "base_replaced"


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


class ConnectionLost(BaseUnreachable):
    """The connection to the server was lost in the middle of something.

    Try again: it is opened anew by itself. A change that was under way was not made.
    """

    code = "connection_lost"


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


class ProviderMissing(ProviderError):
    """What the model needs is not installed, or not where the settings say.

    `docs/how-to/models.md` names the packages and files that each model needs.
    """

    code = "provider_missing"


class ProviderUnreachable(ProviderError):
    """The server of the model could not be reached.

    Check that it runs and that its address is right; `sourcebook config show` prints it. Keyword search goes on.
    """

    code = "provider_unreachable"


class ProviderTimeout(ProviderError):
    """The server of the model did not answer in time.

    Try again, or give it more time; for an embedder that is `embedder_timeout`. Keyword search goes on.
    """

    code = "provider_timeout"


class ProviderBusy(ProviderError):
    """The server of the model is overloaded or failing, and stayed so when it was asked again.

    Try again later; what was finished is kept. For an embedder, a smaller `embedder_batch` asks for less at once.
    """

    code = "provider_busy"


class ProviderRefused(ProviderError):
    """The server of the model refused the request.

    Check the name of the model and the API key; the server's own words are above.
    """

    code = "provider_refused"


class BadProviderAnswer(ProviderError):
    """The server of the model gave an answer that cannot be right, so nothing of it was used.

    Check that the address is that of the right kind of server, and that the model makes embeddings.
    """

    code = "bad_provider_answer"


class AuthError(SourcebookError):
    """Access was refused.

    Sign in, or use an API key that is bound to this collection.
    """

    code = "auth"


class UserBlocked(AuthError):
    """This person is blocked.

    `sourcebook users unblock ID` lets them in again.
    """

    code = "user_blocked"
