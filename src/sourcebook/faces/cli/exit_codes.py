"""Exit codes: one for each branch of the error tree."""

from __future__ import annotations

from enum import IntEnum

from sourcebook.errors import (
    AuthError,
    Conflict,
    NotFound,
    ProviderError,
    SourcebookError,
    StorageError,
    UsageError,
)


class ExitCode(IntEnum):
    OK = 0
    ERROR = 1
    USAGE = 2
    NOT_FOUND = 3
    CONFLICT = 4
    STORAGE = 5
    PROVIDER = 6
    AUTH = 7
    INTERRUPTED = 130


_BRANCHES: tuple[tuple[type[SourcebookError], ExitCode], ...] = (
    (UsageError, ExitCode.USAGE),
    (NotFound, ExitCode.NOT_FOUND),
    (Conflict, ExitCode.CONFLICT),
    (StorageError, ExitCode.STORAGE),
    (ProviderError, ExitCode.PROVIDER),
    (AuthError, ExitCode.AUTH),
)


def exit_code(error: SourcebookError) -> ExitCode:
    return next((code for branch, code in _BRANCHES if isinstance(error, branch)), ExitCode.ERROR)
