"""Who asks may not."""

from __future__ import annotations

from sourcebook.errors.branches import AuthError


class UserBlocked(AuthError):
    """This user is blocked.

    `sourcebook users unblock ID` restores access.
    """

    code = "user_blocked"
