"""Every error that Sourcebook raises on purpose.

Each has a stable `code` for programs and a `hint` that says what to do next. The first line of a class's docstring is
its default message; the rest is its default hint.

    SourcebookError
    ├── UsageError                  the request is invalid
    │   ├── BadFile                 one file cannot be read; the others are unaffected
    │   │   ├── UnreadableFile
    │   │   ├── UnsupportedFile
    │   │   ├── EmptyFile
    │   │   ├── EncryptedFile
    │   │   ├── DamagedFile
    │   │   ├── FileOverLimit
    │   │   ├── ParserDied
    │   │   ├── NeedsOcr
    │   │   └── NeedsTranscription
    │   ├── BadFilter
    │   ├── AmbiguousName
    │   ├── BadText
    │   ├── BadMetadata
    │   ├── BadVector
    │   ├── BadSetting
    │   ├── BadAddress
    │   ├── BadBundle
    │   ├── BadPolicy
    │   ├── AddressRefused
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
    │   ├── WordingNotFound
    │   ├── DraftNotFound
    │   ├── UserNotFound
    │   ├── TopicNotFound
    │   ├── TermNotFound
    │   ├── ModelNotFound
    │   ├── AccountNotFound
    │   ├── KeyNotFound
    │   └── JobNotFound
    ├── Conflict                    something else got there first
    │   ├── CollectionConflict
    │   ├── DocumentChangedMeanwhile
    │   ├── TooManyRemovals
    │   ├── ActiveModelChanged
    │   ├── AlreadyDecided
    │   ├── CuratedAnswerChangedMeanwhile
    │   ├── SupportLost
    │   ├── NotEnoughTokens
    │   ├── NoQuestionsLeft
    │   ├── StillAnswering
    │   ├── ReindexOverrun
    │   └── AccountExists
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
    │   ├── BadProviderAnswer
    │   └── DownloadFailed
    └── AuthError                   permission denied
        ├── UserBlocked
        ├── NotSignedIn
        ├── WrongPassword
        ├── RoleMissing
        ├── ForeignRequest
        ├── TooManyRequests
        │   └── TooManyAttempts
        └── NobodyMayEnter
"""

from sourcebook.errors.auth import (
    ForeignRequest,
    NobodyMayEnter,
    NotSignedIn,
    RoleMissing,
    TooManyAttempts,
    TooManyRequests,
    UserBlocked,
    WrongPassword,
)
from sourcebook.errors.conflict import (
    AccountExists,
    ActiveModelChanged,
    AlreadyDecided,
    CollectionConflict,
    CuratedAnswerChangedMeanwhile,
    DocumentChangedMeanwhile,
    NoQuestionsLeft,
    NotEnoughTokens,
    ReindexOverrun,
    StillAnswering,
    SupportLost,
    TooManyRemovals,
)
from sourcebook.errors.error_tree import (
    AuthError,
    Conflict,
    NotFound,
    ProviderError,
    SourcebookError,
    StorageError,
    UsageError,
)
from sourcebook.errors.not_found import (
    AccountNotFound,
    ChunkNotFound,
    CollectionNotFound,
    CuratedAnswerNotFound,
    DocumentNotFound,
    DraftNotFound,
    FileGone,
    JobNotFound,
    KeyNotFound,
    ModelNotFound,
    PathNotFound,
    SessionNotFound,
    TermNotFound,
    TopicNotFound,
    UserNotFound,
    WordingNotFound,
)
from sourcebook.errors.provider import (
    BadProviderAnswer,
    DownloadFailed,
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
from sourcebook.errors.unreadable_file import (
    BadFile,
    DamagedFile,
    EmptyFile,
    EncryptedFile,
    FileOverLimit,
    NeedsOcr,
    NeedsTranscription,
    ParserDied,
    UnreadableFile,
    UnsupportedFile,
)
from sourcebook.errors.usage import (
    AddressRefused,
    AmbiguousName,
    BadAddress,
    BadAnswerFile,
    BadBundle,
    BadFilter,
    BadMetadata,
    BadPolicy,
    BadSetting,
    BadText,
    BadVector,
    DuplicateChunkId,
    NothingAsked,
    NothingToSearchFor,
    TooLittleData,
)

__all__ = [
    "AccountExists",
    "AccountNotFound",
    "ActiveModelChanged",
    "AddressRefused",
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
    "CuratedAnswerChangedMeanwhile",
    "CuratedAnswerNotFound",
    "DamagedFile",
    "DocumentChangedMeanwhile",
    "DocumentNotFound",
    "DownloadFailed",
    "DraftNotFound",
    "DuplicateChunkId",
    "EmbeddingSizeMismatch",
    "EmptyFile",
    "EncryptedFile",
    "FileGone",
    "FileOverLimit",
    "ForeignRequest",
    "JobNotFound",
    "KeyNotFound",
    "MigrationEdited",
    "ModelNotFound",
    "NeedsOcr",
    "NeedsTranscription",
    "NoEmbedder",
    "NoQuestionsLeft",
    "NobodyMayEnter",
    "NotASourcebook",
    "NotEnoughTokens",
    "NotFound",
    "NotOpen",
    "NotSignedIn",
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
    "RoleMissing",
    "ServerTooOld",
    "SessionNotFound",
    "SourcebookError",
    "SqliteTooOld",
    "StillAnswering",
    "StorageError",
    "SupportLost",
    "TermNotFound",
    "TooLittleData",
    "TooManyAttempts",
    "TooManyRemovals",
    "TooManyRequests",
    "TopicNotFound",
    "UnreadableFile",
    "UnsupportedFile",
    "UsageError",
    "UsedAfterFork",
    "UserBlocked",
    "UserNotFound",
    "WordingNotFound",
    "WrongPassword",
]
