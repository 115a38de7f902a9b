"""The root of all errors, and the branches of their tree."""

from __future__ import annotations

from inspect import cleandoc
from typing import ClassVar


class SourcebookError(Exception):
    """Something went wrong in Sourcebook.

    Run the command again with `--log-level debug`. If the output does not explain the error, please report it.
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str | None = None, *, hint: str | None = None) -> None:
        usual_message, usual_hint = self.usual_texts()
        self.message = _sentence(message or usual_message)
        self.hint = hint or usual_hint
        super().__init__(self.message)
        # So that a traceback ends with the next step, too.
        self.add_note(self.hint)

    @classmethod
    def usual_texts(cls) -> tuple[str, str]:
        """The message and the hint of this kind of error, where no others are given."""
        first, _, rest = cleandoc(cls.__doc__ or cls.__name__).partition("\n")
        return first, " ".join(rest.split())

    @classmethod
    def kinds(cls) -> dict[str, type[SourcebookError]]:
        """This kind of error and all below it that have a code of their own, by these codes."""
        found: dict[str, type[SourcebookError]] = {cls.code: cls} if "code" in vars(cls) else {}
        for below in cls.__subclasses__():
            found |= below.kinds()
        return found

    def as_dict(self) -> dict[str, str]:
        """The error as every face reports it to a program."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


def _sentence(message: str) -> str:
    """The message with its full stop: what others say, as a database does, often comes last and without one."""
    said = message.rstrip()
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


class UsageError(SourcebookError):
    """The request is invalid.

    Correct it and try again. Nothing was changed.
    """

    code = "usage"


class NotFound(SourcebookError):
    """The base has nothing with this name.

    Check the name. `sourcebook collections list` and `sourcebook documents list` show what exists.
    """

    code = "not_found"


class Conflict(SourcebookError):
    """Something else got there first.

    Check the current state and try again. Nothing was changed.
    """

    code = "conflict"


class StorageError(SourcebookError):
    """The database operation failed.

    Run `sourcebook doctor` to check the base.
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
