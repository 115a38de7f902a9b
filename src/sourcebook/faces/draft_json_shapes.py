"""The JSON shapes of drafts, gaps and digests. Programs depend on these keys: add to them, never rename."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

from sourcebook.faces import json_shapes

if TYPE_CHECKING:
    from sourcebook.model.curation import CuratedAnswer, SourceChange
    from sourcebook.model.moderation import Digest, Draft, Gap


def draft(draft: Draft) -> dict[str, Any]:
    return {
        "id": draft.id,
        "kind": draft.kind.value,
        "status": draft.status.value,
        "user_id": draft.user_id,
        "question": draft.question,
        "asked_after": draft.asked_after,
        "in_conversation": draft.in_conversation,
        "answer": draft.answer,
        "language": draft.language,
        "citations": [json_shapes.citation(citation) for citation in draft.citations],
        "sources_changed": draft.has_changed_sources,
        "category_guess": draft.category_guess,
        "subcategory_guess": draft.subcategory_guess,
        "group_key": draft.group_key,
        "collection_id": draft.collection_id,
        "topic_id": draft.topic_id,
        "session_id": draft.session_id,
        "reason": draft.reason,
        "admin_id": draft.admin_id,
        "kb_id": draft.kb_id,
        "stale_kb_id": draft.stale_kb_id,
        "created_at": draft.created_at,
        "decided_at": draft.decided_at,
        "same_as": draft.same_as,
        "asked": draft.asked,
        "people": draft.people,
        "resembles": resembling(draft),
        "nearest": nearest(draft),
        "nearest_excerpt": nearest_excerpt(draft),
        "rejected": rejected(draft),
    }


def draft_with_details(
    shown: Draft,
    similar: Sequence[Draft],
    entry: CuratedAnswer | None,
    changes: Sequence[SourceChange] = (),
    in_new_words: str | None = None,
) -> dict[str, Any]:
    """A draft with how it was made, similar drafts, its curated answer, and what has changed in its sources."""
    return draft(shown) | {
        "changes": [json_shapes.source_change(change) for change in changes],
        "in_new_words": in_new_words,
        "details": dict(shown.details),
        "attachments": [dict(each) for each in shown.attachments],
        "similar": [{"id": other.id, "question": other.question} for other in similar],
        "entry": None if entry is None else json_shapes.curated_answer(entry),
    }


def resembling(draft: Draft) -> list[dict[str, Any]]:
    """The curated answers that were offered for the question: number, question and closeness."""
    return _rows(draft.details, "similar")


def nearest(draft: Draft) -> list[dict[str, Any]]:
    """The passages that came closest to a declined question: document, section, page and place in the text."""
    return nearest_places(draft.details)


def nearest_places(details: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The passages that came closest to a question, each with what it says that may be the answer, or None.

    `state` says what became of it since: of one that was removed or hidden, the words are left out. By its `number`,
    an expert names one as the source of a reply.
    """
    places = _rows(details, "nearest")
    # Bases of before know what the first one says, and no more.
    known = [details.get("nearest_excerpt"), *[None] * len(places)]
    return [
        {"excerpt": said, "state": "current", **place, "number": number}
        for number, (place, said) in enumerate(zip(places, known, strict=False), start=1)
    ]


def see_also_places(details: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The passages that may answer as well as what is quoted, in the same form."""
    return [{"state": "current", **place} for place in _rows(details, "see_also")]


def quotes_closest(details: Mapping[str, Any]) -> bool:
    """Whether any of the passages that came closest is quoted, not only the first."""
    return any(place["excerpt"] for place in nearest_places(details))


def nearest_excerpt(draft: Draft) -> str | None:
    """What the first of these passages says that may be the answer, for the expert to judge."""
    found = draft.details.get("nearest_excerpt")
    return found if isinstance(found, str) else None


def rejected(draft: Draft) -> dict[str, Any] | None:
    """The draft whose rejection made this question be declined: `draft_id`, `reason` and `at`."""
    found = draft.details.get("rejected")
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None


def looked_at(draft: Draft) -> list[str]:
    """The documents found for a question and how close they came, as text. What two passages have in common is once."""
    lines = (
        f"{passage.get('document_path')}, {'taken' if passage.get('taken') else 'not close enough'}"
        for passage in _rows(draft.details, "passages")
    )
    return list(dict.fromkeys(lines))


def _rows(details: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = details.get(name)
    return cast("list[dict[str, Any]]", found) if isinstance(found, list) else []


def gap(gap: Gap) -> dict[str, Any]:
    return asdict(gap)


def digest(digest: Digest) -> dict[str, Any]:
    return {
        "since": digest.since,
        "until": digest.until,
        "questions": digest.questions,
        "people": digest.people,
        "tiers": dict(digest.tiers),
        "declined": digest.declined,
        "drafts": dict(digest.drafts),
        "pending": digest.pending,
        "became_stale": [json_shapes.curated_answer(entry) for entry in digest.became_stale],
        "to_write": [gap(each) for each in digest.to_write],
        "tokens_spent": digest.tokens_spent,
        "tokens_given": digest.tokens_given,
    }
