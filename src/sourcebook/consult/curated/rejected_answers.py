"""An answer that an expert rejected is not given again for the same question while what it quoted stands there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.consult.answer.joined_passages import joined
from sourcebook.consult.question.same_question import ask_the_same
from sourcebook.curate.question_groups import same_words

if TYPE_CHECKING:
    from sourcebook.consult.question.inquiry import Inquiry
    from sourcebook.model.chat import Citation
    from sourcebook.model.documents import JsonValue
    from sourcebook.model.moderation import Draft
    from sourcebook.model.search import SearchResult
    from sourcebook.ports.moderation import ModerationQueue
    from sourcebook.retrieve.question_context import QuestionContext


@dataclass(frozen=True, slots=True)
class RejectedAnswers:
    """The answers to one question that experts rejected."""

    drafts: Sequence[Draft] = ()

    @classmethod
    async def read(
        cls, queue: ModerationQueue, inquiry: Inquiry, searched: str, context: QuestionContext
    ) -> RejectedAnswers:
        """Those that asked the same. Nothing is read where no answer was ever rejected."""
        known = [
            draft
            for collection_id in inquiry.collections
            if context.has_rejected(collection_id)
            for draft in await queue.rejected_answers(collection_id)
        ]
        return cls([draft for draft in known if _asks_the_same(draft, inquiry, searched)])

    def quoting(self, citations: Sequence[Citation]) -> Draft | None:
        """The one that quoted what these citations quote."""
        return next(
            (
                draft
                for draft in self.drafts
                if any(_overlap(old, new) for old in draft.citations for new in citations)
            ),
            None,
        )

    def from_first(self, passages: Sequence[SearchResult]) -> Draft | None:
        """The one whose quote stands in what was found first: a chat model would be given the same to read."""
        if not self.drafts or not passages:
            return None
        first = joined(passages)[0].whole
        said = _plain(first.chunk.content)
        return next(
            (
                draft
                for draft in self.drafts
                for old in draft.citations
                if old.document_id == first.chunk.document_id and _plain(old.quote) in said
            ),
            None,
        )


def rejected_details(draft: Draft) -> dict[str, JsonValue]:
    """What is told about an answer that is not given because an expert rejected it."""
    return {"draft_id": draft.id, "reason": draft.reason, "at": draft.decided_at}


def _asks_the_same(draft: Draft, inquiry: Inquiry, searched: str) -> bool:
    """Whether a draft asks what is asked now: in a conversation, "and in autumn?" asks what was searched for it."""
    before = draft.details.get("searched")
    known = before if isinstance(before, str) and before.strip() else draft.question
    return same_words(searched, known) or ask_the_same(searched, known, (inquiry.language, draft.language))


def _overlap(one: Citation, other: Citation) -> bool:
    """Whether two citations quote the same, in part at least. A document that changed has other places."""
    if (one.collection_id, one.document_id) != (other.collection_id, other.document_id):
        return False
    if one.file_hash is not None and one.file_hash == other.file_hash:
        return one.start < other.end and other.start < one.end
    before, now = _plain(one.quote), _plain(other.quote)
    return before in now or now in before


def _plain(text: str) -> str:
    return " ".join(text.split())
