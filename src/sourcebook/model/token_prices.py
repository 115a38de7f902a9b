"""What questions cost in tokens."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sourcebook.model.token_ledger import OperationType


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices in tokens. A free consultation has unlimited questions."""

    welcome_tokens: int = 1
    new_topic: int = 1
    follow_ups_included: int = 3
    more_questions: int = 1
    """The price of more questions."""
    questions_in_a_purchase: int = 3


class Lacking(StrEnum):
    """What a person lacks for an answer that is not free."""

    TOKENS = "tokens"
    QUESTIONS = "questions"


@dataclass(frozen=True, slots=True)
class Charge:
    """What is held while a question is answered. A person who lacks something still gets free answers."""

    operation: OperationType
    amount: int = 1
    lacking: Lacking | None = None

    @property
    def tokens(self) -> int:
        return self.amount if self.operation is OperationType.NEW_TOPIC else 0
