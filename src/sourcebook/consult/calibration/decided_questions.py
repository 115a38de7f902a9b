"""Questions whose outcome experts decided: what a collection can be calibrated on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sourcebook.model.moderation import DraftKind, DraftStatus
from sourcebook.retrieve.evaluation.evaluate import JudgedQuestion

if TYPE_CHECKING:
    from sourcebook.model.moderation import Draft


def questions_from(drafts: Sequence[Draft], collection_id: str) -> list[JudgedQuestion]:
    """Questions from experts' decisions on answers from documents: approved, the sources were right; rejected, wrong.

    A declined question is left out, because it is not known what should have been found.
    """
    return [
        JudgedQuestion(
            str(draft.id),
            draft.question,
            {c.document_id: 1 for c in draft.citations} if draft.status is DraftStatus.APPROVED else {},
            language=draft.language,
        )
        for draft in drafts
        if draft.kind is DraftKind.ANSWER
        and draft.citations
        and draft.status in (DraftStatus.APPROVED, DraftStatus.REJECTED)
        and collection_id in {c.collection_id for c in draft.citations}
    ]
