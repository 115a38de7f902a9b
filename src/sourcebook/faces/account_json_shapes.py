"""Accounts and API keys as JSON, the same in every face. No secret is ever among it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sourcebook.model.accounts import Account, ApiKey


def account(account: Account) -> dict[str, Any]:
    return {
        "id": account.id,
        "login": account.login,
        "user_id": account.user_id,
        "role": account.role.value,
        "collections": None if account.collections is None else list(account.collections),
        "is_blocked": account.is_blocked,
        "last_login_at": account.last_login_at,
        "created_at": account.created_at,
    }


def api_key(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "prefix": key.prefix,
        "user_id": key.user_id,
        "account": key.login,
        "role": key.role.value,
        "collections": None if key.collections is None else list(key.collections),
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "last_used_at": key.last_used_at,
        "created_at": key.created_at,
    }
