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
    │   ├── BadAddress
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
    │   ├── BadAnswerFile
    │   ├── DuplicateChunkId
    │   ├── NothingToSearchFor
    │   │   └── NothingAsked
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
    │   ├── BaseReplaced
    │   ├── BackupDamaged
    │   ├── BaseUnreachable
    │   │   └── ConnectionLost
    │   ├── NotASourcebook
    │   ├── BaseTooNew
    │   ├── MigrationEdited
    │   ├── SqliteTooOld
    │   ├── ServerTooOld
    │   ├── NotOpen
    │   └── UsedAfterFork
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

from sourcebook.errors.auth import UserBlocked
from sourcebook.errors.branches import (
    AuthError,
    Conflict,
    NotFound,
    ProviderError,
    SourcebookError,
    StorageError,
    UsageError,
)
from sourcebook.errors.conflict import (
    ActiveModelChanged,
    AlreadyDecided,
    CollectionConflict,
    DocumentChangedMeanwhile,
    NoQuestionsLeft,
    NotEnoughTokens,
    ReindexOverrun,
    StillAnswering,
    TooManyRemovals,
)
from sourcebook.errors.not_found import (
    ChunkNotFound,
    CollectionNotFound,
    CuratedAnswerNotFound,
    DocumentNotFound,
    DraftNotFound,
    FileGone,
    PathNotFound,
    SessionNotFound,
    TermNotFound,
    TopicNotFound,
    UserNotFound,
)
from sourcebook.errors.provider import (
    BadProviderAnswer,
    NoEmbedder,
    ProviderBusy,
    ProviderMissing,
    ProviderRefused,
    ProviderTimeout,
    ProviderUnreachable,
)
from sourcebook.errors.storage import (
    BackupDamaged,
    BaseBusy,
    BaseDamaged,
    BaseFull,
    BaseReadOnly,
    BaseReplaced,
    BaseTooNew,
    BaseUnreachable,
    ConnectionLost,
    EmbeddingSizeMismatch,
    MigrationEdited,
    NotASourcebook,
    NotOpen,
    ServerTooOld,
    SqliteTooOld,
    UsedAfterFork,
)
from sourcebook.errors.usage import (
    AmbiguousName,
    BadAddress,
    BadAnswerFile,
    BadBundle,
    BadFile,
    BadFilter,
    BadMetadata,
    BadPolicy,
    BadSetting,
    BadText,
    BadVector,
    DamagedFile,
    DuplicateChunkId,
    EmptyFile,
    EncryptedFile,
    FileOverLimit,
    NeedsOcr,
    NothingAsked,
    NothingToSearchFor,
    ParserDied,
    TooLittleData,
    UnsupportedFile,
)

__all__ = [
    "ActiveModelChanged",
    "AlreadyDecided",
    "AmbiguousName",
    "AuthError",
    "BackupDamaged",
    "BadAddress",
    "BadAnswerFile",
    "BadBundle",
    "BadFile",
    "BadFilter",
    "BadMetadata",
    "BadPolicy",
    "BadProviderAnswer",
    "BadSetting",
    "BadText",
    "BadVector",
    "BaseBusy",
    "BaseDamaged",
    "BaseFull",
    "BaseReadOnly",
    "BaseReplaced",
    "BaseTooNew",
    "BaseUnreachable",
    "ChunkNotFound",
    "CollectionConflict",
    "CollectionNotFound",
    "Conflict",
    "ConnectionLost",
    "CuratedAnswerNotFound",
    "DamagedFile",
    "DocumentChangedMeanwhile",
    "DocumentNotFound",
    "DraftNotFound",
    "DuplicateChunkId",
    "EmbeddingSizeMismatch",
    "EmptyFile",
    "EncryptedFile",
    "FileGone",
    "FileOverLimit",
    "MigrationEdited",
    "NeedsOcr",
    "NoEmbedder",
    "NoQuestionsLeft",
    "NotASourcebook",
    "NotEnoughTokens",
    "NotFound",
    "NotOpen",
    "NothingAsked",
    "NothingToSearchFor",
    "ParserDied",
    "PathNotFound",
    "ProviderBusy",
    "ProviderError",
    "ProviderMissing",
    "ProviderRefused",
    "ProviderTimeout",
    "ProviderUnreachable",
    "ReindexOverrun",
    "ServerTooOld",
    "SessionNotFound",
    "SourcebookError",
    "SqliteTooOld",
    "StillAnswering",
    "StorageError",
    "TermNotFound",
    "TooLittleData",
    "TooManyRemovals",
    "TopicNotFound",
    "UnsupportedFile",
    "UsageError",
    "UsedAfterFork",
    "UserBlocked",
    "UserNotFound",
]
