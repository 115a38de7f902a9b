"""Errors of permission: the caller may not do this, or not yet."""

from __future__ import annotations

from sourcebook.errors.error_tree import AuthError


class UserBlocked(AuthError):
    """This user is blocked.

    `sourcebook users unblock ID` restores access.
    """

    code = "user_blocked"


class NotSignedIn(AuthError):
    """This needs an account or an API key.

    Sign in, or send a key: `Authorization: Bearer KEY`. `sourcebook keys create NAME` makes one.
    """

    code = "not_signed_in"


class WrongPassword(AuthError):
    """The name or the password is wrong.

    Check both. An administrator can set a new password with `sourcebook accounts password NAME`.
    """

    code = "wrong_password"


class RoleMissing(AuthError):
    """This needs another role.

    Ask an administrator for that role.
    """

    code = "role_missing"


class ForeignRequest(AuthError):
    """This request was sent by another site, or to an address that is not this server's.

    If you reach the server by another name, add it to the setting `allowed_hosts`.
    """

    code = "foreign_request"


class TooManyRequests(AuthError):
    """There were too many requests.

    Wait, then try again. The setting `requests_per_minute` is the limit.
    """

    code = "too_many_requests"

    def __init__(self, message: str | None = None, *, hint: str | None = None, seconds: int = 1) -> None:
        super().__init__(message, hint=hint)
        self.seconds = seconds
        """Seconds to wait."""


class TooManyAttempts(TooManyRequests):
    """There were too many attempts to sign in.

    Wait, then try again.
    """

    code = "too_many_attempts"


class NobodyMayEnter(AuthError):
    """The server would be reachable by others, but has no accounts or keys.

    Make the first account with `sourcebook accounts add NAME --role admin`, or listen at 127.0.0.1.
    """

    code = "nobody_may_enter"
