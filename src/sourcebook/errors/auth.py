"""Who asks may not."""

from __future__ import annotations

from sourcebook.errors.branches import AuthError


class UserBlocked(AuthError):
    """This person is blocked.

    `sourcebook users unblock ID` lets them in again.
    """

    code = "user_blocked"
