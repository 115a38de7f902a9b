"""Handles askers who confirm that they meant a similar question: they get its answer, and the wording is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sourcebook.ports.moderation import Embedded

if TYPE_CHECKING:
    from sourcebook.consult.curated.curated_lookup import CuratedFinding
    from sourcebook.consult.question.inquiry import Inquiry
    from sourcebook.model.curation import CuratedAnswer
    from sourcebook.ports.stores import Stores
    from sourcebook.retrieve.question_context import QuestionContext


@dataclass(frozen=True, slots=True)
class ConfirmedQuestions:
    stores: Stores

    async def taken(
        self, chosen: int, found: CuratedFinding, text: str, inquiry: Inquiry, context: QuestionContext
    ) -> CuratedAnswer | None:
        """The chosen answer, if it is what would be given or offered for this text; None if it is neither.

        So nobody can attach a wording to an answer that would not be offered for it. The wording is recorded before the
        answer is given; repeating it counts once.
        """
        if found.entry is not None:
            entry = found.entry if found.entry.id == chosen else None
        else:
            is_offered = any(each.id == chosen for each in found.similar)
            entry = await self.stores.curated.kb_get(chosen) if is_offered else None
            if entry is not None:
                await self._remember(entry, text, inquiry, context)
        if entry is not None:
            await self.stores.moderation.close_own(inquiry.user_id, inquiry.question, entry.id)
        return entry

    async def _remember(
        self, entry: CuratedAnswer, text: str, inquiry: Inquiry, context: QuestionContext
    ) -> None:
        collection = await context.collection(entry.collection_id, self.stores.vectors)
        if collection.model is None:
            return
        embedded = Embedded(await context.vector(collection, text), collection.model)
        await self.stores.curated.kb_confirm_wording(entry.id, text, inquiry.user_id, embedded)
