"""Drafts and curated answers as a caller may read them: without the words of collections that are not theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sourcebook.errors import UsageError
from sourcebook.faces import draft_json_shapes, json_shapes
from sourcebook.model.moderation import DraftKind

if TYPE_CHECKING:
    from sourcebook.faces.http.auth.caller import Caller
    from sourcebook.model.chat import Citation
    from sourcebook.model.curation import CuratedAnswer, CuratedSource, SourceChange
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.moderation import Draft


def seen_entry(entry: CuratedAnswer, caller: Caller) -> dict[str, Any]:
    """A curated answer with those of its sources that the caller may see."""
    sources = tuple(source for source in entry.sources if caller.sees(source.collection_id))
    reason = _seen_reason(entry.stale_reason, entry.sources, caller)
    return json_shapes.curated_answer(replace(entry, sources=sources, stale_reason=reason))


def seen_draft(draft: Draft, caller: Caller) -> dict[str, Any]:
    """A draft with those of its citations and nearest passages that the caller may see, numbered as they were."""
    return _seen_places(draft_json_shapes.draft(as_seen(draft, caller)), draft, caller)


def seen_draft_with_details(
    draft: Draft,
    caller: Caller,
    similar: Sequence[Draft],
    entry: CuratedAnswer | None,
    changes: Sequence[SourceChange],
    in_new_words: str | None,
) -> dict[str, Any]:
    """The same with how it was made, similar drafts, its curated answer, and what has changed in its sources."""
    shown = draft_json_shapes.draft_with_details(as_seen(draft, caller), similar, None, changes, in_new_words)
    shown["entry"] = None if entry is None else seen_entry(entry, caller)
    return _seen_places(shown, draft, caller)


def as_seen(draft: Draft, caller: Caller) -> Draft:
    """The draft without the citations, passages and curated answers of collections that the caller may not see.

    Nor has it an answer that quotes such a collection, unless an expert approved that for all who see the draft.
    """
    citations = tuple(citation for citation in draft.citations if caller.sees(citation.collection_id))
    quotes_others = draft.kind is DraftKind.ANSWER and len(citations) < len(draft.citations)
    answer = None if quotes_others and draft.kb_id is None else draft.answer
    details = dict(draft.details)
    if isinstance(reason := details.get("reason"), str):
        details["reason"] = _seen_reason(reason, draft.citations, caller)
    for key in ("outdated", "rejected"):
        if isinstance(found := details.get(key), dict) and not _is_seen(found, caller):
            details[key] = None
    for key in ("passages", "see_also", "similar"):
        if isinstance(found := details.get(key), list):
            details[key] = [passage for passage in found if _is_seen(passage, caller)]
    if isinstance(places := details.get("nearest"), list):
        details["nearest"] = [place for place in places if _is_seen(place, caller)]
        # It is what the first place says.
        if places and not _is_seen(places[0], caller) and "nearest_excerpt" in details:
            details["nearest_excerpt"] = None
    return replace(draft, answer=answer, citations=citations, details=details)


def require_readable(draft: Draft, caller: Caller) -> None:
    """Refuse to approve an answer as it is to whoever may not read it."""
    if draft.answer is not None and as_seen(draft, caller).answer is None:
        raise UsageError(
            f"The answer of draft {draft.id} quotes a collection that you may not read",
            hint="Write an answer of your own, or leave the draft to someone who may read it.",
        )


def _seen_reason(
    reason: str | None, sources: Sequence[CuratedSource | Citation], caller: Caller
) -> str | None:
    """Why an answer is stale, without the name of a source that the caller may not see."""
    hidden = {source.document_path for source in sources if not caller.sees(source.collection_id)}
    told, _, name = (reason or "").partition(": ")
    return told if name in hidden else reason


def _seen_places(shown: dict[str, Any], draft: Draft, caller: Caller) -> dict[str, Any]:
    """By its number a place is named as a source: leaving others out must not change it."""
    places = draft_json_shapes.nearest(draft)
    return shown | {"nearest": [place for place in places if _is_seen(place, caller)]}


def _is_seen(place: JsonValue, caller: Caller) -> bool:
    if caller.collections is None:
        return True
    collection = place.get("collection_id") if isinstance(place, dict) else None
    return isinstance(collection, str) and caller.sees(collection)
