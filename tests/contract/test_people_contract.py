"""Every backend keeps the contract about people and their tokens."""

from __future__ import annotations

from sourcebook.testing.contract import LedgerContract, MessagesContract, TopicsContract, UsersContract


class TestUsers(UsersContract):
    pass


class TestTopics(TopicsContract):
    pass


class TestMessages(MessagesContract):
    pass


class TestLedger(LedgerContract):
    pass
