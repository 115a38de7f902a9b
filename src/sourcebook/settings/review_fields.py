"""The settings of review: which answers an expert sees."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sourcebook.settings.token_fields import TokenFields


class ReviewFields(TokenFields):
    """Which answers go to review."""

    draft_answers: Literal["all", "model", "unverified", "none"] = Field(
        default="all",
        description="Which answers from documents go to review: `all`; `model`, those written by a chat model; "
        "`unverified`, those with an unsupported sentence; or `none`. Unanswered questions always go to review.",
    )
    draft_share: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="The share of those answers to review, chosen at random.",
    )
