"""An answer that an expert rejected is not given again for the same question while what it quoted stands there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.consult.question.same_question import ask_the_same
from sourcebook.curate.question_groups import same_words

if TYPE_CHECKING:
    from sourcebook.consult.question.inquiry import Inquiry
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.moderation import Draft
    from sourcebook.model.search import SearchResult
    from sourcebook.ports.moderation import ModerationQueue
    from sourcebook.retrieve.question_context import QuestionContext


@dataclass(frozen=True, slots=True)
class RejectedAnswers:
    """Looks up whether an expert rejected what is about to be answered."""

    queue: ModerationQueue

    async def find(
        self, inquiry: Inquiry, searched: str, context: QuestionContext, passages: Sequence[SearchResult]
    ) -> Draft | None:
        """The draft that was rejected: it asks the same, and all that it quoted is among these passages."""
        for collection_id in inquiry.collections:
            if not context.has_rejected(collection_id):
                continue
            for draft in await self.queue.rejected_answers(collection_id):
                if _asks_the_same(draft, inquiry, searched) and _stands(draft, passages):
                    return draft
        return None


def rejected_details(draft: Draft) -> dict[str, JsonValue]:
    """What is told about an answer that is not given because an expert rejected it."""
    return {"draft_id": draft.id, "reason": draft.reason, "at": draft.decided_at}


def _asks_the_same(draft: Draft, inquiry: Inquiry, searched: str) -> bool:
    """Whether a draft asks what is asked now: in a conversation, "and in autumn?" asks what was searched for it."""
    before = draft.details.get("searched")
    known = before if isinstance(before, str) and before.strip() else draft.question
    return same_words(searched, known) or ask_the_same(searched, known, (inquiry.language, draft.language))


def _stands(draft: Draft, passages: Sequence[SearchResult]) -> bool:
    """Whether everything that a rejected answer quoted is found again, letter by letter."""
    found = [(passage.chunk.document_id, _plain(passage.chunk.content)) for passage in passages]
    quoted = [(citation.document_id, _plain(citation.quote)) for citation in draft.citations]
    return bool(quoted) and all(
        any(document == held and quote in said for held, said in found) for document, quote in quoted
    )


def _plain(text: str) -> str:
    return " ".join(text.split())
