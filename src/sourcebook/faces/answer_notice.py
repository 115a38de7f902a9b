"""What has to be said beside an answer: that it is out of date, or stands in the place of one.

Telegram and the web pages say it in words of their own, in the language of the reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sourcebook.locale import texts
from sourcebook.model.chat import SourceState, Tier

if TYPE_CHECKING:
    from sourcebook.model.chat import Answer


def answer_notice(answer: Answer) -> str | None:
    """A sentence in the language of the answer; None if there is nothing to say."""
    told = texts(answer.language)
    if answer.details.get("outdated"):
        return told("outdated")
    if answer.tier is not Tier.CURATED:
        return None
    if answer.details.get("stale") or any(c.state is not SourceState.CURRENT for c in answer.citations):
        return told("stale")
    return told("context_changed") if answer.details.get("context_changed") else None
