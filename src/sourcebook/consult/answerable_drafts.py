"""Closes questions that wait for an expert when added documents answer them. The asker gets the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.consult.question.asking_part import asking_part
from sourcebook.consult.question.inquiry import Inquiry
from sourcebook.model.chat import Tier
from sourcebook.model.moderation import DraftKind, Why
from sourcebook.ports.chat import PromptMessage

if TYPE_CHECKING:
    from sourcebook.consult.ask import Consultation
    from sourcebook.model.chat import Answer
    from sourcebook.model.moderation import Draft
    from sourcebook.ports.moderation import ModerationQueue
    from sourcebook.retrieve.question_context import QuestionContext

_MOST = 200
"""How many waiting questions are asked again at a time, the oldest first."""
FOUND = "the documents answer it now: {}"


@dataclass(frozen=True, slots=True)
class AnswerableDrafts:
    """Closes waiting questions that added documents answer.

    `consultation` has no chat model: nobody is asking, so nobody would pay.
    """

    queue: ModerationQueue
    consultation: Consultation

    async def close(self, collection_id: str) -> list[Draft]:
        """Ask the waiting questions of a collection again; close and return those that are answered."""
        waiting = await self.queue.pending(_MOST, kind=DraftKind.DECLINED, collection_id=collection_id)
        closed = [await self._closed(draft, collection_id) for draft in waiting if _may_close(draft)]
        return [draft for draft in closed if draft is not None]

    async def _closed(self, draft: Draft, collection_id: str) -> Draft | None:
        inquiry = Inquiry(
            draft.question,
            (collection_id,),
            user_id=draft.user_id,
            language=draft.language,
            earlier=_asked_before(draft),
            # Otherwise every change of a document would run a chat model for every waiting question.
            reads_unsure=False,
            keep=_unkept,
        )
        answer = await self.consultation.answer(inquiry)
        if answer.tier is not Tier.DOCUMENTS or not answer.citations:
            return None
        reason = FOUND.format(answer.citations[0].document_path)
        return await self.queue.close_found(draft.id, answer.answer, answer.citations, reason)


def _asked_before(draft: Draft) -> list[PromptMessage]:
    """The earlier question, if this one is a follow-up."""
    searched, asked = draft.details.get("searched"), asking_part(draft.question.strip())
    if not isinstance(searched, str) or searched == asked or not searched.endswith(asked):
        return []
    return [PromptMessage("user", searched.removesuffix(asked).strip())]


def _may_close(draft: Draft) -> bool:
    """Whether documents may close a draft.

    They may not if the asker wanted a person, if the question came with files, or if it was limited to some documents.
    Nor if its passages were accepted and a model declined it, unless that was because an expert rejected the answer:
    then another text may answer it.
    """
    judged = draft.details.get("judgement")
    was_close = (
        isinstance(judged, dict) and judged.get("accepted") is True and not draft.details.get("rejected")
    )
    is_for_a_person = draft.details.get("why") == Why.ASKED_FOR_A_PERSON
    return not (draft.attachments or is_for_a_person or was_close or draft.details.get("filtered"))


async def _unkept(answer: Answer, _: QuestionContext) -> Answer:
    """Stores nothing, because nobody asked just now."""
    return answer
