"""What to write next: the questions that the base does not answer well, grouped and counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Any, cast

from sourcebook.curate.question_groups import clusters, question_terms
from sourcebook.model.moderation import DraftKind, DraftStatus, Gap

if TYPE_CHECKING:
    from sourcebook.model.moderation import Draft

_EXAMPLES = 5
_NEAR = 3


def gap_reason(draft: Draft) -> str | None:
    """Why a draft points to a gap: declined, rejected or weak; None if it does not."""
    if draft.kind is DraftKind.STALE:
        return None
    if draft.kind is DraftKind.DECLINED:
        return "declined"
    if draft.status is DraftStatus.REJECTED:
        return "rejected"
    return "weak" if draft.details.get("weak") is True else None


def find_gaps(drafts: Sequence[Draft], collections: Container[str | None] | None = None) -> list[Gap]:
    """The gaps in these drafts (given newest first), most asked first.

    Each names the documents that came close, only from these collections if any are given.
    """
    with_reasons = [(draft, reason) for draft in drafts if (reason := gap_reason(draft)) is not None]
    items = [(pair, question_terms(pair[0].question, pair[0].language)) for pair in with_reasons]
    return sorted(
        (_gap(cluster, collections) for cluster in clusters(items)),
        key=lambda gap: (-gap.count, -gap.last_asked_at),
    )


def _gap(cluster: Sequence[tuple[Draft, str]], collections: Container[str | None] | None) -> Gap:
    drafts = [draft for draft, _ in cluster]
    counted = Counter(" ".join(draft.question.split()) for draft in drafts)
    examples = [question for question, _ in counted.most_common(_EXAMPLES)]
    categories = Counter(draft.category_guess for draft in drafts if draft.category_guess)
    near = Counter(path for draft in drafts for path in _near(draft, collections))
    return Gap(
        question=examples[0],
        count=len(drafts),
        people=len({draft.user_id for draft in drafts}),
        reasons=dict(Counter(reason for _, reason in cluster)),
        examples=examples,
        near=[path for path, _ in near.most_common(_NEAR)],
        category=categories.most_common(1)[0][0] if categories else None,
        language=drafts[0].language,
        last_asked_at=max(draft.created_at for draft in drafts),
        draft_ids=[draft.id for draft in drafts],
    )


def _near(draft: Draft, collections: Container[str | None] | None) -> list[str]:
    """The documents that a search for the question found, from the draft."""
    found = draft.details.get("passages")
    passages = cast("list[dict[str, Any]]", found) if isinstance(found, list) else []
    seen = [p for p in passages if collections is None or p.get("collection_id", "") in collections]
    return [path for p in seen[:_NEAR] if isinstance(path := p.get("document_path"), str)]
