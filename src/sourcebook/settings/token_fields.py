"""The settings of tokens: what a new user is given, and what questions cost."""

from __future__ import annotations

from pydantic import Field

from sourcebook.model.token_prices import Prices
from sourcebook.settings.server_fields import ServerFields

_PRICES = Prices()


class TokenFields(ServerFields):
    """Prices in tokens, and how long they are held for a question."""

    welcome_tokens: int = Field(
        default=_PRICES.welcome_tokens,
        ge=0,
        le=1_000_000,
        description="How many tokens a new user receives.",
    )
    price_new_topic: int = Field(
        default=_PRICES.new_topic,
        ge=0,
        le=1_000_000,
        description="The price of a consultation in tokens. With 0, all questions are free. Curated answers, declines "
        "and failures are always free.",
    )
    follow_ups_included: int = Field(
        default=_PRICES.follow_ups_included,
        ge=0,
        le=1_000_000,
        description="How many follow-up questions a paid consultation includes.",
    )
    price_more_questions: int = Field(
        default=_PRICES.more_questions,
        ge=1,
        le=1_000_000,
        description="The price of more questions in a consultation, in tokens.",
    )
    more_questions: int = Field(
        default=_PRICES.questions_in_a_purchase,
        ge=1,
        le=1_000_000,
        description="How many questions that price buys.",
    )
    reservation_seconds: int = Field(
        default=60,
        ge=3,
        le=3600,
        description="Seconds to hold the tokens for a question after its worker last reported in. "
        "Then they are returned.",
    )
