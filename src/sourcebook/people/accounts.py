"""Accounts: making them, signing in and out."""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.errors import TooManyAttempts, UsageError, WrongPassword
from sourcebook.model.accounts import AccountRole, Identity, SignIn
from sourcebook.people.passwords import LONGEST, require_good_password
from sourcebook.people.sign_in_lock import ANYWHERE, FROM_ADDRESS, HERE
from sourcebook.ports.accounts import Accounts
from sourcebook.ports.arguments import checks_arguments
from sourcebook.ports.forward import forward

if TYPE_CHECKING:
    from sourcebook.model.accounts import Account
    from sourcebook.people.passwords import Passwords

_LOGIN = re.compile(r"[\w.@+-]{1,64}")


@checks_arguments
class AccountService:
    """Names to sign in with. Each belongs to a user and is bound to a role and, if wanted, to collections."""

    def __init__(self, accounts: Accounts, passwords: Passwords, seconds: int) -> None:
        self._accounts = accounts
        self._passwords = passwords
        self._seconds = seconds

    async def add(
        self,
        login: str,
        password: str,
        *,
        role: AccountRole = AccountRole.READER,
        collections: Sequence[str] | None = None,
        user: int | None = None,
    ) -> Account:
        """Make an account for a new user, or for an existing one, who then gets the role.

        Without collections it may see all of them.
        """
        name = normal_login(login)
        require_good_password(password, name)
        stored = await self._passwords.hash(password)
        return await self._accounts.create_account(name, stored, role, collections, user_id=user)

    async def get(self, login: str) -> Account:
        """The account of this name."""
        return await self._accounts.get_account(normal_login(login))

    async def all(self) -> list[Account]:
        """All accounts, by name."""
        return await self._accounts.list_accounts()

    async def set_password(self, login: str, password: str) -> Account:
        """Change an account's password. Everybody who is signed in with it is signed out."""
        name = normal_login(login)
        await self._accounts.get_account(name)
        require_good_password(password, name)
        return await self._accounts.set_password(name, await self._passwords.hash(password))

    async def set_collections(self, login: str, collections: Sequence[str] | None) -> Account:
        """Say which collections an account may see from now on; None means all of them."""
        return await self._accounts.set_collections(normal_login(login), collections)

    async def remove(self, login: str) -> None:
        """Remove an account, its sign-ins and its keys. The user and the user's conversations stay."""
        await self._accounts.remove_account(normal_login(login))

    async def sign_in(self, login: str, password: str, *, address: str = "") -> SignIn:
        """Check a password and begin a sign-in.

        After several failures, further attempts have to wait, longer each time. A name that does not exist is treated
        like one that does. Its `token` is shown only here.
        """
        name = _login_or_nobody(login)
        here, anywhere, place = f"here:{address}:{name}", f"anywhere:{name}", f"address:{address}"
        wait = await self._accounts.begin_attempt({here: HERE, anywhere: ANYWHERE, place: FROM_ADDRESS})
        if wait:
            raise TooManyAttempts(seconds=wait)
        stored = await self._accounts.password_hash(name)
        if not await self._passwords.fits(password[: LONGEST + 1], stored):
            raise WrongPassword
        await self._require_active(name)
        await self._accounts.attempt_succeeded([here, anywhere], {place: FROM_ADDRESS})
        if stored is not None and self._passwords.is_outdated(stored):
            await self._accounts.set_password(name, await self._passwords.hash(password), signs_out=False)
        token = secrets.token_urlsafe(32)
        account, expires_at = await self._accounts.sign_in(name, hash_of(token), self._seconds)
        return SignIn(account, token, expires_at)

    async def identify(self, token: str) -> Identity | None:
        """Who signed in with this token; None if the sign-in has ended, or the user is blocked."""
        account = await self._accounts.signed_in(hash_of(token))
        if account is None or account.is_blocked:
            return None
        seen = None if account.collections is None else frozenset(account.collections)
        return Identity(account.user_id, account.role, account.login, f"account:{account.id}", seen)

    async def sign_out(self, token: str) -> bool:
        """End one sign-in. True if there was one."""
        return await self._accounts.sign_out(hash_of(token))

    async def sign_out_everywhere(self, login: str) -> int:
        """End all sign-ins of an account. Returns how many there were."""
        return await self._accounts.sign_out_everywhere(normal_login(login))

    any_account = forward("_accounts", Accounts.any_account)

    async def _require_active(self, name: str) -> None:
        """To a stranger, a blocked account looks like a wrong password."""
        account = await self._accounts.get_account(name)
        if account.is_blocked:
            raise WrongPassword


def normal_login(login: str) -> str:
    """The name as it is stored: case and the way its letters are written make no difference."""
    name = unicodedata.normalize("NFKC", login.strip()).casefold()
    if not _LOGIN.fullmatch(name):
        raise UsageError(
            f"{login!r} is no name for an account.", hint="Use 1 to 64 letters, digits and `. @ + - _`."
        )
    return name


def hash_of(secret: str) -> str:
    """The hash under which a secret of 256 random bits is stored. It needs no salt, and no slowness."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _login_or_nobody(login: str) -> str:
    try:
        return normal_login(login)
    except UsageError:
        return ""
