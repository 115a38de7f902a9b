"""The root of all errors, and the branches of their tree."""

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


class NotFound(SourcebookError):
    """What was named is not in the base.

    Check the name; `sourcebook collections list` and `sourcebook documents list` show what is there.
    """

    code = "not_found"


class Conflict(SourcebookError):
    """Something else got there first.

    Look at the present state and decide again; nothing was changed.
    """

    code = "conflict"


class StorageError(SourcebookError):
    """The base could not do what was asked.

    Run `sourcebook doctor` to see what state it is in.
    """

    code = "storage"


class ProviderError(SourcebookError):
    """An embedder, reranker or chat model failed.

    Check its address and key with `sourcebook config show`, then try again.
    """

    code = "provider"


class AuthError(SourcebookError):
    """Access was refused.

    Sign in, or use an API key that is bound to this collection.
    """

    code = "auth"
