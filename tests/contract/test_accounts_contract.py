"""Every backend keeps the contract about accounts and API keys."""

from __future__ import annotations

from sourcebook.testing.contract import AccountsContract, ApiKeysContract


class TestAccounts(AccountsContract):
    pass


class TestApiKeys(ApiKeysContract):
    pass
