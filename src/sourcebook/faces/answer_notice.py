"""What has to be said beside an answer: that it is out of date, stands in the place of one, or is not sure.

Telegram and the web pages say it in words of their own, in the language of the reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from sourcebook.locale import texts
from sourcebook.model.chat import SourceState, Tier

if TYPE_CHECKING:
    from sourcebook.locale import Texts
    from sourcebook.model.chat import Answer, Citation
    from sourcebook.model.documents import JsonValue


def answer_notice(answer: Answer) -> str | None:
    """A sentence in the language of the answer; None if there is nothing to say."""
    told = texts(answer.language)
    if answer.details.get("outdated"):
        return told(outdated_key(answer))
    if answer.see_also:
        return told("likely")
    if answer.tier is not Tier.CURATED:
        return None
    if answer.details.get("stale") or any(c.state is not SourceState.CURRENT for c in answer.citations):
        return told(stale_key(answer))
    return told("context_changed") if answer.details.get("context_changed") else None


def outdated_key(answer: Answer) -> str:
    """The key of what is said above the documents' words in place of an approved answer."""
    entry = answer.details.get("outdated")
    is_removed = isinstance(entry, dict) and bool(entry.get("removed"))
    return "outdated_removed" if is_removed else "outdated"


def stale_key(answer: Answer) -> str:
    """The key of what is said with an approved answer whose source has changed, or is gone."""
    return "stale_removed" if is_only_removed(answer.citations) else "stale"


def is_only_removed(citations: Sequence[Citation]) -> bool:
    """Whether sources are gone, and none has only changed."""
    return {each.state for each in citations} - {SourceState.CURRENT} == {SourceState.REMOVED}


def stale_reason(answer: Answer, told: Texts) -> str:
    """Which source of an approved answer has changed or is gone."""
    change = next(iter(changed_sources(answer.details)), None)
    if change is None:
        return str(answer.details.get("stale"))
    key = "reason_removed" if change.get("state") == SourceState.REMOVED else "reason_changed"
    return told(key, name=change.get("document_path"))


def says_now_key(change: Mapping[str, Any]) -> str:
    """The key of what a changed source says by now."""
    if change.get("after") is not None:
        return "source_says_now"
    return "source_is_gone" if change.get("state") == SourceState.REMOVED else "source_says_nothing"


def changed_sources(details: Mapping[str, JsonValue]) -> list[dict[str, Any]]:
    """What the changed sources of a stale answer said and say now, from its details."""
    rows = details.get("changes")
    each = cast("list[Any]", rows) if isinstance(rows, list) else []
    return [cast("dict[str, Any]", row) for row in each if isinstance(row, dict)]
